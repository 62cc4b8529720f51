"""Skills in a turn: where they lie, and the one that fits a message."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from stratal.context.sections import Procedure
from stratal.conversation import Conversation
from stratal_memory.store import Store
from stratal_memory.tiers.procedural import Described, Procedures
from stratal_procedures.disclosure import PROCEDURE_TOKENS, procedure
from stratal_procedures.library import Library, SkillFolder
from stratal_procedures.matcher import Matching, match
from stratal_procedures.skill import Skill

_CHECKOUT = Path(__file__).parents[2] / "data"


def bundled(name: str) -> Path:
    """A folder of the samples: in the package when installed from a wheel, else in the checkout."""
    packaged = Path(str(files("stratal"))) / "assets" / name
    return packaged if packaged.is_dir() else _CHECKOUT / name


def open_library(data: Path, folders: Sequence[Path]) -> Library:
    """The user's own and the configured folders; the first skill of a name wins (Cs13).

    A folder of the working directory is not among them: whoever wrote it could speak with the
    system's voice. To trust one, name it in the settings.
    """
    return Library(
        [
            SkillFolder(origin="user", path=data / "skills"),
            *(SkillFolder(origin="configured", path=folder) for folder in folders),
        ]
    )


def find_skill(
    store: Store, library: Library, message: str, *, threshold: float, keep: bool = True
) -> Matching:
    """The skill that fits `message`, and all that were looked at.

    The descriptions become memories, so that they are embedded once; with `keep` off nothing is
    stored and they are embedded now, which gives the same.
    """
    skills = library.skills
    procedures = Procedures(store)
    if keep:
        procedures.sync([Described(skill.name, skill.description) for skill in skills])

    def similar(candidates: Sequence[Skill]) -> Sequence[float]:
        if keep:
            return procedures.similarities(message, [skill.name for skill in candidates])
        return _compared(store, message, candidates)

    by_meaning = similar if store.embedder is not None else None
    return match(message, skills, similar=by_meaning, threshold=threshold)


def _compared(store: Store, message: str, candidates: Sequence[Skill]) -> list[float]:
    asked, *rows = store.embed([message, *(skill.description for skill in candidates)])
    return [0.0 if asked is None or row is None else max(0.0, float(row @ asked)) for row in rows]


def matched_procedure(desk: Conversation, message: str, *, keep: bool = True) -> Procedure | None:
    """The procedure section for `message`, or None; too long steps become a pointer."""
    found = find_skill(desk.store, desk.library, message, threshold=desk.skill_threshold, keep=keep)
    if found.best is None:
        return None
    skill = found.best.skill
    cap = PROCEDURE_TOKENS if desk.budget.procedure is None else desk.budget.procedure
    shown = procedure(skill, count=desk.counter.count, cap=cap, reader="")
    if not shown.text:
        return None
    return Procedure(name=skill.name, text=shown.text.partition("\n")[2])
