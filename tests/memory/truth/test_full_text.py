"""Full text is checked against the memories and made anew from them."""

import pytest
from sqlalchemy import text

from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import full_text
from stratal_memory.truth.full_text import Drift
from tests.memory.worlds import World

NONE = Drift(missing=0, surplus=0)


def told(store: Store) -> None:
    """Live, superseded and forgotten facts of two people."""
    facts = Facts(store)
    for line in ("I live in Lisbon", "I live in Porto", "My sister is called Eva"):
        facts.add(line)
    Editing(store).forget(facts.add("The oboe is sold").memory.id)


def rows(store: Store) -> list[tuple[int, str, str]]:
    with store.read() as connection:
        found = connection.execute(text("SELECT rowid, owner, body FROM full_text ORDER BY rowid"))
        return [(row.rowid, row.owner, row.body) for row in found]


def drift(store: Store) -> Drift:
    with store.read() as connection:
        return full_text.drift(connection)


def rebuilt(store: Store) -> int:
    with store.write() as journal:
        return full_text.rebuild(journal.connection)


def test_what_was_written_in_order_has_no_drift(world: World) -> None:
    store = world.store()
    told(store)
    told(world.store("bob"))

    assert drift(store) == NONE


def test_made_anew_it_is_what_it_was_row_by_row(world: World) -> None:
    store = world.store()
    told(store)
    told(world.store("bob"))
    before = rows(store)

    assert rebuilt(store) == len(before)
    assert rows(store) == before


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        ("DELETE FROM full_text WHERE rowid = 1", Drift(missing=1, surplus=0)),
        ("DELETE FROM full_text", Drift(missing=4, surplus=0)),
        (
            "INSERT INTO full_text(rowid, owner, body) VALUES (999, 'o', 'odd')",
            Drift(missing=0, surplus=1),
        ),
    ],
)
def test_drift_is_counted_and_mended(world: World, spoil: str, found: Drift) -> None:
    store = world.store()
    told(store)
    with store.write() as journal:
        journal.connection.execute(text(spoil))

    assert drift(store) == found
    rebuilt(store)
    assert drift(store) == NONE
    [hit] = search(store, "Eva", settings=RecallSettings())
    assert hit.memory.text == "My sister is called Eva"


def test_more_than_a_page_is_made_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_text, "PAGE", 2)
    store = world.store()
    told(store)
    done: list[tuple[int, int]] = []

    with store.write() as journal:
        full_text.rebuild(journal.connection, lambda now, total: done.append((now, total)))

    assert done == [(2, 4), (4, 4)]
    assert drift(store) == NONE
