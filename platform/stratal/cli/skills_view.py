"""How skills look on a terminal: every byte that does not print is seen."""

from rich.console import RenderableType

from stratal.cli.calls_view import visible
from stratal.cli.shapes.skills import (
    FileShape,
    LearnedShape,
    SkillList,
    SkillShape,
    SkillShown,
    SkillTest,
)
from stratal.cli.terminal import brief, cell, lines, table

LONGEST = 50_000  # characters of one file
UNJUDGED = ("waiting", "changed", "draft")
COLOURS = {"active": "green", "probation": "green", "rejected": "red"}
EMPTY = "no skills: `stratal skills add FOLDER` puts one into your own folder"


def skills_view(found: SkillList) -> RenderableType:
    """A table of skills, what is wrong with the others, and what to do about those that wait."""
    if not found.skills and not found.problems:
        return cell(EMPTY, "dim")
    made = table("name", "description", "from", "state")
    for skill in found.skills:
        used = skill.state in ("active", "probation")
        made.add_row(
            cell(visible(_told(skill, found.skills)), "bold" if used else "dim"),
            cell(visible(brief(skill.description))),
            cell(skill.origin, "dim"),
            cell(_state(skill), COLOURS.get(skill.state, "yellow")),
        )
    return lines(
        made,
        *(cell(visible(problem), "red") for problem in found.problems),
        _waiting(found.skills),
        _remarks(found.skills),
    )


def _state(skill: SkillShape) -> str:
    if skill.state == "waiting":
        return "waits for approval"
    if skill.state == "changed":
        return "changed since approved"
    if skill.learned and skill.state in ("active", "probation"):
        return _proof(skill.state, skill.learned)
    return f"hidden by {skill.hidden_by}" if skill.hidden_by else skill.state


def _proof(state: str, did: LearnedShape) -> str:
    """How far it is proven: known uses of those that prove it, and the rate that is certain."""
    known = did.good + did.bad
    so_far = f" {known}/{did.needed}" if state == "probation" else ""
    failed = f", {did.bad} failed" if did.bad else ""
    return f"{state}{so_far}{failed}, bound {did.bound:.2f}"


def _told(skill: SkillShape, skills: tuple[SkillShape, ...]) -> str:
    """The name, with the version where there are several of it."""
    several = [one for one in skills if one.learned and one.name == skill.name]
    return _versioned(skill) if len(several) > 1 else skill.name


def _versioned(skill: SkillShape) -> str:
    """The name that means this version and no other."""
    return f"{skill.name}@{skill.learned.version}" if skill.learned else skill.name


def _waiting(skills: tuple[SkillShape, ...]) -> RenderableType | None:
    names = [_told(skill, skills) for skill in skills if skill.state in UNJUDGED]
    if not names:
        return None
    wait = "1 waits" if len(names) == 1 else f"{len(names)} wait"
    name = visible(names[0])
    return cell(f"{wait} for your word; read it first: stratal skills show {_quoted(name)}", "dim")


def _remarks(skills: tuple[SkillShape, ...]) -> RenderableType | None:
    odd = [skill.name for skill in skills if skill.warnings]
    if not odd:
        return None
    named = ", ".join(visible(name) for name in odd[:5])
    return cell(f"`stratal skills show` has remarks on {named}{' …' if odd[5:] else ''}", "dim")


def shown_view(shown: SkillShown, *, whole: bool = False, asking: bool = False) -> RenderableType:
    """A skill, what it tells the model, and its files; all of them when somebody has to judge.

    With `asking` the question follows at once, so nothing says how to answer it later.
    """
    skill = shown.skill
    judged = skill.state in (*UNJUDGED, "rejected")
    did = skill.learned
    facts = (
        ("from", f"{skill.origin}, {skill.folder}"),
        ("state", _state(skill)),
        ("because", did.why if did else ""),
        ("uses", f"{did.uses}: {did.good} good, {did.bad} bad" if did and did.uses else ""),
        ("version", str(did.version) if did else skill.version),
        ("triggers", ", ".join(skill.triggers) or "none: its description decides"),
        ("license", shown.license),
        ("needs", shown.compatibility),
        ("asks for", " ".join(shown.allowed_tools)),
        *((name, value) for name, value in (*shown.metadata.items(), *shown.extra.items())),
    )
    made = table("", "")
    made.show_header = False
    for name, value in facts:
        if value:
            made.add_row(cell(visible(name), "dim"), cell(visible(value)))
    return lines(
        cell(visible(skill.name), "bold"),
        cell(visible(skill.description)),
        made,
        *(cell(f"remark: {visible(warning)}", "yellow") for warning in skill.warnings),
        cell(f"not all of it can be read: {visible(shown.problem)}", "red")
        if shown.problem
        else None,
        cell(""),
        *(_files(shown.files) if whole or judged else _steps(shown)),
        cell(f"sha256 of all of it: {shown.digest}", "dim") if shown.digest else None,
        None if asking else _how_to_judge(shown),
    )


def _steps(shown: SkillShown) -> list[RenderableType]:
    """What the model reads, and the names of the other files."""
    parts: list[RenderableType] = [cell(_text(shown.instructions)), cell("")]
    names = [f"{visible(file.path)} ({file.size:,} bytes)" for file in shown.files[1:]]
    if names:
        parts.append(cell(f"files: {', '.join(names)}; --all shows them", "dim"))
    return parts


def _files(files: tuple[FileShape, ...]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for file in files:
        kind = "" if file.item == "file" else f"{file.item}, never followed; "
        head = f"--- {visible(file.path)} ({kind}{file.size:,} bytes, sha256 {file.digest[:12]})"
        parts += [cell(head, "cyan"), _content(file), cell("")]
    return parts


def _content(file: FileShape) -> RenderableType:
    if file.text is None:
        said = "no text: it can't be shown" if file.item == "file" else "a link or no plain file"
        return cell(f"({said})", "yellow")
    rest = len(file.text) - LONGEST
    if rest <= 0:
        return cell(_text(file.text))
    return lines(
        cell(_text(file.text[:LONGEST])),
        cell(f"({rest:,} more characters are not shown here: open the file)", "yellow"),
    )


def _text(text: str) -> str:
    """All of a text line by line, each character that does not print as its escape."""
    return "\n".join(visible(line.expandtabs(4)) for line in text.split("\n"))


def _how_to_judge(shown: SkillShown) -> RenderableType | None:
    skill = shown.skill
    out = (*UNJUDGED, "rejected", "demoted", "replaced")
    if skill.state not in out or not shown.digest:
        return None
    name = _quoted(visible(_versioned(skill)))
    command = cell(f"  stratal skills approve {name} {shown.digest}")
    command.no_wrap, command.overflow = True, "ignore"  # one line, so that it can be copied
    rejected = skill.state == "rejected"
    return lines(
        cell("It is not used until you approve exactly this:", "yellow"),
        command,
        None if rejected else cell(f"  stratal skills reject {name} --note WHY"),
    )


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def tested_view(done: SkillTest) -> RenderableType:
    """The skill that would be put before the model, and all that were looked at."""
    head = (
        cell(f"{visible(done.match.name)}: {visible(done.match.why)}", "green")
        if done.match
        else cell(f"none fits (threshold {done.threshold:.2f})")
    )
    made = table("score", "skill", "why", right=("score",))
    for one in done.candidates:
        made.add_row(
            cell(f"{one.score:.2f}"), cell(visible(one.name)), cell(visible(one.why), "dim")
        )
    waiting = ", ".join(visible(name) for name in done.waiting)
    return lines(
        head,
        made if done.candidates else None,
        cell(f"not looked at, they wait for approval: {waiting}", "yellow") if waiting else None,
        *(
            cell(f"{visible(one.name)} is {one.state}: {visible(one.why)}", "yellow")
            for one in done.out_of_use
        ),
        cell(done.note, "yellow") if done.note else None,
    )
