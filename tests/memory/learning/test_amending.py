"""A message that puts right or takes back what the one before it said."""

from datetime import timedelta

import pytest

from stratal_memory.learning.gate import take_in
from stratal_memory.learning.rules.repairs import repair
from stratal_memory.records import Form, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, begin, say


def told(world: World, *texts: str, apart: timedelta = timedelta(minutes=1)) -> Store:
    store = world.store()
    session = begin(store)
    for text in texts:
        take_in(store, session, say(store, session, text, "Noted."))
        world.clock.now += apart
    return store


def values(store: Store) -> list[str]:
    return [one.value for one in Facts(store).known() if one.status is Status.ACTIVE]


@pytest.mark.parametrize(
    ("first", "then", "value"),
    [
        ("my sister is called Hanna", "*Hannah", "Hannah"),
        ("my boss is Karin", "Katrin*", "Katrin"),
        ("I live in Leeds", "I meant Leicester", "Leicester"),
        ("my shoe size is 43", "scratch that, 44", "44"),
        ("I work at Natwest", "no wait, it's Nationwide", "Nationwide"),
        ("my rent is 950", "*970", "970"),
        ("my dentist is Dr Lindqvist", "sorry, Dr Lundqvist, not Lindqvist", "Dr Lundqvist"),
        ("my bank is HSBC", "wait no its Barclays", "Barclays"),
    ],
)
def test_the_value_just_learned_is_replaced(
    world: World, first: str, then: str, value: str
) -> None:
    assert values(told(world, first, then)) == [value]


def test_the_wrong_value_never_was_true(world: World) -> None:
    store = told(world, "I live in Leeds", "I meant Leicester")

    wrong = next(
        one
        for one in Facts(store).known(forms=(Form.FACT,), statuses=tuple(Status))
        if one.value == "Leeds"
    )
    assert wrong.status is Status.SUPERSEDED
    assert wrong.valid_to == wrong.valid_from


@pytest.mark.parametrize("then", ["actually no, scratch that", "jk", "just kidding"])
def test_all_of_it_can_be_taken_back(world: World, then: str) -> None:
    assert values(told(world, "I moved to Porto", then)) == []


@pytest.mark.parametrize(
    "then",
    [
        "I meant to ask you about visas",
        "*sigh*",
        "thanks! what's the weather there",
        "no wait, how do I get there?",
        "I mean, it's really nice",
        "no wait, it's complicated",
        "sorry, busy",
    ],
)
def test_other_words_put_nothing_right(world: World, then: str) -> None:
    assert values(told(world, "I live in Leeds", then)) == ["Leeds"]


def test_only_the_message_before_is_put_right(world: World) -> None:
    between = told(world, "I live in Leeds", "what is the capital of Chad?", "*Leicester")
    assert values(between) == ["Leeds"]


def test_who_comes_back_an_hour_later_speaks_of_something_else(world: World) -> None:
    store = told(world, "I live in Leeds", "*Leicester", apart=timedelta(hours=1))
    assert values(store) == ["Leeds"]


def test_a_long_message_is_no_repair() -> None:
    assert repair("I meant " + "Leicester " * 20) is None
    assert repair("") is None
