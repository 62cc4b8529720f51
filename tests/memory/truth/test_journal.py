"""Every change is an event with its reason, and a run can be taken back to the same bytes."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import NotFound, UndoRefused
from stratal_memory.learning.resolution import resolve
from stratal_memory.records import Evidence, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import events, outbox, runs, sqlite
from stratal_memory.truth.journal import ADDED, CLOSED, REINFORCED, Journal
from stratal_memory.truth.schema import memories as table
from tests.memory.worlds import World, begin, export, memory, opened, say, statement


def run_of(store: Store, journal: Journal) -> Journal:
    """The same journal as part of a new run."""
    run = runs.start(journal.connection, kind="a test", user=store.user, at=journal.at)
    return Journal(
        connection=journal.connection,
        user=journal.user,
        at=journal.at,
        run=run,
        generation=journal.generation,
    )


def test_every_change_leaves_an_event_with_its_reason(world: World) -> None:
    store = world.store()
    with store.write() as journal:
        made = memory("The user likes tea.", at=journal.at)
        journal.add(made, reason="said so")
        journal.reinforce(made, confidence=0.95, seen=[Evidence(ref="m2")], reason="again")
        journal.close(made, status=Status.RETRACTED, reason="no more")
        journal.note("candidate.refused", reason="too short", detail=(("text", "x"),))

    with store.read() as connection:
        newest = events.of_user(connection, "alice")
        of_key = events.of_key(connection, made.key, user="alice")

    assert [(event.kind, event.reason) for event in reversed(newest)] == [
        (ADDED, "said so"),
        (REINFORCED, "again"),
        (CLOSED, "no more"),
        ("candidate.refused", "too short"),
    ]
    assert [event.kind for event in of_key] == [ADDED, REINFORCED, CLOSED]
    assert newest[0].detail == (("text", "x"),)


def test_undo_restores_the_same_bytes(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    Facts(store).add("The user likes tea.")
    Facts(store).add("The user lives in Lisbon.")
    before = export(world.database)

    with store.write() as opened_journal:
        journal = run_of(store, opened_journal)
        tea, lisbon = Facts(store).known()[::-1]
        journal.reinforce(tea, confidence=0.95, seen=[Evidence(ref="m2")], reason="again")
        journal.close(lisbon, status=Status.SUPERSEDED, reason="moved", valid_to=journal.at)
        row = HashEmbedder().embed(["Porto"])[0]
        journal.add(memory("The user lives in Porto.", at=journal.at), reason="new", vector=row)
    changed = export(world.database)
    undone = undo_run(store, journal.run)

    assert changed != before
    assert export(world.database) == before
    assert [event.kind for event in undone] == [REINFORCED, CLOSED, ADDED]


def test_what_undo_brings_back_is_found_again(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    made = Facts(store).add("The user plays the oboe.").memory
    with store.write() as opened_journal:
        journal = run_of(store, opened_journal)
        journal.close(made, status=Status.SUPERSEDED, reason="a test")

    undo_run(store, journal.run)

    with store.read() as connection:
        terms = sqlite.query_terms(connection, "oboe")
        hits = sqlite.search_text(connection, query=terms, scopes=store.reach.scopes, limit=5)
        waiting = outbox.pending(connection, generation=store.generation, limit=10)
    assert len(hits) == 1
    assert waiting[-1].operation == outbox.UPSERT


def test_undo_is_refused_where_later_writes_touched_the_same(world: World) -> None:
    store = world.store()
    made = Facts(store).add("The user likes tea.").memory
    with store.write() as opened_journal:
        journal = run_of(store, opened_journal)
        journal.reinforce(made, confidence=0.95, seen=[Evidence(ref="m2")], reason="a run")
    Facts(store).add("The user likes tea.")
    before = export(world.database)

    with pytest.raises(UndoRefused, match="1 of its 1 memories") as refused:
        undo_run(store, journal.run)

    assert refused.value.keys == (made.key,)
    assert export(world.database) == before


def test_runs_are_undone_like_a_stack(world: World) -> None:
    store = world.store()
    made = Facts(store).add("The user likes tea.").memory
    states = [export(world.database)]
    done: list[str] = []
    for number in (2, 3):
        with store.write() as opened_journal:
            journal = run_of(store, opened_journal)
            seen = [Evidence(ref=f"m{number}")]
            journal.reinforce(Facts(store).known()[0], confidence=0.9, seen=seen, reason="a run")
        done.append(journal.run)
        states.append(export(world.database))

    with pytest.raises(UndoRefused) as refused:
        undo_run(store, done[0])
    undo_run(store, done[1])
    assert export(world.database) == states[1]
    undo_run(store, done[0])
    assert export(world.database) == states[0]

    assert refused.value.keys == (made.key,)


def test_a_run_is_undone_once_and_by_its_user_only(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    Facts(alice).add("The user likes tea.")
    run = consolidate(alice).run

    with pytest.raises(NotFound, match="is not one of yours"):
        undo_run(bob, run)
    undo_run(alice, run)
    with pytest.raises(NotFound, match="was undone already"):
        undo_run(alice, run)


WORDS = st.sampled_from(["Lisbon", "Porto", "Berlin"])
STATED = st.tuples(
    st.sampled_from(["home", "pet", ""]),
    WORDS,
    st.booleans(),  # retracts
    st.booleans(),  # corrects
)
SPOKEN = st.sampled_from(["I moved to Lisbon.", "I like tea.", "We met Eva.", "Hm.", "Why?"])


@settings(max_examples=15, deadline=None)
@given(st.lists(STATED, max_size=6), st.lists(SPOKEN, max_size=3), st.lists(STATED, max_size=2))
def test_undoing_any_consolidation_restores_the_state(
    stated: list[tuple[str, str, bool, bool]],
    spoken: list[str],
    beside: list[tuple[str, str, bool, bool]],
) -> None:
    with TemporaryDirectory() as folder:
        world = opened(Path(folder))
        store = world.store(embedder=HashEmbedder())
        _state(world, store, stated)
        session = begin(store)
        for text in spoken:
            say(store, session, text)
        first = consolidate(store).run
        undo_run(store, first)
        before = export(world.database)

        run = consolidate(store).run
        undo_run(store, run)

        assert export(world.database) == before
        _state(world, store, beside)  # and life goes on
        consolidate(store)
        with store.read() as connection:
            open_rows = connection.execute(
                select(table.c.key).where(table.c.status == Status.ACTIVE)
            ).scalars()
            keys = list(open_rows)
        assert len(keys) == len(set(keys))
        world.close()


def _state(world: World, store: Store, stated: list[tuple[str, str, bool, bool]]) -> None:
    for facet, word, retracts, correction in stated:
        with store.write() as journal:
            said = statement(
                f"{facet} {word} {'no more' if retracts else ''}",
                at=world.clock(),
                facet=facet,
                value=word if facet else "",
                single_valued=facet == "home",
                retracts=retracts and bool(facet),
                correction=correction and bool(facet),
            )
            resolve(journal, said, vector=None)
