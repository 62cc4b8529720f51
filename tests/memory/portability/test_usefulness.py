"""The log of what came of memories goes out and comes in; the counts are made of it."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from stratal_memory.consolidation.usefulness import feeds
from stratal_memory.outcomes import Counts, Decided, Outcome
from stratal_memory.portability.export import export
from stratal_memory.portability.reading import lines
from stratal_memory.portability.report import Imported
from stratal_memory.portability.restoring import restore
from stratal_memory.records import Memory
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import recalls, usefulness
from tests.memory.worlds import World, begin, opened, say, turns_of


def talked(world: World) -> tuple[Store, Memory]:
    """A fact that was used twice and called wrong once; its confidence has not followed."""
    store = world.store()
    fact = Facts(store).add("I live in Lisbon.").memory
    session = begin(store)
    for outcome in (Outcome.USED, Outcome.USED, Outcome.CORRECTED):
        say(store, session, "Hm", "Well")
        turn = turns_of(store, session)[-1]
        with store.write() as journal:
            recalls.keep_recalls(journal.connection, turn, [(fact.id, 0.5)])
            decided = [Decided(memory=fact.id, outcome=outcome, overlap=0.75)]
            recalls.decide(journal.connection, turn, decided, at=journal.at)
    return store, fact


def taken(store: Store, text: str, *, dry_run: bool = False) -> Imported:
    return restore(store, lines(BytesIO(text.encode())), dry_run=dry_run)


def counts(store: Store, fact: Memory) -> Counts | None:
    with store.read() as connection:
        found = usefulness.of_keys(connection, user=store.user, keys=[fact.key])
    return found[fact.key].counts if found else None


def test_what_came_of_memories_is_known_after_an_import(world: World, tmp_path: Path) -> None:
    store, fact = talked(world)
    text = "".join(export(store))
    other = opened(tmp_path / "other")
    mine = other.store("alice")

    taken(mine, text, dry_run=True)
    assert counts(mine, fact) is None

    report = taken(mine, text)
    assert report.refused == 0
    assert "".join(export(mine)) == text
    assert counts(mine, fact) == Counts(used=2, corrected=1, wrong=fact.id)
    with mine.read() as connection:
        assert feeds(mine, connection) == []  # the confidence that came along has followed
    other.close()


def _recall(text: str, **changed: object) -> str:
    rows = [json.loads(line) for line in text.splitlines()]
    return "".join(
        json.dumps({**row, **changed} if row["record"] == "recall" else row) + "\n" for row in rows
    )


def test_a_log_of_before_is_taken_in_without_outcomes(world: World, tmp_path: Path) -> None:
    store, fact = talked(world)
    rows = [json.loads(line) for line in "".join(export(store)).splitlines()]
    for row in rows:
        if row["record"] == "recall":
            del row["outcome"], row["overlap"], row["decided_at"]
    other = opened(tmp_path / "other")
    mine = other.store("alice")

    assert taken(mine, "".join(json.dumps(row) + "\n" for row in rows)).refused == 0
    assert counts(mine, fact) is None
    other.close()


@pytest.mark.parametrize(
    "forged", [{"outcome": "adored"}, {"outcome": 1}, {"overlap": "all"}, {"decided_at": "soon"}]
)
def test_a_forged_line_of_the_log_is_refused(
    world: World, tmp_path: Path, forged: dict[str, object]
) -> None:
    store, fact = talked(world)
    other = opened(tmp_path / "other")
    mine = other.store("alice")

    assert taken(mine, _recall("".join(export(store)), **forged)).refused == 3
    assert counts(mine, fact) is None
    other.close()


def test_a_log_of_mine_counts_nothing_of_anybody_else(world: World, tmp_path: Path) -> None:
    # covers I3
    other = opened(tmp_path / "other")
    alice = other.store("alice")
    hers = Facts(alice).add("I live in Lisbon.").memory
    store, _ = talked(world)
    text = "".join(export(store)).replace('"user":"alice"', '"user":"bob"')
    forged = _recall(text, memory=hers.id)
    bob = other.store("bob")

    taken(bob, forged.replace('"scope_id":"alice"', '"scope_id":"bob"'))

    assert counts(alice, hers) is None
    other.close()
