"""How it looks on a terminal what a person said of skills."""

from rich.console import RenderableType

from stratal.cli.calls_view import visible
from stratal.cli.shapes.skills import SkillDecided, SkillExported, SkillHistory, SkillsAdded
from stratal.cli.terminal import SHOWN, brief, cell, lines, table


def added_view(done: SkillsAdded) -> RenderableType:
    """What was added, its remarks, what was refused, and how to try it."""
    parts: list[RenderableType] = []
    for one in done.added:
        did = "replaced" if one.replaced else "added"
        files = "1 file" if one.files == 1 else f"{one.files} files"
        parts.append(cell(f"{did} {visible(one.name)}: {files} in {one.folder}", "green"))
        parts += [cell(f"  remark: {visible(warning)}", "yellow") for warning in one.warnings]
    parts += [cell(visible(problem), "red") for problem in done.problems]
    if done.added:
        parts.append(cell('try it: stratal skills test "a message it is meant for"', "dim"))
    return lines(*parts)


def decided_view(done: SkillDecided) -> RenderableType:
    """One line."""
    colour = "green" if done.verdict == "approved" else "red"
    return cell(f"{done.verdict} {visible(done.name)} ({done.digest[:12]})", colour)


def history_view(found: SkillHistory) -> RenderableType:
    """A table of what was said, newest first."""
    if not found.events:
        return cell("nothing was said of skills yet", "dim")
    made = table("at", "name", "what", "by", "sha256", "note")
    for event in found.events:
        made.add_row(
            cell(f"{event.at:%Y-%m-%d %H:%M}", "dim"),
            cell(visible(f"{event.name}@{event.version}" if event.version else event.name)),
            cell(event.what, "red" if event.what in ("rejected", "demoted") else ""),
            cell(visible(event.by)),
            cell(event.digest[:12], "dim"),
            cell(visible(brief(event.note, longest=SHOWN))),
        )
    return made


def exported_view(done: SkillExported) -> RenderableType:
    """One line."""
    return cell(f"{visible(done.name)} lies in {done.folder} now", "green")
