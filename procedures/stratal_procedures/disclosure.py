"""What the model sees of skills: a short list of all, and the whole of the one that matched."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from stratal_procedures.listing import Listed
from stratal_procedures.skill import Skill

PROCEDURE_TOKENS = 1_000  # Os7 gives 100 to 500 a procedure; twice that, so that few are cut off
# The format's specification reckons with 100 tokens a skill; ten skills with whole descriptions.
LIST_TOKENS = 1_000
BRIEF = (300, 120)  # characters of a description when the whole ones have no room
READER = "load_skill"
FILE_READER = "read_skill_file"

_OPEN, _CLOSE = "<available_skills>", "</available_skills>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """The procedure section of a prompt. `whole` is False when `text` only points to the steps."""

    text: str
    tokens: int
    whole: bool
    why: str  # for the ledger; empty when whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The list of skills in a prompt, and the names that had no room in it."""

    text: str
    tokens: int
    left_out: tuple[str, ...]


def procedure(
    skill: Skill, *, count: Callable[[str], int], cap: int = PROCEDURE_TOKENS, reader: str = READER
) -> Procedure:
    """`[Procedure: <name>]` and the steps (O3), whole or as a pointer, never cut.

    `cap` is in tokens. `reader` names the tool that reads a whole skill; when it is empty the
    pointer names the file. A pointer that has no room either gives an empty text.
    """
    whole = f"[Procedure: {skill.name}]\n{skill.instructions()}"
    tokens = count(whole)
    if tokens <= cap:
        return Procedure(text=whole, tokens=tokens, whole=True, why="")
    why = f"its {tokens:,} tokens are over the cap of {cap:,}"
    pointer = _pointer(skill, reader)
    cost = count(pointer)
    if cost <= cap:
        return Procedure(text=pointer, tokens=cost, whole=False, why=f"{why}: only a pointer")
    return Procedure(text="", tokens=0, whole=False, why=f"{why}, and so is a pointer to it")


def _pointer(skill: Skill, reader: str) -> str:
    where = f'call {reader} with "{skill.name}"' if reader else f"ask for {skill.folder}/SKILL.md"
    return (
        f"[Procedure: {skill.name}]\n{skill.description}\n"
        f"The steps are too long to stand here. Before acting, {where}; do not guess them."
    )


def available_skills(
    skills: Sequence[Skill], *, count: Callable[[str], int], cap: int = LIST_TOKENS
) -> Listing:
    """Name and description of each skill (Zs6), whole entries within `cap` tokens.

    Higher priority first, then in the order given. Where the descriptions have no room all of them
    are shortened, to 300 and then to 120 characters; the text says how many skills have none even
    so. Skills that only a person starts are not in it. Empty when nothing fits.
    """
    order = sorted((one for one in skills if one.automatic), key=lambda skill: -skill.priority)
    for longest in (None, *BRIEF):
        text = _render(order, missing=0, longest=longest) if order else ""
        tokens = count(text) if text else 0
        if tokens <= cap:
            return Listing(text=text, tokens=tokens, left_out=())
    return _as_many_as_fit(order, count=count, cap=cap)


def _as_many_as_fit(order: Sequence[Skill], *, count: Callable[[str], int], cap: int) -> Listing:
    shown: list[Skill] = []
    for skill in order:
        missing = len(order) - len(shown) - 1
        if count(_render([*shown, skill], missing=missing, longest=BRIEF[-1])) <= cap:
            shown.append(skill)
    missing = len(order) - len(shown)
    text = _render(shown, missing=missing, longest=BRIEF[-1]) if shown else ""
    left_out = tuple(skill.name for skill in order if skill not in shown)
    return Listing(text=text, tokens=count(text) if text else 0, left_out=left_out)


def _render(skills: Sequence[Skill], *, missing: int, longest: int | None) -> str:
    lines = [
        f'<skill name="{escape(each.name)}">{escape(_brief(each, longest))}</skill>'
        for each in skills
    ]
    rest = [f"({missing} more have no room here)"] if missing else []
    return "\n".join((_OPEN, *lines, *rest, _CLOSE))


def _brief(skill: Skill, longest: int | None) -> str:
    text = skill.description
    if longest is None or len(text) <= longest:
        return text
    return f"{text[: longest - 1].rstrip()}…"


def activated(skill: Skill, files: Listed) -> str:
    """The whole of a skill, and the names of its files with the tool that reads them (Zs6)."""
    parts = [
        f'<activated_skill name="{escape(skill.name)}">',
        skill.instructions(),
        "</activated_skill>",
    ]
    if files.files:
        names = ", ".join(f"{path} ({size:,} bytes)" for path, size in files.files)
        more = f" and {files.more:,} more" if files.more else ""
        parts.append(f"Files of this skill, for {FILE_READER}: {names}{more}.")
    return "\n".join(parts)
