"""What people complain of in other systems (MEMORY, section 3), where versions answer it."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import StatementError

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import InputError
from stratal_memory.learning.resolution import Action, Statement, resolve
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Memory, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth import memories
from stratal_memory.truth.schema import memories as table
from tests.memory.worlds import World, begin, say, statement, texts

MARCH, MAY, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 7))
OPEN = RecallSettings(minimum_similarity=0.0)


def learn(store: Store, *said: Statement) -> list[Memory]:
    found: list[Memory] = []
    for one in said:
        vector = store.embed([one.text])[0]
        with store.write() as journal:
            found.append(resolve(journal, one, vector=vector).memory)
    return found


def city(name: str, at: datetime, *, trust: Trust = Trust.USER) -> Statement:
    return statement(
        f"The user lives in {name}.",
        at=at,
        facet="home",
        value=name,
        single_valued=True,
        trust=trust,
    )


def rows(store: Store) -> list[Memory]:
    with store.read() as connection:
        return memories.select_memories(connection, table.c.id != "")


def test_2_adding_again_does_not_delete_the_original(world: World) -> None:
    """mem0#1674."""
    facts = Facts(world.store())
    first = facts.add("My bicycle is red.").memory

    again = facts.add("My bicycle is red.")

    assert (again.action, again.memory.id) == (Action.REINFORCED, first.id)
    assert texts(facts.known()) == ["My bicycle is red."]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (city("Lisbon", MARCH), city("Porto", MAY)),
        (city("Porto", MAY), city("Lisbon", MARCH)),
        (city("Lisbon", MAY), city("Porto", MAY)),
        (city("Lisbon", MARCH), city("Porto", MAY, trust=Trust.WEB)),
        (city("Porto", MAY, trust=Trust.WEB), city("Lisbon", MARCH)),
    ],
)
def test_3_a_contradiction_loses_neither_fact(
    world: World, first: Statement, second: Statement
) -> None:
    """mem0#4536, #4580, #2709."""
    store = world.store()

    learn(store, first, second)

    kept = {(one.value, one.evidence[0].ref) for one in rows(store)}
    assert kept == {(one.value, one.evidence.ref) for one in (first, second)}
    assert Facts(store).known()  # and something of it stands


def test_3_a_contradiction_does_not_leave_both_live_for_ever(world: World) -> None:
    """oh-my-pi#12258, openclaw#95606."""
    store = world.store()

    learn(store, *(city(f"Town{day}", datetime(2026, 1, day, tzinfo=UTC)) for day in range(1, 20)))

    assert [(one.value, one.status) for one in Facts(store).known()] == [("Town19", Status.ACTIVE)]


def test_3_a_wrong_fact_does_not_outrank_its_correction(world: World) -> None:
    """symaira#556: 6.98 against 3.55."""
    store = world.store(embedder=HashEmbedder())
    wrong = [city("Lisbon", datetime(2026, 1, day, tzinfo=UTC)) for day in range(1, 10)]
    learn(store, *wrong, city("Porto", MAY))

    found = search(store, "Where does the user live?", settings=OPEN, gate=False)

    assert texts([one.memory for one in found]) == ["The user lives in Porto."]


def test_4_one_fact_is_retracted_by_every_id_that_is_shown(world: World) -> None:
    """hindsight#3509, openclaw#95606: forget needed ids that nothing showed."""
    store = world.store(embedder=HashEmbedder())
    for number, shown in enumerate(("list", "search", "history", "key")):
        made = Facts(store).add(f"The user owns {shown} number {number}.").memory
        names = {
            "list": Facts(store).known()[0].id,
            "search": search(store, made.text, settings=OPEN)[0].memory.id,
            "history": Versions(store).history(made.id).events[-1].memory,
            "key": Versions(store).history(made.id).versions[-1].key,
        }

        Editing(store).forget(names[shown])

        assert Facts(store).known() == []
        assert search(store, made.text, settings=OPEN) == []


def test_6_a_background_job_deletes_and_overwrites_nothing(world: World) -> None:
    """nowledge-mem#81, letta-code#417, #2185."""
    store = world.store(embedder=HashEmbedder())
    learn(store, city("Lisbon", MARCH), city("Porto", MAY))
    learn(store, *(statement("The user likes tea.", at=MAY) for _ in range(2)))
    say(store, begin(store), "We baked bread with rye and talked of Vienna.")
    before = {one.id: (one.text, one.evidence, one.valid_from) for one in rows(store)}

    consolidate(store)

    after = {one.id: (one.text, one.evidence, one.valid_from) for one in rows(store)}
    assert before.items() <= after.items()
    ended = [one for one in rows(store) if one.retired_at is not None]
    reasons = [event.reason for one in ended for event in Versions(store).history(one.key).events]
    assert all(reasons)


def test_6_an_update_is_not_lost_to_one_that_began_before_it(world: World) -> None:
    """odysseus#1940: a read, a model call of 120 s, and a write over what came between."""
    store = world.store()
    [old] = learn(store, city("Lisbon", MARCH))
    slow, quick = Editing(store), Editing(world.store())

    quick.edit(old.id, "The user lives in Porto.")
    with pytest.raises(InputError, match="is superseded"):
        slow.edit(old.id, "The user lives in Rome.")

    assert texts(Facts(store).known()) == ["The user lives in Porto."]


def test_8_what_is_saved_is_found_under_the_same_id(world: World) -> None:
    """kagent#1771: saved under one id and searched under another, so nothing was recalled."""
    store = world.store(embedder=HashEmbedder())

    saved = Facts(store).add("The user plays the oboe.").memory

    [found] = search(store, "oboe", settings=OPEN)
    assert found.memory.id == saved.id
    assert Facts(store).show(saved.id) == [saved]


def test_17_what_is_imported_late_is_dated_by_what_it_says(world: World) -> None:
    """mem0#4963, #5226: the day of the import stood for the day it was said."""
    store = world.store()
    learn(store, city("Porto", MAY))

    learn(store, city("Lisbon", MARCH))

    assert texts(Versions(store).as_of(datetime(2026, 4, 1, tzinfo=UTC))) == [
        "The user lives in Lisbon."
    ]
    assert texts(Facts(store).known()) == ["The user lives in Porto."]


def test_17_consolidation_and_repetition_do_not_make_it_younger(world: World) -> None:
    """deer-flow#3996: consolidation laundered age."""
    store = world.store(embedder=HashEmbedder())
    learn(store, statement("The user likes rye bread.", at=MARCH))
    learn(store, statement("the user likes rye bread", at=JULY))

    consolidate(store)

    assert [one.valid_from for one in Facts(store).known()] == [MARCH]


def test_17_a_time_without_a_zone_is_refused_and_not_guessed(world: World) -> None:
    """mnemosyne#156: a naive time crashed silently, and recall was empty."""
    store = world.store()

    with pytest.raises(StatementError, match="without a zone"):
        learn(store, city("Porto", datetime(2026, 5, 1)))

    assert rows(store) == []
