"""What has a date and holds now has the last word over what was said before it."""

from datetime import UTC, datetime, timedelta

import pytest

from stratal_memory.learning.deciding import Fate
from stratal_memory.learning.gate import take_in
from stratal_memory.learning.tense import holds_at
from stratal_memory.records import Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from tests.memory.worlds import World, begin, say

SAID = datetime(2026, 11, 2, 12, tzinfo=UTC)


def told(store: Store, text: str) -> list[Fate]:
    return [one.fate for one in take_in(store, begin(store), say(store, begin(store), text))]


def values(store: Store, *statuses: Status) -> list[str]:
    return [one.value for one in Facts(store).known(statuses=statuses or (Status.ACTIVE,))]


@pytest.mark.parametrize(
    ("first", "then", "days", "value"),
    [
        ("I live in Lisbon.", "I moved to Porto yesterday.", 0, "Porto"),
        ("I live in Lisbon.", "I moved to Porto last week.", 1, "Porto"),
        ("I live in Lisbon.", "We moved to Porto two days ago.", 1, "Porto"),
        ("I live in Lisbon.", "I've been living in Porto since March.", 30, "Porto"),
        ("I work at Acme.", "I started a new job at Globex on Monday.", 1, "Globex"),
    ],
)
def test_a_dated_start_that_is_told_later_ends_what_was_said_undated(
    world: World, first: str, then: str, days: int, value: str
) -> None:
    store = world.store()
    told(store, first)
    world.clock.pass_(days=days, minutes=5)

    fates = told(store, then)

    assert fates == [Fate.LEARNED]
    assert values(store) == [value]
    assert values(store, Status.CONTESTED) == []


def test_the_order_in_which_the_two_are_remembered_makes_no_difference(world: World) -> None:
    store = world.store()
    session = begin(store)
    first = say(store, session, "I live in Lisbon.")
    world.clock.pass_(days=1)
    second = say(store, session, "I moved to Porto last week.")

    take_in(store, session, second)
    take_in(store, session, first)

    assert values(store) == ["Porto"]
    assert sorted(set(values(store, Status.SUPERSEDED))) == ["Lisbon", "Porto"]
    week = world.clock.now - timedelta(days=3)
    assert [one.value for one in Versions(store).as_of(week)] == ["Porto"]


def test_a_move_of_long_ago_stays_a_late_arrival(world: World) -> None:
    store = world.store()
    told(store, "I live in Lisbon.")

    fates = told(store, "I moved to Rome in 2015.")

    assert fates == [Fate.PAST]
    assert values(store) == ["Lisbon"]


def test_a_dated_start_counts_once_and_is_taken_back_as_a_whole(world: World) -> None:
    store = world.store()
    told(store, "I live in Lisbon.")
    session = begin(store)
    [decision] = take_in(store, session, say(store, session, "I moved to Porto yesterday."))
    [porto] = Facts(store).known()

    assert (porto.id, porto.support, len(porto.evidence)) == (decision.memory, 1, 1)
    Versions(store).undo(Versions(store).history(porto.key).events[-1].id)
    [lisbon] = Facts(store).known(statuses=tuple(Status))
    assert (lisbon.value, lisbon.status, lisbon.valid_to) == ("Lisbon", Status.ACTIVE, None)


def test_a_clock_that_was_set_back_does_not_make_the_newest_word_old(world: World) -> None:
    store = world.store()
    told(store, "I live in Lisbon.")
    world.clock.pass_(days=1)
    told(store, "I moved to Porto.")
    world.clock.pass_(days=-5)

    fates = told(store, "I live in Berlin.")

    assert fates == [Fate.LEARNED]
    assert values(store) == ["Berlin"]


@pytest.mark.parametrize(
    ("quote", "days", "holds"),
    [
        ("I moved to Porto last week", 7, True),
        ("I have been in Porto since 2019", 2_500, True),
        ("I've been at Acme since 2019", 2_500, True),
        ("I live in Porto since 2019", 2_500, True),
        ("The user moved to Paris in 2026", 300, True),
        ("I moved to Rome in 2015", 4_000, False),
        ("I lived in Rome last month", 40, False),
        ("I used to work at Acme in May", 180, False),
        ("I had been working at Acme since May", 180, False),
        ("I moved to Porto tomorrow", -1, False),
    ],
)
def test_words_say_whether_what_has_a_start_still_holds(quote: str, days: int, holds: bool) -> None:
    found = holds_at(quote, SAID - timedelta(days=days), SAID)

    assert found == (SAID if holds else None)
