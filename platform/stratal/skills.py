"""Skills in a turn: the one that fits a message, those that always stand there, and the list."""

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

from stratal.context.sections import Procedure
from stratal.conversation import Conversation
from stratal.tokens.approximate import OctopusCounter
from stratal_memory.store import Store
from stratal_memory.tiers.procedural import Described, Procedures
from stratal_procedures.disclosure import (
    PROCEDURE_TOKENS,
    READER,
    activated,
    available_skills,
    procedure,
)
from stratal_procedures.library import BUILT_IN, Found, Library
from stratal_procedures.matcher import Matching, match
from stratal_procedures.skill import Skill

ACTIVE_TOKENS = 5_000  # of one whole skill; what the format's specification recommends at most
LISTED_SHARE = 0.01  # of the window: in a small one the history needs the room more
HOW_TO = (
    "Skills are procedures written down for certain tasks. When a task fits a description below, "
    f"call {READER} with its name first, then do what it says."
)
_CHECKOUT = Path(__file__).parents[2] / "data"


def bundled(name: str) -> Path:
    """A folder of the samples: in the package when installed from a wheel, else in the checkout."""
    packaged = Path(str(files("stratal"))) / "assets" / name
    return packaged if packaged.is_dir() else _CHECKOUT / name


def find_skill(
    store: Store, library: Library, message: str, *, threshold: float, keep: bool = True
) -> Matching:
    """The skill that fits `message`, and all that were looked at.

    The descriptions become memories, so that they are embedded once; with `keep` off nothing is
    stored and they are embedded now, which gives the same. Skills that came with the program have
    no description there: a trigger brings them, or the model loads them.
    """
    compared = [found.skill for found in library.usable if found.origin != BUILT_IN]
    procedures = Procedures(store)
    if keep:
        procedures.sync([Described(skill.name, skill.description) for skill in compared])

    def similar(candidates: Sequence[Skill]) -> Sequence[float]:
        if keep:
            return procedures.similarities(message, [skill.name for skill in candidates])
        return _compared(
            store, message, [skill if skill in compared else None for skill in candidates]
        )

    by_meaning = similar if store.embedder is not None else None
    return match(message, library.skills, similar=by_meaning, threshold=threshold)


def _compared(store: Store, message: str, candidates: Sequence[Skill | None]) -> list[float]:
    """The similarity of each candidate; 0 for one that is not compared."""
    asked, *rows = store.embed([message, *(skill.description for skill in candidates if skill)])
    scores = iter(
        0.0 if asked is None or row is None else max(0.0, float(row @ asked)) for row in rows
    )
    return [next(scores) if skill else 0.0 for skill in candidates]


def matched_procedure(desk: Conversation, message: str, *, keep: bool = True) -> Procedure | None:
    """The procedure section for `message`, or None; too long steps become a pointer.

    None, too, where the skill stands before the model anyway, or so many do that it has no place.
    """
    chosen = _chosen(desk)
    if not desk.skills.match or len(chosen) >= desk.skills.max_active:
        return None
    found = find_skill(desk.store, desk.library, message, threshold=desk.skill_threshold, keep=keep)
    if found.best is None or found.best.skill in [one.skill for one in chosen]:
        return None
    skill = found.best.skill
    cap = PROCEDURE_TOKENS if desk.budget.procedure is None else desk.budget.procedure
    shown = procedure(skill, count=desk.counter.count, cap=cap)
    if not shown.text:
        return None
    return Procedure(name=skill.name, text=shown.text.partition("\n")[2])


def skills_section(desk: Conversation) -> str:
    """What the prompt says of skills in every turn: those that always stand there, and the list.

    Counted in characters, four a token: a count that learns would give other bytes tomorrow.
    Empty when there is nothing to say.
    """
    chosen = _chosen(desk)
    others = [found.skill for found in desk.library.usable if found not in chosen]
    count = OctopusCounter().count
    whole = [_activated(found, count) for found in chosen]
    room = int(desk.budget.window * LISTED_SHARE) - count(HOW_TO)
    cap = max(0, min(desk.skills.list_tokens, room))
    listing = available_skills(others, count=count, cap=cap)
    return "\n\n".join([*whole, f"{HOW_TO}\n{listing.text}"] if listing.text else whole)


def _chosen(desk: Conversation) -> list[Found]:
    """The skills that the settings name, those that may be used and have a place."""
    known = {found.skill.name.casefold(): found for found in desk.library.usable}
    names = dict.fromkeys(name.casefold() for name in desk.skills.active)
    return [known[name] for name in names if name in known][: desk.skills.max_active]


def _activated(found: Found, count: Callable[[str], int]) -> str:
    """The whole of a skill; of one that is too long how to load it."""
    text = activated(found.skill, found.files)
    if count(text) <= ACTIVE_TOKENS:
        return text
    return procedure(found.skill, count=count, cap=ACTIVE_TOKENS).text
