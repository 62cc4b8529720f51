"""`stratal skills`: procedures, and which one fits a message."""

import typer
from rich.console import RenderableType

from stratal.agent import Agent
from stratal.cli.arguments import Name, Words
from stratal.cli.opening import opened, settings_of
from stratal.cli.options import common_of
from stratal.cli.shapes.house import SkillList, SkillMatch, SkillShape, SkillShown, SkillTest
from stratal.cli.terminal import Terminal, cell, lines, table
from stratal.skills import find_skill, open_library
from stratal_procedures.library import Found, Library
from stratal_procedures.matcher import Considered

app = typer.Typer(help="Procedures, and which one fits a message.", add_completion=False)


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The skills of all folders, and those that can't be read."""
    common = common_of(ctx)
    settings = settings_of(common)
    library = open_library(settings.data, settings.skills.folders)
    Terminal(common).show(skill_list(library), skills_view)


@app.command()
def show(ctx: typer.Context, name: Name) -> None:
    """One skill and what the model is told to do."""
    common = common_of(ctx)
    settings = settings_of(common)
    library = open_library(settings.data, settings.skills.folders)
    skill = library.get(name)
    found = next(one for one in library.found if one.skill is skill)
    shape = SkillShown(skill=_shape(found), instructions=skill.instructions())
    Terminal(common).show(shape, _skill)


@app.command()
def test(ctx: typer.Context, text: Words) -> None:
    """Which skill a message would bring, and why not the others."""
    common = common_of(ctx)
    with opened(common) as agent:
        shape = _tested(agent, text)
    Terminal(common).show(shape, _matching)


def skill_list(library: Library) -> SkillList:
    """A library as its shape."""
    return SkillList(
        skills=tuple(_shape(found) for found in library.found),
        problems=tuple(f"{problem} {problem.hint}".strip() for problem in library.problems),
    )


def _shape(found: Found) -> SkillShape:
    skill = found.skill
    return SkillShape(
        name=skill.name,
        description=skill.description,
        origin=found.origin,
        folder=skill.folder,
        triggers=tuple(trigger.pattern for trigger in skill.triggers),
        tags=skill.tags,
        version=skill.version,
        priority=skill.priority,
        enabled=skill.enabled,
        hidden_by=found.hidden_by,
    )


def _tested(agent: Agent, text: str) -> SkillTest:
    library = open_library(agent.settings.data, agent.settings.skills.folders)
    done = find_skill(agent.store, library, text, threshold=agent.settings.skills.threshold)
    return SkillTest(
        match=_match(done.best) if done.best else None,
        candidates=tuple(_match(one) for one in done.considered),
    )


def _match(one: Considered) -> SkillMatch:
    return SkillMatch(name=one.skill.name, score=one.score, why=one.why)


def skills_view(found: SkillList) -> RenderableType:
    """A table of skills, then what is wrong with the others."""
    if not found.skills and not found.problems:
        return cell(
            "no skills: put folders with a SKILL.md into skills/ of the data directory", "dim"
        )
    made = table("name", "description", "from", "")
    for skill in found.skills:
        off = "hidden" if skill.hidden_by else "" if skill.enabled else "disabled"
        made.add_row(
            cell(skill.name, "dim" if off else "bold"),
            cell(skill.description),
            cell(skill.origin, "dim"),
            cell(off, "yellow"),
        )
    return lines(made, *(cell(problem, "red") for problem in found.problems))


def _skill(shown: SkillShown) -> RenderableType:
    skill = shown.skill
    triggers = f"triggers: {', '.join(skill.triggers)}" if skill.triggers else "no triggers"
    return lines(
        cell(skill.name, "bold"),
        cell(skill.description),
        cell(f"{triggers}; {skill.folder}", "dim"),
        cell(""),
        cell(shown.instructions),
    )


def _matching(done: SkillTest) -> RenderableType:
    head = (
        cell(f"{done.match.name}: {done.match.why}", "green") if done.match else cell("none fits")
    )
    made = table("score", "skill", "why", right=("score",))
    for one in done.candidates:
        made.add_row(cell(f"{one.score:.2f}"), cell(one.name), cell(one.why, "dim"))
    return lines(head, made if done.candidates else None)
