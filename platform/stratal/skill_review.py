"""One skill before a person: all its bytes, and their word on exactly these."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from stratal.errors import InputError
from stratal_memory.errors import NotFound
from stratal_memory.store import Store
from stratal_memory.truth import approvals
from stratal_memory.truth.procedures import IN_USE, StoredProcedure
from stratal_procedures import approval, shelf
from stratal_procedures.bundle import Bundle, Item, read_bundle, read_entry
from stratal_procedures.errors import SkillError
from stratal_procedures.library import LEARNED, Found, Library
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
class Happened:
    """One line of the history of skills."""

    at: datetime
    name: str
    what: str
    by: str
    digest: str
    note: str
    where: str


def reviewed(store: Store, library: Library, name: str, *, judging: bool = False) -> Reviewed:
    """The skill of that name or folder, or key of a learned one, as it is at this moment.

    With `judging` what waits for a word goes before what is used. Raises `NotFound`, and
    `SkillError` with `judging` when its bytes can't all be read.
    """
    named = [one for one in shelf.list_stored(store) if name.casefold() in _names(one)]
    stored = sorted(named, key=lambda one: (one.state in IN_USE) is judging)
    try:
        found = library.looked_up(name, judging=judging)
    except NotFound:
        if not stored:
            raise
        return _of_stored(stored[0])
    if stored and (found.origin == LEARNED or (judging and not found.state.judged)):
        return _of_stored(stored[0])
    return _of_found(found, strict=judging)


def _names(one: StoredProcedure) -> tuple[str, str]:
    return one.name.casefold(), one.key.casefold()


def _of_stored(one: StoredProcedure) -> Reviewed:
    skill = shelf.parsed(one.text)
    return Reviewed(
        name=one.name,
        origin=LEARNED,
        state=one.state,
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
        shelf.approve(store, shown.stored.key, given, note=note)
    elif shown.bundle is not None:
        approval.approve(store, shown.bundle, note=note)


def reject(store: Store, shown: Reviewed, *, note: str = "") -> None:
    """From now on these bytes are not used."""
    if shown.stored is not None:
        shelf.reject(store, shown.stored.key, note=note)
    elif shown.bundle is not None:
        approval.reject(store, shown.bundle, note=note)


def history(store: Store, name: str = "") -> list[Happened]:
    """What was said of skills and what was learned, newest first; of one name, or of all."""
    with store.read() as connection:
        said = approvals.of_user(connection, store.user)
    found = [
        Happened(
            at=one.at,
            name=one.name,
            what=one.verdict,
            by=one.by,
            digest=one.digest,
            note=one.note,
            where=one.folder,
        )
        for one in said
        if one.at is not None
    ]
    found += [
        line
        for one in shelf.list_stored(store)
        for line in _versions(shelf.history(store, one.key).versions)
    ]
    wanted = [one for one in found if not name or one.name.casefold() == name.casefold()]
    return sorted(wanted, key=lambda one: one.at, reverse=True)


def _versions(versions: Sequence[StoredProcedure]) -> list[Happened]:
    return [
        Happened(
            at=one.approved_at or one.recorded_at,
            name=one.name,
            what=f"{one.origin} {one.version}: {one.state}",
            by=one.approved_by,
            digest=one.digest,
            note=one.why,
            where=one.key,
        )
        for one in versions
    ]


def _text(content: bytes) -> str | None:
    """What a person is shown of a file; None of one that is no text."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
