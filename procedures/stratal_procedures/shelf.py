"""Stored procedures as people and the library meet them: read, approve, reject, write, edit."""

import logging
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from stratal_memory.errors import InputError, NotFound
from stratal_memory.records import Scope, ScopeKind, new_id
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.truth import practised
from stratal_memory.truth import procedures as rows
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.practised import Used
from stratal_memory.truth.procedures import (
    IN_USE,
    Origin,
    State,
    StoredProcedure,
    digest_of,
)
from stratal_procedures.errors import SkillError
from stratal_procedures.record import counted
from stratal_procedures.scoring import Score, score
from stratal_procedures.skill import FILE_NAME, MAX_BYTES, Skill, parse

FOLDER = Path("learned")  # names a stored procedure in messages; there is no such folder
DECIDED = "a person decided"  # the reason of an event where they gave none

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A stored procedure with all that happened to it."""

    versions: tuple[StoredProcedure, ...]  # oldest first
    used: tuple[Used, ...]  # oldest first
    score: Score  # of the newest version


def learned_skills(store: Store) -> tuple[Skill, ...]:
    """The stored procedures that a person approved and that are in use, by name.

    A version whose text is not what was approved is left out, and logged.
    """
    with store.read() as connection:
        found = rows.find(connection, store.reach, states=IN_USE)
    skills: list[Skill] = []
    for one in found:
        if digest_of(one.text) != one.digest:
            log.error("procedure %s %d is not what was approved", one.key, one.version)
            continue
        try:
            skills.append(parsed(one.text))
        except SkillError as error:
            log.error("procedure %s %d can't be read: %s", one.key, one.version, error)
    return tuple(skills)


@lru_cache(maxsize=256)
def parsed(text: str) -> Skill:
    """The skill in the text of a stored procedure; raises `SkillError`."""
    content = text.encode("utf-8", "surrogatepass")
    name = parse(content, file=FOLDER / "new" / FILE_NAME).name
    return parse(content, file=FOLDER / name / FILE_NAME)  # as if it lay in a folder of its name


def list_stored(store: Store) -> tuple[StoredProcedure, ...]:
    """Every current version, whatever its state, by name."""
    with store.read() as connection:
        return tuple(rows.find(connection, store.reach))


def list_drafts(store: Store) -> tuple[StoredProcedure, ...]:
    """The versions that wait for a person's word, by name."""
    with store.read() as connection:
        return tuple(rows.find(connection, store.reach, states=(State.DRAFT,)))


def history(store: Store, key: str) -> History:
    """All versions and uses of a procedure. Raises `NotFound`."""
    with store.read() as connection:
        versions = rows.versions(connection, store.reach, key)
        used = practised.outcomes_of(connection, key)
    return History(
        versions=tuple(versions), used=tuple(used), score=score(counted(versions[-1], used))
    )


def approve(
    store: Store, key: str, digest: str, *, version: int | None = None, note: str = ""
) -> StoredProcedure:
    """That version of a procedure (None: the newest), in use from now on; older ones are retired.

    A learned one is on probation first, one that a person wrote is active at once (Os19).
    `digest` is that of the text as it was shown. Raises `InputError` when the text is another or
    a newer version has taken its place, `NotFound`, and `AccessDenied` for a project of somebody
    else.
    """
    with store.write() as journal:
        one = _meant(store, journal, key, digest, version)
        if one.state in IN_USE:
            return one
        state = State.PROBATION if one.origin is Origin.LEARNED else State.ACTIVE
        return _decided(store, journal, one, state, note)


def reject(
    store: Store, key: str, digest: str, *, version: int | None = None, note: str = ""
) -> StoredProcedure:
    """That version (None: the newest), out of use; nothing like it is drafted again.

    What was in use before a rejected edit stays in use. Raises as `approve`.
    """
    with store.write() as journal:
        one = _meant(store, journal, key, digest, version)
        return _decided(store, journal, one, State.REJECTED, note)


def write(store: Store, text: str, *, shared: Scope | None = None) -> StoredProcedure:
    """A procedure that a person wrote, active at once (Os19).

    For all agents of a project or org when `shared` names one of the user's own, else for the
    store's agent. Raises `SkillError` when the text is no skill.
    """
    skill = _checked(text)
    with store.write() as journal:
        scope = shared or Scope(ScopeKind.USER, store.user)
        rows.check_owner(journal.connection, scope, user=store.user)
        new = StoredProcedure(
            key=new_id("prc"),
            version=1,
            scope=scope,
            agent="" if shared else store.reach.principal.agent,
            name=skill.name,
            text=text,
            digest=digest_of(text),
            origin=Origin.WRITTEN,
            author=store.user,
            recorded_at=journal.at,
            state=State.ACTIVE,
            approved_by=store.user,
            approved_at=journal.at,
        )
        rows.add(journal.connection, new)
        journal.note("procedure.written", reason="written by a person", detail=detail_of(new))
    return new


def edit(store: Store, key: str, text: str) -> StoredProcedure:
    """A new version with this text: a draft, whatever was in use before it stays so.

    Raises `SkillError` when the text is no skill, `NotFound`, `AccessDenied`.
    """
    skill = _checked(text)
    with store.write() as journal:
        old = _versions(store, journal, key)[-1]
        new = replace(
            old,
            version=old.version + 1,
            name=skill.name,
            text=text,
            digest=digest_of(text),
            origin=Origin.WRITTEN,
            author=store.user,
            recorded_at=journal.at,
            state=State.DRAFT,
            why="",
            approved_by="",
            approved_at=None,
            retired_at=None,
        )
        rows.add(journal.connection, new)
        journal.note("procedure.drafted", reason="edited by a person", detail=detail_of(new))
    return new


def detail_of(one: StoredProcedure) -> tuple[tuple[str, str], ...]:
    """What an event says of a version; never its text."""
    return (("procedure", one.key), ("version", str(one.version)), ("state", one.state))


def _versions(store: Store, journal: Journal, key: str) -> list[StoredProcedure]:
    """All versions, oldest first, of a procedure that the user decides on."""
    every = rows.versions(journal.connection, store.reach, key)
    rows.check_owner(journal.connection, every[-1].scope, user=store.user)
    return every


def _meant(
    store: Store, journal: Journal, key: str, digest: str, version: int | None
) -> StoredProcedure:
    every = _versions(store, journal, key)
    one = next((one for one in every if one.version == version), every[-1])
    if version not in (None, one.version):
        raise NotFound(
            f"there is no version {version} of {one.name!r}",
            hint=f"`stratal skills history {one.name}` names them all.",
        )
    if one.retired_at is not None:
        raise InputError(
            f"a newer version has taken the place of version {one.version} of {one.name!r}",
            hint="Judge the newer one.",
        )
    if digest != one.digest or digest_of(one.text) != digest:
        raise InputError(
            f"the text of version {one.version} of {one.name!r} is not the one with the digest "
            f"{digest[:12]!r}",
            hint=f"Read it again: stratal skills show {one.name}@{one.version}.",
        )
    return one


def _decided(
    store: Store, journal: Journal, one: StoredProcedure, state: State, note: str
) -> StoredProcedure:
    """`one` in the state that the user gave it."""
    said = storable(note)
    new = replace(one, state=state, why=said)
    if state is State.REJECTED:
        rows.settle(journal.connection, new)
        journal.note("procedure.rejected", reason=said or DECIDED, detail=detail_of(new))
        return new
    new = replace(new, approved_by=store.user, approved_at=journal.at)
    rows.settle(journal.connection, new)
    journal.note("procedure.approved", reason=said or DECIDED, detail=detail_of(new))
    for old in rows.versions(journal.connection, store.reach, one.key):
        if old.version < one.version and old.retired_at is None:
            reason = f"version {one.version} took its place"
            journal.note("procedure.replaced", reason=reason, detail=detail_of(old))
    rows.retire_older(journal.connection, new, at=journal.at)
    return new


def _checked(text: str) -> Skill:
    """The skill in `text`. Raises `SkillError` as a file with these bytes would."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise InputError(
            f"the text has over {MAX_BYTES // 1024} KB",
            hint="Put long material into a skill folder.",
        )
    return parsed(text)
