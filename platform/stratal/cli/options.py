"""The options every command takes, before its name or after it; the last one given wins."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperOption
from typer.main import get_command

if TYPE_CHECKING:  # typer ships its own click, and its types have no public name
    from typer._click import Context, Parameter

PANEL = "Everywhere"
# Before the names of shared options, so that a command may call its own argument `user`.
OURS = "everywhere_"


@dataclass(slots=True, kw_only=True)
class Common:
    """Who asks, where the data lies, and how the answer is shown; None: as the settings say.

    One object an invocation, which the options fill while the command line is read.
    """

    data: Path | None = None
    user: str | None = None
    project: str | None = None
    org: str | None = None
    agent: str | None = None
    config: Path | None = None
    quiet: bool = False
    json: bool = False


def common_of(ctx: "Context") -> Common:
    """The options of this invocation."""
    return ctx.ensure_object(Common)


def _keep(ctx: "Context", param: "Parameter", value: Path | str | bool | None) -> None:
    if value is not None and value is not False:
        setattr(common_of(ctx), str(param.name).removeprefix(OURS), value)


def everywhere(
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The data directory (or STRATAL_DATA)."),
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="ID", help="Whose memory; `me` when nobody is named.")
    ] = None,
    project: Annotated[
        str | None, typer.Option(metavar="ID", help="Stand in this project too.")
    ] = None,
    org: Annotated[
        str | None, typer.Option(metavar="ID", help="Stand in this organisation too.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which of the user's agents.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings, instead of ./stratal.toml.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="The result alone: no bars, no notices.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="The result as JSON.")] = False,
) -> None:
    """The shared options; `root.py` reads them off this signature and runs nothing here."""


def shared_options(*, completion: bool = False) -> "list[Parameter]":
    """The options of `everywhere`, each keeping its value in the invocation's `Common`.

    With `completion` those that install completion for the shell come before them.
    """
    app = typer.Typer(add_completion=False)
    app.command()(everywhere)
    found = get_command(app).params
    for option in found:
        option.expose_value = False
        option.callback = _keep
        option.name = f"{OURS}{option.name}"
        if isinstance(option, TyperOption):
            option.rich_help_panel = PANEL
    return [*_completion_options(), *found] if completion else found


def _completion_options() -> "list[Parameter]":
    app = typer.Typer()
    app.command()(lambda: None)
    return get_command(app).params
