"""Episodes become facts: what no rule read is noticed when the night tells a conversation."""

from stratal_memory.consolidation.night import Model
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.learning.gate import take_in
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from tests.memory.worlds import World, begin, say

SHOES = "found boots at last, my feet are a 43 these days"


def told(world: World, minilm: Embedder, *texts: str) -> Store:
    store = world.store(embedder=minilm)
    session = begin(store)
    for text in texts:
        take_in(store, session, say(store, session, text, "Noted."))
    world.clock.pass_(days=1)
    return store


def noticed(store: Store) -> list[Memory]:
    where = visible(store.reach, forms=(Form.FACT,), statuses=(Status.ACTIVE, Status.PROVISIONAL))
    with store.read() as connection:
        found = memories.select_memories(connection, where)
    return [one for one in found if one.facet == "about.shoe_size"]


def test_what_no_rule_read_is_a_fact_after_the_night(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, SHOES)
    assert noticed(store) == []
    report = consolidate(store)
    [fact] = noticed(store)
    assert "43" in fact.value
    assert fact.evidence[0].quote in SHOES
    assert any("noticed" in change.reason for change in report.changes)


def test_a_message_is_noticed_once(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, SHOES)
    consolidate(store)
    world.clock.pass_(days=1)
    consolidate(store)
    [fact] = noticed(store)
    assert fact.support == 1


def test_undo_takes_it_back_and_the_next_night_notices_it_again(
    world: World, minilm: Embedder
) -> None:
    store = told(world, minilm, SHOES)
    report = consolidate(store)
    undo_run(store, report.run)
    assert noticed(store) == []
    world.clock.pass_(days=1)
    consolidate(store)
    assert len(noticed(store)) == 1


def test_a_preview_shows_what_would_be_noticed_and_writes_nothing(
    world: World, minilm: Embedder
) -> None:
    store = told(world, minilm, SHOES)
    report = consolidate(store, dry_run=True)
    assert any("43" in change.after and "noticed" in change.reason for change in report.changes)
    assert noticed(store) == []


def test_where_a_model_reads_nothing_is_noticed(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, SHOES)
    consolidate(store, model=Model(complete=lambda prompt: '{"facts": []}'))
    assert noticed(store) == []


def test_without_vectors_nothing_is_noticed(world: World) -> None:
    store = world.store()
    session = begin(store)
    take_in(store, session, say(store, session, SHOES))
    world.clock.pass_(days=1)
    consolidate(store)
    assert noticed(store) == []


def test_an_identifier_that_may_not_be_kept_makes_no_fact(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, "text me on 520-555-0148", "my mobile: 20 55 01 88")
    consolidate(store)
    every = [one.text + one.value for one in Facts(store).known()]
    assert not any("0148" in text or "55 01" in text for text in every)
