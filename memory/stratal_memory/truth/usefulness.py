"""How often memories were of use to a user: counted as it happens, and anew from the log."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from stratal_memory.outcomes import NOTHING, Counts, Outcome
from stratal_memory.records import Event, Memory
from stratal_memory.scopes import checked_id
from stratal_memory.truth import events, sqlite
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories, recalls, turns
from stratal_memory.truth.schema_usefulness import usefulness
from stratal_memory.truth.sqlite import Prepared

FED = "usefulness.fed"  # the event of a confidence that was moved; undo puts the marks back
PAGE = 500  # keys of one IN (...) list
_BEFORE = ("key", "fed_used", "fed_corrected")  # of the detail of such an event
_COUNTED = (Outcome.USED, Outcome.IGNORED, Outcome.CORRECTED)
_COLUMNS = [column for column in usefulness.c if column.name != "user"]
_DROP = delete(usefulness).where(
    usefulness.c.user == bindparam("whose"), usefulness.c.key == bindparam("which")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The counts of one memory, and how far its confidence follows them already."""

    key: str
    counts: Counts
    fed_used: int = 0
    fed_corrected: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """What is known now of one version of a memory in one turn, and what was known before."""

    key: str
    memory: str
    before: Outcome | None
    after: Outcome


def of_keys(connection: Connection, *, user: str, keys: Collection[str]) -> dict[str, Tally]:
    """What came of these memories in the user's turns, by key; nothing came of the others."""
    if not keys:
        return {}
    return {
        row[0]: _tally(row)
        for row in _of(checked_id(user, what="user")).run(connection, sorted(keys))
    }


def unfed(connection: Connection, *, user: str, uses: int) -> list[Tally]:
    """What the user's turns tell beyond what confidences follow already, by key.

    Of what was used those that were used at least `uses` times.
    """
    table = usefulness.c
    used = (table.used >= uses) & (table.used > table.fed_used)
    mine = (table.user == user) & (used | (table.corrected > table.fed_corrected))
    found = connection.execute(select(*_COLUMNS).where(mine).order_by(table.key))
    return [_tally(row) for row in found]


@lru_cache(maxsize=1_024)
def _of(user: str) -> Prepared:
    wanted = sqlite.listed()
    mine = (usefulness.c.key == wanted.c.value) & (usefulness.c.user == user)
    return Prepared(select(*_COLUMNS).select_from(wanted.join(usefulness, mine)))


def _tally(row: Sequence[Any]) -> Tally:
    key, used, ignored, corrected, wrong, fed_used, fed_corrected = row
    return Tally(
        key=key,
        counts=Counts(used=used, ignored=ignored, corrected=corrected, wrong=wrong),
        fed_used=fed_used,
        fed_corrected=fed_corrected,
    )


def count_in(connection: Connection, found: Iterable[Turned], *, user: str) -> None:
    """Bring the counts up to what is known now."""
    by_key: dict[str, list[Turned]] = {}
    for one in found:
        if one.before is not one.after:
            by_key.setdefault(one.key, []).append(one)
    known = of_keys(connection, user=user, keys=by_key)
    made = [
        _turned(known.get(key) or Tally(key=key, counts=NOTHING), turned)
        for key, turned in by_key.items()
    ]
    _write(connection, made, user=user)


def _turned(tally: Tally, found: Sequence[Turned]) -> Tally:
    for one in found:
        tally = _moved(_moved(tally, one, one.before, -1), one, one.after, +1)
    return tally


def _moved(tally: Tally, one: Turned, outcome: Outcome | None, by: int) -> Tally:
    counts = tally.counts
    if outcome is Outcome.USED:
        return replace(tally, counts=replace(counts, used=max(0, counts.used + by)))
    if outcome is Outcome.IGNORED:
        return replace(tally, counts=replace(counts, ignored=max(0, counts.ignored + by)))
    if outcome is not Outcome.CORRECTED:
        return tally
    if counts.wrong == one.memory:
        return replace(tally, counts=replace(counts, corrected=max(0, counts.corrected + by)))
    fresh = replace(counts, corrected=max(0, by), wrong=one.memory)  # another version is wrong now
    return replace(tally, counts=fresh, fed_corrected=0)


def recount(connection: Connection, *, user: str, keys: Collection[str]) -> None:
    """Count these memories anew from the log; their confidence counts as moved already.

    For logs that came or went other than turn by turn: what an import brought has moved the
    confidences that came with it.
    """
    ordered = sorted(keys)
    for start in range(0, len(ordered), PAGE):
        page = ordered[start : start + PAGE]
        counted = _counted(connection, user, page)
        mine = (usefulness.c.user == user) & usefulness.c.key.in_(page)
        connection.execute(delete(usefulness).where(mine))
        settled = [
            Tally(key=key, counts=one, fed_used=one.used, fed_corrected=one.corrected)
            for key, one in counted.items()
        ]
        _write(connection, settled, user=user)


def _counted(connection: Connection, user: str, keys: Sequence[str]) -> dict[str, Counts]:
    """What the log says of memories; of several versions that were wrong the newest."""
    logged = (
        select(memories.c.key, recalls.c.memory, recalls.c.outcome, func.count())
        .join(recalls, recalls.c.memory == memories.c.id)
        .join(turns, turns.c.id == recalls.c.turn)
        .where(memories.c.key.in_(keys), turns.c.user == user, recalls.c.outcome.in_(_COUNTED))
        .group_by(memories.c.seq, recalls.c.outcome)
        .order_by(memories.c.seq)
    )
    found: dict[str, Counts] = {}
    for key, memory, outcome, number in connection.execute(logged):
        counts = found.get(key, NOTHING)
        if outcome == Outcome.USED:
            counts = replace(counts, used=counts.used + number)
        elif outcome == Outcome.IGNORED:
            counts = replace(counts, ignored=counts.ignored + number)
        else:
            counts = replace(counts, corrected=number, wrong=memory)
        found[key] = counts
    return found


def _write(connection: Connection, found: Sequence[Tally], *, user: str) -> None:
    """Put these in the place of what was counted before."""
    if not found:
        return
    connection.execute(_DROP, [{"whose": user, "which": one.key} for one in found])
    rows = [
        {
            "user": user,
            "key": one.key,
            "used": one.counts.used,
            "ignored": one.counts.ignored,
            "corrected": one.counts.corrected,
            "wrong": one.counts.wrong,
            "fed_used": one.fed_used,
            "fed_corrected": one.fed_corrected,
        }
        for one in found
    ]
    connection.execute(insert(usefulness), rows)


def mark_fed(journal: Journal, memory: Memory, tally: Tally, *, reason: str) -> None:
    """Note that the confidence of `memory` follows `tally` now; undo puts back what it followed."""
    mine = (usefulness.c.user == journal.user) & (usefulness.c.key == tally.key)
    journal.connection.execute(
        update(usefulness)
        .where(mine)
        .values(fed_used=tally.counts.used, fed_corrected=tally.counts.corrected)
    )
    before = (tally.key, str(tally.fed_used), str(tally.fed_corrected))
    events.record(
        journal.connection,
        at=journal.at,
        kind=FED,
        user=journal.user,
        reason=reason,
        memory=memory.id,
        run=journal.run,
        detail=tuple(zip(_BEFORE, before, strict=True)),
    )


def put_back(connection: Connection, event: Event) -> None:
    """Let the counts that an event of `FED` marked wait to be followed again."""
    before = dict(event.detail)
    mine = (usefulness.c.user == event.user) & (usefulness.c.key == before["key"])
    connection.execute(
        update(usefulness)
        .where(mine)
        .values(fed_used=int(before["fed_used"]), fed_corrected=int(before["fed_corrected"]))
    )


def keys_of(connection: Connection, ids: Collection[str]) -> set[str]:
    """The keys of these versions."""
    ordered = sorted(ids)
    found: set[str] = set()
    for start in range(0, len(ordered), PAGE):
        page = memories.c.id.in_(ordered[start : start + PAGE])
        found.update(connection.execute(select(memories.c.key).where(page)).scalars())
    return found
