"""`stratal skills`: procedures, whether they may be used, and which one fits a message."""

from typing import Annotated

import typer

from stratal import practice
from stratal.agent import Agent
from stratal.cli import skills_acting
from stratal.cli.arguments import Name, Words
from stratal.cli.opening import opened, opened_store, settings_of
from stratal.cli.options import common_of
from stratal.cli.shapes.skills import (
    SkillMatch,
    SkillPassedOver,
    SkillTest,
)
from stratal.cli.skills_shape import shown_shape, skill_list
from stratal.cli.skills_view import shown_view, skills_view, tested_view
from stratal.cli.terminal import Terminal
from stratal.skill_review import passed_over, reviewed
from stratal.skill_source import SkillSource, working_directory
from stratal.skills import find_skill
from stratal_procedures import shelf
from stratal_procedures.matcher import Considered

app = typer.Typer(help="Procedures, and which one fits a message.", add_completion=False)
All = Annotated[bool, typer.Option("--all", help="Every file, not the steps alone.")]


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The skills of all folders, whether they are used, and those that can't be read."""
    common = common_of(ctx)
    settings = settings_of(common)
    source = SkillSource(settings, here=working_directory())
    with opened_store(common, settings) as store:
        practice.settle_idle(store, lambda: source.fresh(store), learn=settings.skills.learn)
        shape = skill_list(source.fresh(store), store)
    Terminal(common).show(shape, skills_view)


@app.command()
def show(ctx: typer.Context, name: Name, all: All = False) -> None:
    """One skill and what the model is told to do; every file of one that waits for approval.

    NAME may be the path of its folder, or NAME@VERSION of one that was learned.
    """
    common = common_of(ctx)
    settings = settings_of(common)
    with opened_store(common, settings) as store:
        library = SkillSource(settings, here=working_directory()).fresh(store)
        one = reviewed(store, library, name)
        shape = shown_shape(one, store)
    Terminal(common).show(shape, lambda shape: shown_view(shape, whole=all))


@app.command()
def test(ctx: typer.Context, text: Words) -> None:
    """Which skill a message would bring, and why not the others."""
    common = common_of(ctx)
    with opened(common) as agent:
        shape = _tested(agent, text)
    Terminal(common).show(shape, tested_view)


app.command()(skills_acting.add)
app.command()(skills_acting.approve)
app.command()(skills_acting.reject)
app.command()(skills_acting.history)
app.command()(skills_acting.export)


def _tested(agent: Agent, text: str) -> SkillTest:
    chosen = agent.settings.skills
    library = agent.library
    done = find_skill(agent.store, library, text, threshold=chosen.threshold)
    return SkillTest(
        match=_match(done.best) if done.best and chosen.match else None,
        threshold=chosen.threshold,
        candidates=tuple(_match(one) for one in done.considered),
        waiting=(
            *(found.skill.name for found in library.waiting),
            *dict.fromkeys(draft.name for draft in shelf.list_drafts(agent.store)),
        ),
        out_of_use=tuple(
            SkillPassedOver.of(one) for one in passed_over(agent.store, library, text)
        ),
        note=_note(agent, match=done.best is not None),
    )


def _note(agent: Agent, *, match: bool) -> str:
    """What keeps a skill away from a message besides the message."""
    if not agent.settings.skills.match:
        return "skills.match is off: no message brings a skill"
    if not match and agent.store.embedder is None:
        return "without an embedding model only triggers match: stratal models pull"
    return ""


def _match(one: Considered) -> SkillMatch:
    return SkillMatch(name=one.skill.name, score=one.score, why=one.why)
