"""One skill before a person: all its bytes, and their word on exactly these."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from stratal.errors import InputError
from stratal_memory.errors import NotFound
from stratal_memory.store import Store
from stratal_memory.truth.procedures import IN_USE, StoredProcedure
from stratal_memory.truth.procedures import State as Kept
from stratal_procedures import approval, shelf
from stratal_procedures.bundle import Bundle, Item, read_bundle, read_entry
from stratal_procedures.errors import SkillError
from stratal_procedures.library import LEARNED, Found, Library, State
from stratal_procedures.matcher import found_by
from stratal_procedures.record import standing
from stratal_procedures.skill import FILE_NAME, Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile:
    """A file of a skill. `text` is None for what is no text, `item` says what else it is."""

    path: str
    item: Item
    size: int
    digest: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A skill of a folder with its `bundle`, or one that was learned, as `stored`."""

    name: str
    origin: str
    state: str
    digest: str  # empty where the whole can't be read: see `problem`
    folder: Path
    skill: Skill
    bundle: Bundle | None = None
    stored: StoredProcedure | None = None
    problem: str = ""

    def files(self) -> tuple[ShownFile, ...]:
        """Every file with its text, the `SKILL.md` first; what is read is what has the digest."""
        if self.stored is not None:
            text = self.stored.text
            size = len(text.encode("utf-8", "surrogatepass"))
            main = ShownFile(
                path=FILE_NAME, item=Item.FILE, size=size, digest=self.digest, text=text
            )
            return (main,)
        entries = self.bundle.entries if self.bundle else ()
        shown = [
            ShownFile(
                path=entry.path,
                item=entry.item,
                size=entry.size,
                digest=entry.digest,
                text=_text(read_entry(self.folder, entry)) if entry.item is Item.FILE else None,
            )
            for entry in entries
        ]
        return tuple(sorted(shown, key=lambda file: (file.path.upper() != "SKILL.MD", file.path)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A skill out of use that fits a message, and why it would have been taken."""

    name: str
    state: str
    why: str


class Wish(Enum):
    """What a person is about to do with a skill; of several of one name the first fitting one."""

    LOOK = (Kept.PROBATION, Kept.ACTIVE, Kept.DRAFT, Kept.DEMOTED, Kept.REJECTED)
    APPROVE = (Kept.DRAFT, Kept.DEMOTED, Kept.REJECTED, Kept.PROBATION, Kept.ACTIVE)
    REJECT = (Kept.DRAFT, Kept.PROBATION, Kept.ACTIVE, Kept.DEMOTED, Kept.REJECTED)


def reviewed(
    store: Store, library: Library, name: str, wish: Wish = Wish.LOOK, *, digest: str = ""
) -> Reviewed:
    """The skill that a person means, as it is at this moment.

    `name` is that of the skill, its folder, the key of a learned one, or `NAME@VERSION`. Of a
    learned one the version with that `digest`; else what its state puts first for the `wish`, and
    of these the newest. To be judged, what waits goes before what is used. Raises `NotFound`,
    and `SkillError` for what is to be judged when its bytes can't all be read.
    """
    judging = wish is not Wish.LOOK
    every = shelf.list_stored(store)
    stored = _named(every, name, wish)
    told = [one for one in stored if one.digest == digest.strip().lower()]
    if told:
        return _of_stored(told[0], every)
    try:
        found = library.looked_up(name, judging=judging)
    except NotFound:
        if not stored:
            _check_version(every, name)
            raise
        return _of_stored(stored[0], every)
    if stored and (found.origin == LEARNED or (judging and not found.state.judged)):
        return _of_stored(stored[0], every)
    return _of_found(found, strict=judging)


def _named(every: Sequence[StoredProcedure], name: str, wish: Wish) -> list[StoredProcedure]:
    """The stored ones of a name, those first that the wish is about."""
    wanted = name.casefold()
    plain = [one for one in every if wanted in (one.name.casefold(), one.key.casefold())]
    exact = [
        one
        for one in every
        if wanted in (f"{one.name}@{one.version}".casefold(), f"{one.key}@{one.version}".casefold())
    ]
    return sorted(plain or exact, key=lambda one: (wish.value.index(one.state), -one.version))


def _check_version(every: Sequence[StoredProcedure], name: str) -> None:
    """Raises `NotFound` where a learned skill is meant, in a version that there is not."""
    plain, _, version = name.rpartition("@")
    wanted = plain.casefold()
    there = sorted(
        {one.version for one in every if wanted in (one.name.casefold(), one.key.casefold())}
    )
    if there and version.isdecimal():
        are = "there is" if len(there) == 1 else "there are"
        raise NotFound(
            f"{plain!r} has no version {version[:20]}; {are}: {', '.join(map(str, there))}",
            hint=f"`stratal skills show {plain}` shows the one that counts.",
        )


def _of_stored(one: StoredProcedure, every: Sequence[StoredProcedure]) -> Reviewed:
    skill = shelf.parsed(one.text)
    return Reviewed(
        name=one.name,
        origin=LEARNED,
        state=standing(one, every),
        digest=one.digest,
        folder=skill.folder,
        skill=skill,
        stored=one,
    )


def _of_found(found: Found, *, strict: bool) -> Reviewed:
    bundle, problem = found.bundle, ""
    if bundle is None:
        try:
            bundle = read_bundle(found.skill.folder)
        except SkillError as error:
            if strict:
                raise
            problem = str(error)
    return Reviewed(
        name=found.skill.name,
        origin=found.origin,
        state=found.state,
        digest=bundle.digest if bundle else "",
        folder=found.skill.folder,
        skill=found.skill,
        bundle=bundle,
        problem=problem,
    )


def approve(store: Store, shown: Reviewed, digest: str, *, note: str = "") -> None:
    """From now on these bytes may be used.

    Raises `InputError` when `digest` is not that of `shown`, or other bytes lie there by now.
    """
    given = digest.strip().lower()
    if given != shown.digest:
        raise InputError(
            f"{given[:12]!r} is not the digest of what {shown.name!r} holds now",
            hint=f"Read it: stratal skills show {shown.name}. Then give the whole digest it shows.",
        )
    if shown.stored is not None:
        one = shown.stored
        shelf.approve(store, one.key, given, version=one.version, note=note)
    elif shown.bundle is not None:
        approval.approve(store, shown.bundle, note=note)


def reject(store: Store, shown: Reviewed, *, note: str = "") -> None:
    """From now on these bytes are not used."""
    if shown.stored is not None:
        one = shown.stored
        shelf.reject(store, one.key, one.digest, version=one.version, note=note)
    elif shown.bundle is not None:
        approval.reject(store, shown.bundle, note=note)


def passed_over(store: Store, library: Library, message: str) -> list[PassedOver]:
    """The skills out of use that a trigger would have brought for `message`, by their order."""
    every = shelf.list_stored(store)
    out = [(one.skill, str(one.state)) for one in library.found if one.state is not State.ACTIVE]
    out += [
        (shelf.parsed(one.text), standing(one, every)) for one in every if one.state not in IN_USE
    ]
    return [
        PassedOver(name=skill.name, state=state, why=f"would have matched by a trigger: {found!r}")
        for skill, state in out
        if skill.automatic and (found := found_by(skill, message))
    ]


def _text(content: bytes) -> str | None:
    """What a person is shown of a file; None of one that is no text."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
