"""The skills of several folders, first folder first (Cs13), and which of them may be used."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from stratal_memory.errors import NotFound
from stratal_memory.records import Trust
from stratal_memory.truth.approvals import Verdict
from stratal_procedures.approval import Decisions
from stratal_procedures.bundle import Bundle, read_bundle
from stratal_procedures.errors import SkillError
from stratal_procedures.folders import folders_below, unreadable
from stratal_procedures.listing import NO_FILES, Listed, of_bundle, of_folder
from stratal_procedures.skill import Skill, load

MAX_NAMED = 30  # names in a hint
BUILT_IN = "built-in"  # an origin: it came with the program
LEARNED = "learned"  # an origin: it lies in no folder


class State(StrEnum):
    """Whether a skill is used, and if not, why."""

    ACTIVE = "active"
    DISABLED = "disabled"  # it says so itself
    HIDDEN = "hidden"  # another of its name goes first
    WAITING = "waiting"  # nobody has approved it yet
    CHANGED = "changed"  # other bytes than those that were approved
    REJECTED = "rejected"

    @property
    def judged(self) -> bool:
        """Whether a person's word, or the lack of it, keeps it out."""
        return self in (State.WAITING, State.CHANGED, State.REJECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFolder:
    """A folder of skill folders; `origin` is `user`, `project` or `built-in`, for people.

    What lies in a `gated` one is used only when a person approved its exact bytes.
    """

    origin: str
    path: Path
    trust: Trust = Trust.USER  # of what its skills say, once they may be used
    gated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A skill and where it came from; `hidden_by` is the folder of its namesake that won.

    `bundle` holds what was approved, for a skill that had to be.
    """

    skill: Skill
    origin: str
    hidden_by: Path | None = None
    state: State = State.ACTIVE
    trust: Trust = Trust.USER
    bundle: Bundle | None = None
    files: Listed = NO_FILES  # beside its SKILL.md


class Library:
    """What the folders held when it was made; make a new one to see changes.

    A folder that isn't there holds nothing. A skill that can't be read is in `problems`; the
    others work. A disabled skill still hides one of the same name: so a built-in one is switched
    off. One that nobody approved hides nothing. Names are compared without case.
    """

    def __init__(
        self,
        folders: Sequence[SkillFolder],
        *,
        decisions: Decisions | None = None,
        more: Sequence[Found] = (),
    ) -> None:
        """`folders` in order of precedence; `more` are skills that lie in no folder, after them."""
        problems: list[SkillError] = []
        every = [*_read(folders, decisions or Decisions(), problems), *more]
        self.found: tuple[Found, ...] = tuple(_first_wins(every))
        self.problems: tuple[SkillError, ...] = tuple(problems)

    @property
    def usable(self) -> tuple[Found, ...]:
        """The enabled skills that won and may be used, with where they came from."""
        return tuple(found for found in self.found if found.state is State.ACTIVE)

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The enabled skills that won, by folder and then by name of their own folder."""
        return tuple(found.skill for found in self.usable)

    @property
    def hidden(self) -> tuple[Found, ...]:
        """The skills that another of the same name hides."""
        return tuple(found for found in self.found if found.hidden_by is not None)

    @property
    def waiting(self) -> tuple[Found, ...]:
        """The skills that wait for a person's word."""
        return tuple(one for one in self.found if one.state in (State.WAITING, State.CHANGED))

    def get(self, name: str) -> Skill:
        """The skill of that name, disabled or not; `NotFound` when there is none."""
        return self.named(name).skill

    def named(self, name: str) -> Found:
        """The same with where it came from; `NotFound` for one that nobody approved, too."""
        mine = [one for one in self.found if one.skill.name.casefold() == name.casefold()]
        for found in mine:
            if found.hidden_by is None and not found.state.judged:
                return found
        hint = f"The skills are: {self._names(name)}."
        if mine:
            problem = f"the skill {name!r} may not be used: it is {mine[0].state}"
            raise NotFound(problem, hint=f"A person decides: stratal skills show {name}. {hint}")
        raise NotFound(f"there is no skill {name!r}", hint=hint)

    def _names(self, like: str) -> str:
        """The names of the skills, those like `like` first."""
        names = sorted(skill.name for skill in self.skills)
        close = difflib.get_close_matches(like, names, n=3, cutoff=0.5)
        shown = [*close, *(name for name in names if name not in close)][:MAX_NAMED]
        more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
        return f"{', '.join(shown)}{more}" if shown else "none"

    def looked_up(self, name: str, *, judging: bool = False) -> Found:
        """What a person means by a name or by the path of its folder, whatever its state.

        Of several with one name what is used, or with `judging` what waits for a word or was
        rejected; else the first. Raises `NotFound`.
        """
        place = Path(name).expanduser().absolute()
        here = [one for one in self.found if one.skill.folder.absolute() == place]
        mine = [one for one in self.found if one.skill.name.casefold() == name.casefold()]
        wanted = [
            one for one in mine if (one.state.judged if judging else one.state is State.ACTIVE)
        ]
        for found in (*here, *wanted, *mine):
            return found
        return self.named(name)


def _read(
    folders: Iterable[SkillFolder], decisions: Decisions, problems: list[SkillError]
) -> Iterator[Found]:
    seen: set[Path] = set()
    for folder in folders:
        for path in folders_below(folder.path, problems):
            real = path.resolve()
            if real in seen:
                continue
            seen.add(real)
            try:
                yield _found(path, folder, decisions)
            except SkillError as error:
                problems.append(error)
            except OSError as error:
                problems.append(unreadable(path, error))


def _found(path: Path, folder: SkillFolder, decisions: Decisions) -> Found:
    """The skill in `path`; of a gated folder parsed from the bytes that its digest stands for."""
    if not folder.gated:
        skill = load(path)
        word = decisions.of_folder(path)
        rejected = word is not None and word.verdict is Verdict.REJECTED
        state = State.REJECTED if rejected else _own_state(skill)
        return Found(
            skill=skill,
            origin=folder.origin,
            state=state,
            trust=folder.trust,
            files=of_folder(path),
        )
    bundle = read_bundle(path)
    skill = bundle.skill()
    return Found(
        skill=skill,
        origin=folder.origin,
        state=_judged(bundle, decisions) or _own_state(skill),
        trust=folder.trust,
        bundle=bundle,
        files=of_bundle(bundle),
    )


def _judged(bundle: Bundle, decisions: Decisions) -> State | None:
    """Why these bytes may not be used; None when a person approved them."""
    word = decisions.of_bytes(bundle.digest)
    if word is None:
        before = decisions.approved_before(bundle.folder)
        return State.CHANGED if before else State.WAITING
    return None if word.verdict is Verdict.APPROVED else State.REJECTED


def _own_state(skill: Skill) -> State:
    return State.ACTIVE if skill.enabled else State.DISABLED


def _first_wins(all_found: Iterable[Found]) -> Iterator[Found]:
    winners: dict[str, Path] = {}
    for found in all_found:
        key = found.skill.name.casefold()
        if found.state.judged:
            yield found
        elif key in winners:
            yield replace(found, hidden_by=winners[key], state=State.HIDDEN)
        else:
            winners[key] = found.skill.folder
            yield found
