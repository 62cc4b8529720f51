"""Versions that contest each other are told together: half of a dispute reads like the truth."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.recall.sources import Source
from stratal_memory.recall.unasked import unasked
from stratal_memory.records import Memory, Status
from stratal_memory.truth import memories
from stratal_memory.truth.schema import memories as table


def with_rivals(
    connection: Connection,
    ranked: Sequence[Candidate],
    source: Source,
    *,
    settings: RecallSettings,
    now: datetime,
) -> list[Candidate]:
    """`ranked` with each version within `source` and that contests one which is in, beside it.

    A rival is in whatever the gate said of it.
    """
    keys = {one.memory.key: one.memory.id for one in ranked if _disputed(one)}
    if not keys:
        return list(ranked)
    contested = table.c.status == Status.CONTESTED
    found = memories.select_memories(
        connection, source.where & contested & table.c.key.in_(sorted(keys))
    )
    known = {one.memory.id: one for one in ranked}
    rivals = {
        memory.id: _rival(memory, known.get(memory.id), keys, settings=settings, now=now)
        for memory in found
    }
    there = [rivals.get(one.memory.id, one) for one in ranked]
    return together([*there, *(one for id, one in rivals.items() if id not in known)])


def together(ranked: Sequence[Candidate]) -> list[Candidate]:
    """`ranked` with what contests one that is in right behind it."""
    groups: dict[str, list[Candidate]] = {}
    for one in ranked:
        key = one.memory.key if _disputed(one) else one.memory.id
        groups.setdefault(key, []).append(one)
    return [one for group in groups.values() for one in group]


def _disputed(one: Candidate) -> bool:
    return one.is_in and one.memory.status is Status.CONTESTED


def _rival(
    memory: Memory,
    known: Candidate | None,
    keys: dict[str, str],
    *,
    settings: RecallSettings,
    now: datetime,
) -> Candidate:
    if known is not None and known.is_in:
        return known
    one = known or unasked(memory, settings=settings, now=now)
    return replace(one, verdict=Verdict.IN, reason=f"contests {keys[memory.key]}")
