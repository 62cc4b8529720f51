"""Lines of conversations are ranked with what stands around them, who said them, and when."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.gate import take_in
from stratal_memory.recall.recall import ranking, recall, search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.recall.updates import asks_for_a_number
from stratal_memory.records import Form
from stratal_memory.store import Store
from tests.memory.worlds import World, begin, say

SETTINGS = RecallSettings()
CHATTER = (
    "The garden needs water again.",
    "My train was late this morning.",
    "We should repaint the kitchen.",
    "The neighbours have a new drum kit.",
)


@pytest.fixture(params=["words alone", "hashing"])
def store(world: World, request: pytest.FixtureRequest) -> Store:
    return world.store(embedder=HashEmbedder() if request.param == "hashing" else None)


def talk(store: Store, *said: str) -> None:
    session = begin(store)
    for text in said:
        take_in(store, session, say(store, session, text))


def ranked(store: Store, question: str) -> list[str]:
    found = ranking(store, question, settings=SETTINGS, forms=(Form.MESSAGE,))
    return [one.memory.text for one in found]


def test_an_answer_that_shares_no_word_is_found_below_its_question(store: Store) -> None:
    talk(store, *CHATTER, "Tom: Who taught you the oboe?", "Ida: My aunt Greta, in Bergen.")
    talk(store, *CHATTER)

    best = ranked(store, "Who taught Ida the oboe?")

    assert best[0] == "Ida: My aunt Greta, in Bergen."


def test_the_one_who_is_named_is_believed_about_themselves(store: Store) -> None:
    talk(store, "Ida: I bought a red bicycle.", "Tom: Nice!", *CHATTER)
    talk(store, "Tom: I bought a blue bicycle.", "Ida: Nice!", *CHATTER)

    assert ranked(store, "Which bicycle did Ida buy?")[0] == "Ida: I bought a red bicycle."
    assert ranked(store, "Which bicycle did Tom buy?")[0] == "Tom: I bought a blue bicycle."


def test_the_time_that_is_named_decides_between_like_lines(world: World, store: Store) -> None:
    world.clock.now = world.clock.now.replace(year=2023, month=4, day=10)
    talk(store, "We baked bread for the fair.")
    world.clock.now = world.clock.now.replace(month=9)
    talk(store, "We baked bread for the fair again.")

    assert ranked(store, "What did we bake in April 2023?")[0] == "We baked bread for the fair."
    assert ranked(store, "What did we bake in September 2023?")[0].endswith("again.")


def test_the_latest_of_two_numbers_comes_first(world: World, store: Store) -> None:
    talk(store, "My book budget is 40 euros.", *CHATTER)
    world.clock.pass_(days=40)
    talk(store, "My book budget is 55 euros.", *CHATTER)

    assert ranked(store, "How much is my book budget?")[0] == "My book budget is 55 euros."


@pytest.mark.parametrize(
    ("question", "now"),
    [
        ("How many sources are in my library?", True),
        ("When is my session with the consultant?", True),
        ("What is the average response time?", True),
        ("How many cakes did we bake?", False),
        ("How much was the rent before the move?", False),
        ("Who sold a violin?", False),
    ],
)
def test_only_numbers_as_they_are_now_have_a_latest(question: str, now: bool) -> None:
    assert asks_for_a_number(question) is now


def test_what_the_assistant_said_is_asked_for_by_name(store: Store) -> None:
    session = begin(store)
    take_in(
        store,
        session,
        say(
            store,
            session,
            "I need something to read about lighthouses.",
            "A fine novel about lighthouses is The Keeper of Storms.",
        ),
    )

    def first(question: str) -> str:
        return ranked(store, question)[0]

    assert first("What about lighthouses did I need to read?").startswith("I need")
    assert first("Which novel about lighthouses did you recommend?").startswith("A fine novel")


def test_no_line_of_another_user_is_a_neighbour(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    sessions = {one.user: begin(one) for one in (alice, bob)}
    for text in ("Who taught you the oboe?", "It was my aunt Greta."):
        for one in (alice, bob):
            session = sessions[one.user]
            take_in(one, session, say(one, session, f"{one.user}: {text}"))

    for one in (alice, bob):
        found = ranked(one, "Who taught you the oboe?")
        assert found
        assert all(text.startswith(one.user) for text in found)


def test_every_part_of_a_score_is_there(store: Store) -> None:
    talk(store, "Ida: I bought a red bicycle.")

    (best, *_) = search(store, "Which bicycle did Ida buy?", settings=SETTINGS, gate=False)

    names = [one.name for one in best.signals]
    assert {"meaning", "words", "speaker", "date"} <= set(names) or names == ["cosine", "words"]
    assert 0.9 <= best.factors.recency <= 1.1
    assert 0.95 <= best.factors.evidence <= 1.05


def test_what_lay_just_below_the_gate_is_counted(store: Store) -> None:
    talk(store, *CHATTER)

    found = recall(store, "garden hose pressure valve", settings=SETTINGS, count=len, nonce="n1")

    told = [one for one in found.candidates if one.reason.startswith("just below")]
    assert found.just_below == len(told)


def test_old_lines_weigh_less_than_new_ones_and_never_by_more_than_a_tenth(world: World) -> None:
    store = world.store()
    talk(store, "The oboe lesson was long.")
    world.clock.pass_(days=3_000)
    talk(store, "The oboe lesson was short.")

    found = search(store, "oboe lesson", settings=SETTINGS, forms=(Form.MESSAGE,))

    factors: Sequence[float] = [one.factors.recency for one in found]
    assert next(one.memory.text for one in found).endswith("short.")
    assert factors == pytest.approx([1.1, 0.9], abs=0.001)
    assert timedelta(0) < found[0].memory.valid_from - found[1].memory.valid_from
