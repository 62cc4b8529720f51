"""What was said of skills and what became of learned ones, one line a change."""

from dataclasses import dataclass
from datetime import datetime

from stratal_memory.store import Store
from stratal_memory.truth import approvals, procedures
from stratal_memory.truth.procedures import Change, Origin
from stratal_procedures.shelf import DECIDED

PRACTICE = "practice"  # who did what no person did
BY_PRACTICE = ("active", "demoted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One line of the history of skills."""

    at: datetime
    name: str
    version: int  # of a learned one; 0 for a folder's
    what: str
    by: str
    digest: str
    note: str
    where: str


def history(store: Store, name: str = "") -> list[Happened]:
    """What was said of skills and what was learned, newest first; of one name, or of all.

    A learned one has a line for every change of a version: drafted, written, approved, active
    (it proved itself), demoted, rejected, replaced.
    """
    with store.read() as connection:
        said = approvals.of_user(connection, store.user)
    found = [
        Happened(
            at=one.at,
            name=one.name,
            version=0,
            what=one.verdict,
            by=one.by,
            digest=one.digest,
            note=one.note,
            where=one.folder,
        )
        for one in said
        if one.at is not None and _is(name, one.name)
    ]
    return sorted([*found, *_learned(store, name)], key=lambda one: one.at, reverse=True)


def _learned(store: Store, name: str) -> list[Happened]:
    """Newest first; of a procedure all versions, whatever each is called."""
    with store.read() as connection:
        every = procedures.changes(connection, store.reach)
    keys = {one.of.key for one in every if _is(name, one.of.name) or _is(name, one.of.key)}
    return [_line(one) for one in reversed(every) if one.of.key in keys]


def _line(one: Change) -> Happened:
    drawn = one.what == "drafted" and one.of.origin is Origin.LEARNED
    return Happened(
        at=one.at,
        name=one.of.name,
        version=one.of.version,
        what=one.what,
        by=PRACTICE if drawn or one.what in BY_PRACTICE else one.by,
        digest=one.of.digest,
        note="" if one.why == DECIDED else one.why,
        where=one.of.key,
    )


def _is(wanted: str, name: str) -> bool:
    return not wanted or wanted.casefold() == name.casefold()
