"""What the user calls theirs by a noun, what changes of it, and what is said of it in passing."""

from datetime import datetime, timedelta

import pytest

from stratal_memory.learning.gate import take_in
from stratal_memory.learning.rules.extraction import extract
from stratal_memory.records import Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, begin, say

AT = datetime.fromisoformat("2026-11-20T09:00+01:00")  # a Friday


def found(text: str) -> list[tuple[str, str]]:
    return [(one.facet, one.value) for one in extract(text, AT)]


@pytest.mark.parametrize(
    ("said", "facet", "value"),
    [
        ("my bank is santander", "about.bank", "santander"),
        ("i pay 780 for rent", "about.rent", "780"),
        ("rent went up to 1300", "about.rent", "1300"),
        ("my commute is 40 minutes by train", "about.commute", "40 minutes by train"),
        ("the car i drive is a Dacia Duster", "about.car", "Dacia Duster"),
        ("im with vodafone for mobile", "about.mobile", "vodafone"),
        ("new laptop is a surface pro", "about.laptop", "surface pro"),
        ("changed my bank to aib", "about.bank", "aib"),
        ("I get up at 5:30", "about.wake-up_time", "5:30"),
        ("i go to bed around eleven", "about.bedtime", "eleven"),
        ("I work from home on Mondays", "about.work-from-home_days", "Mondays"),
        ("my usual coffee order is a flat white", "about.coffee_order", "flat white"),
        ("my employer is Bramble", "work.employer", "Bramble"),
        ("Priya is my new manager", "people.manager", "Priya"),
        ("my boss is this woman called Petra", "people.boss", "Petra"),
        ("i have therapy on tuesdays", "habit.therapy", "therapy on tuesdays"),
        ("I have a new favourite band, Lankum", "favourite.band", "Lankum"),
        ("currently reading Emma", "about.current_book", "Emma"),
    ],
)
def test_a_noun_of_the_user_is_a_facet_with_one_value(said: str, facet: str, value: str) -> None:
    [one] = extract(said, AT)

    assert (one.facet, one.value) == (facet, value)
    assert one.single_valued


@pytest.mark.parametrize(
    "said",
    [
        "my head is spinning",
        "my phone is dead",
        "my phone is ringing brb",
        "my phone is at 3 percent",
        "my day was long",
        "my internet is down again",
        "my bank is useless",
        "my bank is so slow today",
        "my rent is insane",
        "my car is in the garage",
        "my gym is a nightmare on mondays",
        "my point is that it doesn't scale",
        "my answer is 42",
        "my function is returning None",
        "is my rent 900 too much?",
        "what if my rent is 2000 next year",
        "my mobile: 20 55 01 88",
        "I have an idea on mondays you know",
        "I pay attention to detail",
    ],
)
def test_what_passes_or_judges_says_nothing_of_the_user(said: str) -> None:
    assert found(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "I'm a billionaire lol jk",
        "just kidding, I live on the moon",
        "I was joking, I live in a castle",
        "I'm Batman. And my butler is from Liverpool. lol jk",
        "I'm married to my job",
    ],
)
def test_a_joke_says_nothing(said: str) -> None:
    assert found(said) == []


def test_what_is_said_in_earnest_behind_a_joke_counts() -> None:
    assert found("I live on the moon jk, actually I live in Leeds") == [("home", "Leeds")]
    assert found("no kidding, I live in Leeds") == [("home", "Leeds")]


@pytest.mark.parametrize(
    "said",
    [
        "started getting up at 6",
        "i started The Name of the Wind last night",
        "booked the dentist for tuesday",
        "i left Cox's Bazar on monday",
        "doing yoga with Adriene",
    ],
)
def test_other_beginnings_and_ends_are_no_work(said: str) -> None:
    assert not [facet for facet, _ in found(said) if facet.startswith("work.")]


def _told(world: World, *texts: str) -> Store:
    store = world.store()
    for text in texts:
        world.clock.now += timedelta(days=1)
        take_in(store, begin(store), say(store, begin(store), text))
    return store


def _active(store: Store) -> list[str]:
    return sorted(one.value for one in Facts(store).known() if one.status is Status.ACTIVE)


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("my manager is Sunil", "my new boss is Greta", ["Greta"]),
        ("my girlfriend is called Noor", "my wife is called Amira", ["Amira"]),
        ("my phone is a Pixel 7", "my mobile is now a Galaxy S24", ["Galaxy S24"]),
        ("my doctor is Dr Patel", "my gp is dr huang now", ["Dr Huang"]),
        ("my rent is 900", "i pay 1000 for rent now", ["1000"]),
        ("my bank is Monzo", "my sister's bank is Lloyds", ["Monzo"]),
    ],
)
def test_a_role_has_one_key_whatever_it_is_called(
    world: World, first: str, then: str, left: list[str]
) -> None:
    assert _active(_told(world, first, then)) == left


def test_two_names_of_a_role_in_one_message_stand_beside_each_other(world: World) -> None:
    store = _told(world, "my manager is Sunil and my supervisor is Greta")
    assert _active(store) == ["Greta", "Sunil"]


def test_a_plan_knows_when_it_is_over(world: World) -> None:
    store = _told(world, "I'm flying to Oslo on 5 December", "I'm flying to Oslo on 5 December")

    [plan] = Facts(store).known()

    assert plan.status is Status.ACTIVE
    assert plan.valid_to == datetime.fromisoformat("2026-12-06T00:00+00:00")
    assert plan.support == 2


def test_a_plan_with_several_days_is_over_after_the_last() -> None:
    [plan] = extract("I'm travelling to Oslo from 5 December until 9 December", AT)
    assert plan.valid_to == datetime.fromisoformat("2026-12-10T00:00+01:00")
