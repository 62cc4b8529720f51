"""Many facts at once: as one after the other, embedded together and written page by page."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import InputError
from stratal_memory.learning import remembering
from stratal_memory.learning.gate import take_in
from stratal_memory.learning.resolution import Action
from stratal_memory.records import Status, Trust, new_id
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, begin, say, texts


class Pages:
    """A hashing embedder that notes how many texts it was given at once, and fails on a word."""

    def __init__(self, *, fails_on: str = "") -> None:
        self._inner = HashEmbedder(64)
        self.generation = self._inner.generation
        self.sizes: list[int] = []
        self._fails_on = fails_on

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._fails_on and any(self._fails_on in text for text in texts):
            raise RuntimeError("out of memory")
        self.sizes.append(len(texts))
        return self._inner.embed(texts)


SAID = ["I live in Porto.", "The key is in the pot.", "I live in Lyon.", "The key is in the pot."]


def test_many_are_remembered_as_one_after_the_other(world: World) -> None:
    one, many = Facts(world.store("alice")), Facts(world.store("bob"))

    singly = [one.add(text) for text in SAID]
    together = many.add_all(SAID)

    assert [done.action for done in together] == [done.action for done in singly]
    assert together[3].action is Action.REINFORCED
    assert texts(many.known()) == texts(one.known())


def test_statements_that_meet_nothing_known_are_written_together(world: World) -> None:
    facts = Facts(world.store(embedder=HashEmbedder(64)))
    queries: list[str] = []
    note = lambda *asked: queries.append(asked[2])  # noqa: E731
    event.listen(world.database.engine, "before_cursor_execute", note)
    try:
        facts.add_all([f"crate {number} is full" for number in range(200)])
    finally:
        event.remove(world.database.engine, "before_cursor_execute", note)

    assert len(queries) < 200
    assert len(facts.known()) == 200


TOLD = st.sampled_from(
    [
        *("The key is in the pot.", "the key is in the pot", "Tea is hot.", "I live in Porto."),
        *("I live in Lyon.", "I don't live in Lyon any more.", "I like jazz.", "Tea is cold."),
    ]
)


@given(st.lists(TOLD, max_size=8))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_page_ends_as_its_statements_one_by_one_do(world: World, said: list[str]) -> None:
    one, many = (Facts(world.store(new_id("user"))) for _ in range(2))

    singly = [one.add(text) for text in said]
    together = many.add_all(said)

    assert [(done.action, done.reason.partition(" mem_")[0]) for done in together] == [
        (done.action, done.reason.partition(" mem_")[0]) for done in singly
    ]
    everything = tuple(Status)
    assert [
        (fact.text, fact.status, fact.confidence, fact.support, fact.version)
        for fact in many.known(statuses=everything)
    ] == [
        (fact.text, fact.status, fact.confidence, fact.support, fact.version)
        for fact in one.known(statuses=everything)
    ]


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (1, [1]), (3, [3]), (4, [3, 1]), (6, [3, 3])]
)
def test_a_page_is_embedded_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch, count: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(remembering, "TOGETHER", 3)  # patched: a page is some hundred
    embedder = Pages()
    facts = Facts(world.store(embedder=embedder))

    done = facts.add_all([f"fact number {number}" for number in range(count)])

    assert [one.memory.text for one in done] == [f"fact number {n}" for n in range(count)]
    assert embedder.sizes == sizes


def test_a_bad_one_is_refused_before_anything_is_written(world: World) -> None:
    facts = Facts(world.store())

    with pytest.raises(InputError, match="the text is empty"):
        facts.add_all(["tea is hot", " "])

    assert facts.known() == []


def test_pages_that_were_written_stay_when_a_later_one_fails(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembering, "TOGETHER", 2)  # patched: see above
    facts = Facts(world.store(embedder=Pages(fails_on="lantern")))
    said = ["my piano", "my kayak", "my lantern", "my anvil"]

    with pytest.raises(RuntimeError):
        facts.add_all(said)
    mended = Facts(world.store(embedder=Pages()))
    again = mended.add_all(said)

    assert [one.action for one in again[:2]] == [Action.REINFORCED] * 2
    assert texts(mended.known()) == ["my anvil", "my lantern", "my kayak", "my piano"]


def test_trust_and_source_hold_for_all(world: World) -> None:
    facts = Facts(world.store())

    done = facts.add_all(["tea is hot"], trust=Trust.TOOL, source="a kettle")

    assert (done[0].memory.trust, done[0].memory.source) == (Trust.TOOL, "a kettle")


def test_the_messages_of_an_exchange_are_embedded_together(world: World) -> None:
    embedder = Pages()
    store = world.store(embedder=embedder)
    session = begin(store)
    said = say(store, session, "I live in Porto.", "How nice.") + say(
        store, session, "I have a cat."
    )

    take_in(store, session, said)

    assert len(embedder.sizes) == 1
    assert embedder.sizes[0] > len(said)  # the messages, and what was learned of them
