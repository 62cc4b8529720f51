"""`stratal scope`: who may use a project or an org."""

from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import scope_named
from stratal.cli.arguments import text as as_text
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.memories import Access, Space, Spaces
from stratal.cli.terminal import Terminal, cell, table
from stratal_memory.truth import access

app = typer.Typer(help="Who may use a project or org.", add_completion=False)

Which = Annotated[
    str, typer.Argument(metavar="SCOPE", parser=as_text, help="project:NAME or org:NAME")
]
Whom = Annotated[str, typer.Argument(metavar="USER", parser=as_text)]


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The projects and orgs you may use."""
    common = common_of(ctx)
    with opened(common) as agent, agent.store.read() as connection:
        found = access.spaces_of(connection, agent.store.user)
    spaces = tuple(Space.of(space) for space in found)
    Terminal(common).show(Spaces(scopes=spaces), _spaces)


@app.command()
def grant(ctx: typer.Context, scope: Which, user: Whom) -> None:
    """Let somebody use a project or org of yours."""
    common, named = common_of(ctx), scope_named(scope)
    with opened(common) as agent, agent.store.write() as journal:
        mine = access.spaces_of(journal.connection, agent.store.user)
        known = any(user in space.members for space in mine if space.scope == named)
        access.grant(journal.connection, named, by=agent.store.user, to=user, now=journal.at)
    shape = Access(scope=str(named), user=user, allowed=True, changed=not known)
    Terminal(common).show(shape, lambda done: cell(f"{done.user} may use {done.scope}", "green"))


@app.command()
def revoke(ctx: typer.Context, scope: Which, user: Whom) -> None:
    """End somebody's use of a project or org of yours."""
    common, named = common_of(ctx), scope_named(scope)
    with opened(common) as agent, agent.store.write() as journal:
        gone = access.revoke(journal.connection, named, by=agent.store.user, user=user)
    shape = Access(scope=str(named), user=user, allowed=False, changed=gone)
    Terminal(common).show(shape, _revoked)


def _revoked(done: Access) -> RenderableType:
    word = "may no longer use" if done.changed else "could not use"
    return cell(f"{done.user} {word} {done.scope}", "green" if done.changed else "dim")


def _spaces(found: Spaces) -> RenderableType:
    if not found.scopes:
        return cell("none yet; --project NAME makes one yours", "dim")
    made = table("scope", "owner", "others who may use it")
    for space in found.scopes:
        made.add_row(cell(space.scope), cell(space.owner), cell(", ".join(space.members)))
    return made
