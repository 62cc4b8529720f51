"""Which attribute of themselves a person asks for, and what recall makes of it."""

from datetime import timedelta

import pytest

from stratal_memory.attributes.catalogue import BY_NAME
from stratal_memory.attributes.reader import Reader
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.gate import take_in
from stratal_memory.recall.recall import Recollection, recall
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.recall.wanted import BEST, Wanted, wanted
from stratal_memory.records import Form
from stratal_memory.store import Store
from tests.memory.worlds import World, begin, say


def asked(store: Store, text: str, *, plain_cosine: bool = False) -> Recollection:
    settings = RecallSettings(plain_cosine=plain_cosine)
    return recall(store, text, settings=settings, count=len, nonce="n")


def shown(found: Recollection) -> str:
    return " | ".join(one.memory.text for one in found.candidates if one.is_in)


def told(world: World, minilm: Embedder, *texts: str, scan_limit: int = 30_000) -> Store:
    store = world.store(embedder=minilm, scan_limit=scan_limit)
    for text in texts:
        session = begin(store)
        take_in(store, session, say(store, session, text))
        world.clock.pass_(days=1)
    return store


OTHERS = ("the tram was late again", "what a film that was", "it snowed on the hills")


@pytest.mark.parametrize("scan_limit", [30_000, 1])
def test_a_line_that_shares_no_word_with_the_question_answers_it(
    world: World, minilm: Embedder, scan_limit: int
) -> None:
    said = "settled in nicely, Ghent is where we are for good now"
    store = told(world, minilm, said, *OTHERS, scan_limit=scan_limit)
    assert "Ghent" in shown(asked(store, "what city do I live in these days?"))


def test_a_question_about_the_past_asks_for_no_attribute_of_today(
    world: World, minilm: Embedder
) -> None:
    store = told(world, minilm, "I live in Leeds.", "I moved to Ghent.")
    assert "Leeds" in shown(asked(store, "what city did I live in before?"))


def test_of_two_facts_the_later_one_tells_it(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, "my car is a Fiat Panda", "I drive a Nissan Leaf")
    found = shown(asked(store, "which car do I have?"))
    assert "Leaf" in found
    assert "Panda" not in found


def test_a_later_colleague_hides_neither_boss_nor_employer(world: World, minilm: Embedder) -> None:
    store = told(
        world, minilm, "I work at Arup.", "My boss is Olaf.", "My new colleague is called Emre."
    )
    assert "Arup" in shown(asked(store, "Who do I work for?"))
    assert "Olaf" in shown(asked(store, "Who's my boss right now?"))


def test_a_trip_that_is_over_is_found_when_it_is_asked_for(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, "heading off to Lisbon on 25 November with Katrin, flights booked")
    world.clock.now += timedelta(days=60)
    assert "Lisbon" in shown(asked(store, "When did I fly to Lisbon?"))


def test_a_line_with_the_questions_own_word_stays_beside_the_answer(
    world: World, minilm: Embedder
) -> None:
    store = told(
        world, minilm, "The landlady in Halle was called Degenhardt", "my landlord is Mr Ostermann"
    )
    found = shown(asked(store, "who is my landlady in Halle?"))
    assert "Degenhardt" in found


def test_home_these_days_is_ones_own(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, "Ghent is home now and we love it", *OTHERS)
    assert "Ghent" in shown(asked(store, "where's home these days?"))


def test_a_plan_whose_day_has_passed_is_no_plan(world: World, minilm: Embedder) -> None:
    store = told(world, minilm, "heading off to Iceland on 14 February, flights are booked")
    world.clock.now += timedelta(days=400)
    found = asked(store, "where am I travelling next?")
    assert "Iceland" not in " ".join(
        one.memory.text for one in found.candidates if one.is_in and one.memory.form is Form.MESSAGE
    )


@pytest.mark.parametrize(
    "text",
    [
        "how many cities have I lived in?",
        "summarise my project",
        "suggest a car for me",
        "what did I say about my job when we talked about the long trip to Peru last summer?",
        "how do I boil an egg?",
        "what is the capital of Peru?",
        "who does Ana report to?",
        "",
    ],
)
def test_what_asks_nothing_of_the_user_wants_no_attribute(minilm: Embedder, text: str) -> None:
    found = wanted(minilm, text, minilm.embed([text])[0])
    assert found is None or not found.surely


@pytest.mark.parametrize(
    "text",
    [
        "where does my sister live?",
        "what is my brother's job?",
        "which city is my best friend in? I mean where did my friend move?",
        "what should I cook for my boss?",
        "what car does my neighbour drive?",
    ],
)
def test_a_question_about_somebody_else_asks_nothing_of_the_users_own(
    minilm: Embedder, text: str
) -> None:
    found = wanted(minilm, text, minilm.embed([text])[0])
    names = [one.name for one in found.attributes] if found else []
    assert not {"city", "job", "car", "favourite_food", "moving", "diet"} & set(names)


def test_a_persons_own_name_is_asked_for(minilm: Embedder) -> None:
    text = "what is my sister called?"
    found = wanted(minilm, text, minilm.embed([text])[0])
    assert found is not None
    assert found.attributes[0].name == "siblings"


def test_without_a_fitting_model_nothing_is_wanted() -> None:
    other = HashEmbedder()
    question = "who do I report to?"
    assert wanted(other, question, other.embed([question])[0]) is None
    assert wanted(None, question, None) is None


def test_the_plain_rankings_of_the_products_know_no_attributes(
    world: World, minilm: Embedder
) -> None:
    said = "we finally unpacked, Ghent is where our furniture stands"
    store = told(world, minilm, said, *OTHERS)
    found = asked(store, "what city do I live in these days?", plain_cosine=True)
    assert {one.tells for one in found.candidates} <= {0.0}


def test_where_no_line_surely_tells_the_best_few_may(reader: Reader) -> None:
    one = Wanted(attributes=(BY_NAME["city"],), sure=0.9, reader=reader)
    weak = {seq: 0.05 + seq / 1000 for seq in range(10)}
    assert one.telling({1: 0.3, 2: 0.05}) == {1: 0.3}
    assert sorted(one.telling(weak)) == [9 - n for n in range(BEST)][::-1]
    assert one.telling({1: 0.9, **dict.fromkeys(range(2, 9), 0.1)}) == {1: 0.9}
    assert one.telling({1: 0.001}) == {}
    assert one.telling({}) == {}
