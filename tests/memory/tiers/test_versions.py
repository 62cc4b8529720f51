"""Memory through time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from stratal_memory.errors import InputError
from stratal_memory.learning.resolution import Statement, resolve
from stratal_memory.records import Form, Memory, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.profile import Profile, in_order, rendered
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Difference, Differs, Versions
from tests.memory.worlds import World, statement, texts

MARCH, MAY, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 7))


def learn(store: Store, *said: Statement) -> list[Memory]:
    found: list[Memory] = []
    for one in said:
        with store.write() as journal:
            found.append(resolve(journal, one, vector=None).memory)
    return found


def home(city: str, at: datetime, *, trust: Trust = Trust.USER) -> Statement:
    return statement(
        f"The user lives in {city}.",
        at=at,
        facet="home",
        value=city,
        single_valued=True,
        trust=trust,
    )


def told(found: list[Difference]) -> list[tuple[str, str, str]]:
    return [
        (one.kind, one.before.text if one.before else "", one.after.text if one.after else "")
        for one in found
    ]


def test_history_is_every_version_and_every_reason(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MARCH), home("Porto", MAY))
    [known] = Facts(store).known()

    by_key, by_id = Versions(store).history(known.key), Versions(store).history(known.id)

    assert by_key == by_id
    assert texts(by_key.versions) == ["The user lives in Lisbon.", "The user lives in Porto."]
    assert [event.reason for event in by_key.events] == [
        "first time stated",
        "replaced by “Porto”",
        "replaces “Lisbon”",
    ]


def test_true_then_and_known_then_are_two_things(world: World) -> None:
    store = world.store()
    world.clock.now = JULY
    learn(store, home("Porto", MAY))
    world.clock.pass_(days=7)
    learn(store, home("Lisbon", MARCH))
    versions = Versions(store)
    april = datetime(2026, 4, 1, tzinfo=UTC)

    assert texts(versions.as_of(april)) == ["The user lives in Lisbon."]  # as is known today
    assert versions.held(april) == []  # nothing was known yet
    assert texts(versions.held(JULY + timedelta(days=1))) == ["The user lives in Porto."]
    assert texts(versions.as_of(JULY)) == ["The user lives in Porto."]


def test_both_sides_of_a_contest_are_told_with_their_dates(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MAY), home("Porto", MAY))

    found = Versions(store).as_of(JULY)

    assert sorted((one.value, one.status, one.valid_from) for one in found) == [
        ("Lisbon", Status.CONTESTED, MAY),
        ("Porto", Status.CONTESTED, MAY),
    ]


def test_a_difference_names_what_came_went_and_changed(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MARCH), statement("The user likes tea.", at=MARCH))
    world.clock.pass_(hours=1)
    first = world.clock.now
    world.clock.pass_(hours=1)
    learn(store, home("Porto", MAY), statement("The user likes rum.", at=MAY))
    tea = next(one for one in Facts(store).known() if "tea" in one.text)
    Editing(store).forget(tea.id)
    versions = Versions(store)

    found = versions.diff(first, world.clock.now)

    assert told(found) == [
        (Differs.ENDED, "The user likes tea.", ""),
        (Differs.CHANGED, "The user lives in Lisbon.", "The user lives in Porto."),
        (Differs.ADDED, "", "The user likes rum."),
    ]
    assert versions.diff(first, first) == []


def test_the_profile_as_it_stood(world: World) -> None:
    store = world.store()
    times: list[datetime] = []
    for city, at in (("Lisbon", MARCH), ("Porto", MAY)):
        learn(store, home(city, at))
        with store.write() as journal:
            Profile(store).rebuild(journal)
        times.append(world.clock())

    shown = [rendered(in_order(Versions(store).held(at, forms=(Form.SLOT,)))) for at in times]

    assert shown == ["Home: Lisbon", "Home: Porto"]


@pytest.mark.parametrize("look", [Versions.as_of, Versions.held, lambda v, at: v.diff(MAY, at)])
def test_a_time_without_a_zone_is_refused_with_a_hint(
    world: World, look: Callable[[Versions, datetime], object]
) -> None:
    versions = Versions(world.store())

    with pytest.raises(InputError, match="has no zone") as refused:
        look(versions, datetime(2026, 5, 1))  # that is what is refused

    assert "UTC" in refused.value.hint


def test_the_past_is_cut_to_the_newest(world: World) -> None:
    store = world.store()
    learn(store, home("Lyon", MARCH), statement("Tea.", at=MAY), statement("Jazz.", at=JULY))

    found = Versions(store).as_of(JULY, limit=2)

    assert texts(found) == ["Jazz.", "Tea."]


def test_what_an_old_memory_became_between_two_times_is_a_difference(world: World) -> None:
    store = world.store()
    tea, jazz = (Facts(store).add(text).memory for text in ("Tea is hot.", "Jazz is cool."))
    first = world.clock()
    Editing(store).pin(tea.id)
    Editing(store).forget(jazz.id)

    found = Versions(store).diff(first, world.clock())

    assert {(one.key, one.kind) for one in found} == {
        (tea.key, Differs.CHANGED),
        (jazz.key, Differs.ENDED),
    }
