"""Memory through time: one memory's history, what was true or known once, and what changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from stratal_memory.learning.usefulness import factor
from stratal_memory.outcomes import NOTHING, Counts
from stratal_memory.records import Event, Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.naming import SHOWN
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import events, usefulness
from stratal_memory.truth.access import visible
from stratal_memory.truth.moments import held_at, touched_since, true_then, zoned
from stratal_memory.truth.undoing import undo_event
from stratal_memory.truth.vectors import LIVE

# Passages and raw messages would bury the rest.
TOLD = (Form.FACT, Form.OBSERVATION, Form.EPISODE, Form.SLOT)
DIFFERS = (Form.FACT, Form.OBSERVATION, Form.EPISODE, Form.SLOT, Form.SKILL)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """One memory: its versions, oldest first, what happened to them, and what came of them."""

    versions: tuple[Memory, ...]
    events: tuple[Event, ...]
    counts: Counts = NOTHING  # in the turns of the store's user
    usefulness: float = 1.0  # what the score of the last version is multiplied by for them


class Differs(StrEnum):
    """How a memory differs between two times."""

    ADDED = "added"
    CHANGED = "changed"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One memory at two times; None where it was not held."""

    kind: Differs
    key: str
    before: Memory | None
    after: Memory | None


@dataclass(frozen=True, slots=True)
class Versions:
    """The past of what one principal can read."""

    store: Store

    def history(self, name: str) -> History:
        """A memory's versions and events, by its key or the id of a version.

        Raises `NotFound` when nothing within reach has that name.
        """
        versions = Facts(self.store).show(name)
        with self.store.read() as connection:
            key = versions[0].key
            happened = events.of_memory(connection, key)
            known = usefulness.of_keys(connection, user=self.store.user, keys=[key])
        counts = known[key].counts.of(versions[-1].id) if known else NOTHING
        return History(
            versions=tuple(versions),
            events=tuple(happened),
            counts=counts,
            usefulness=factor(counts),
        )

    def as_of(
        self, at: datetime, *, forms: Sequence[Form] = (Form.FACT,), limit: int | None = None
    ) -> list[Memory]:
        """What was true at `at` by what is known today, newest first, at most `limit`.

        Contested versions are all there: each with its dates and its confidence. Raises
        `InputError` for a time without a zone, as `held` and `diff` do.
        """
        within = visible(self.store.reach, forms=forms, statuses=SHOWN)
        with self.store.read() as connection:
            return true_then(connection, within, zoned(at), limit=limit)

    def held(
        self,
        at: datetime,
        *,
        forms: Sequence[Form] = TOLD,
        statuses: Sequence[Status] = LIVE,
    ) -> list[Memory]:
        """What memory held at `at`, exactly as it stood then, newest first."""
        within = visible(self.store.reach, forms=forms, statuses=SHOWN)
        with self.store.read() as connection:
            return held_at(connection, within, zoned(at), statuses=statuses)[::-1]

    def undo(self, name: str) -> list[Event]:
        """Take back what an event of the user, or one act by hand, changed; the events of it.

        The profile's lines that rested on it follow. Raises `NotFound` for what is not the user's,
        changed nothing or was taken back already; `UndoRefused` naming the keys where later
        writes touched the same memory, or when the event is part of a run or of an import;
        `AccessDenied` where a project or org was taken away since.
        """
        with self.store.write() as journal:
            taken = undo_event(journal, name, reach=self.store.reach)
            Profile(self.store).refresh(journal)
            return taken

    def diff(self, first: datetime, second: datetime) -> list[Difference]:
        """What memory held at `second` and not at `first`, and the other way round; by key."""
        touched = touched_since(min(zoned(first), zoned(second)))
        within = visible(self.store.reach, forms=DIFFERS, statuses=SHOWN) & touched
        with self.store.read() as connection:
            then = _by_key(held_at(connection, within, first)[::-1])
            now = _by_key(held_at(connection, within, second)[::-1])
        found = [
            difference
            for key in sorted(then.keys() | now.keys())
            for difference in _differences(key, then.get(key, []), now.get(key, []))
        ]
        return sorted(found, key=_when)


def _by_key(found: Sequence[Memory]) -> dict[str, list[Memory]]:
    grouped: dict[str, list[Memory]] = {}
    for one in found:
        grouped.setdefault(one.key, []).append(one)
    return grouped


def _differences(key: str, then: list[Memory], now: list[Memory]) -> list[Difference]:
    """One for each version that is not the same at both times; a successor beside its elder."""
    old = [one for one in then if one not in now]
    new = [one for one in now if one not in then]
    ids = {one.id for one in old}
    found: list[Difference] = []
    for one in sorted(new, key=lambda one: one.id not in ids):  # the same version comes first
        elder = _elder(one, old)
        if elder is not None:
            old.remove(elder)
        kind = Differs.CHANGED if elder else Differs.ADDED
        found.append(Difference(kind=kind, key=key, before=elder, after=one))
    return [
        *found,
        *(Difference(kind=Differs.ENDED, key=key, before=one, after=None) for one in old),
    ]


def _elder(one: Memory, old: Sequence[Memory]) -> Memory | None:
    """The same version, else the one it replaced, else another of the key."""
    named = [other for id in (one.id, one.supersedes) for other in old if other.id == id]
    return next(iter(named or old), None)


def _when(difference: Difference) -> tuple[datetime, str]:
    shown = difference.after or difference.before
    assert shown is not None
    return (shown.recorded_at, shown.id)
