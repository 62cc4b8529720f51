"""What contests each other is told together, with both dates, and is called contested."""

from datetime import UTC, datetime

import pytest

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.resolution import resolve
from stratal_memory.recall.contested import together
from stratal_memory.recall.recall import Recollection, recall, search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Status
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from tests.memory.recall.making import candidate
from tests.memory.worlds import World, statement, texts

MARCH, MAY, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 7))


def dispute(store: Store, first: str, second: str) -> None:
    """As recent and as trusted: neither wins."""
    for value in (first, second):
        said = statement(
            f"The user's dentist is Dr. {value} in the old harbour street.",
            at=MAY,
            facet="dentist",
            value=value,
            single_valued=True,
        )
        with store.write() as journal:
            resolve(journal, said, vector=store.embed([said.text])[0])


def asked(store: Store, text: str, settings: RecallSettings | None = None) -> Recollection:
    return recall(store, text, settings=settings or RecallSettings(), count=len, nonce="n1")


def lines(found: Recollection) -> list[str]:
    return [item.text for item in found.blocks[0].items]


@pytest.fixture(params=["words alone", "hashing"])
def store(world: World, request: pytest.FixtureRequest) -> Store:
    return world.store(embedder=HashEmbedder() if request.param == "hashing" else None)


def test_both_sides_are_shown_with_their_dates_and_called_contested(store: Store) -> None:
    dispute(store, "Berg", "Tal")
    told = store.clock().date()

    found = lines(asked(store, "Is my dentist Dr. Berg?"))

    assert sorted(found) == [
        f"- {told}, true from 2026-05-01, contested (user, a test): "
        "The user's dentist is Dr. Berg in the old harbour street.",
        f"- {told}, true from 2026-05-01, contested (user, a test): "
        "The user's dentist is Dr. Tal in the old harbour street.",
    ]


def test_a_rival_the_gate_cut_comes_in_beside_the_one_that_passed(world: World) -> None:
    store = world.store()
    dispute(store, "Berg", "Tal")

    found = search(store, "Berg", settings=RecallSettings())

    assert [one.memory.value for one in found] == ["Berg", "Tal"]
    assert found[1].reason == f"contests {found[0].memory.id}"


def test_nothing_comes_in_when_neither_side_fits(store: Store) -> None:
    dispute(store, "Berg", "Tal")

    assert lines(asked(store, "xyzzy plugh")) == []


def test_a_settled_dispute_is_told_as_one_fact(store: Store) -> None:
    dispute(store, "Berg", "Tal")
    [loser] = [one for one in Facts(store).known() if one.value == "Tal"]

    Editing(store).forget(loser.id)

    [line] = lines(asked(store, "Is my dentist Dr. Berg?"))
    assert "contested" not in line


def test_the_sides_of_a_dispute_stand_together() -> None:
    first, between, second = (
        candidate("one", key="k"),
        candidate("another matter"),
        candidate("two", key="k"),
    )
    for one in (first, second):
        object.__setattr__(one.memory, "status", Status.CONTESTED)

    assert together([first, between, second]) == [first, second, between]


def test_what_is_over_is_shown_for_the_past_with_its_interval(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    for value, at in (("Berg", MARCH), ("Tal", JULY)):
        said = statement(
            f"The user's dentist is Dr. {value}.",
            at=at,
            facet="dentist",
            value=value,
            single_valued=True,
        )
        with store.write() as journal:
            resolve(journal, said, vector=store.embed([said.text])[0])

    now = lines(asked(store, "Who is the user's dentist?"))
    past = lines(asked(store, "Who was the user's dentist before?"))

    assert [line.partition(": ")[2] for line in now] == ["The user's dentist is Dr. Tal."]
    [over] = [line for line in past if "Berg" in line]
    assert ", true from 2026-03-01 until 2026-07-01 (" in over


def test_what_was_corrected_by_hand_is_not_told_even_of_the_past(store: Store) -> None:
    made = Facts(store).add("The user's dentist is Dr. Borg.").memory
    Editing(store).edit(made.id, "The user's dentist is Dr. Berg.")

    found = search(store, "Who was the user's dentist before?", settings=RecallSettings())

    assert texts([one.memory for one in found]) == ["The user's dentist is Dr. Berg."]
