"""The rows follow the dates: any order of arrival, nothing lost, every moment the same."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.resolution import Action, Resolution, Statement, resolve
from stratal_memory.records import Form, Memory, ScopeKind, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth import vectors
from stratal_memory.truth.memories import select_memories
from stratal_memory.truth.schema import memories as table
from tests.memory.worlds import World, opened, statement

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def on(day: int) -> datetime:
    return DAY + timedelta(days=day)


def home(
    city: str,
    day: int,
    *,
    trust: Trust = Trust.USER,
    ref: str = "",
    status: Status = Status.ACTIVE,
    source: str = "",
) -> Statement:
    made = statement(
        f"The user lives in {city}.",
        at=on(day),
        facet="home",
        value=city,
        single_valued=True,
        trust=trust,
        ref=ref,
        status=status,
    )
    return replace(made, source=source or made.source)


class People:
    """Users without end on one database: each example has one of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clock = world.clock

    def another(self) -> Store:
        return self.world.store(f"user{len(self.world.stores)}")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    world = opened(tmp_path_factory.mktemp("people"))
    yield People(world)
    world.close()


def learn(store: Store, *said: Statement) -> list[Resolution]:
    found: list[Resolution] = []
    mine = store.reach.principal.scope(ScopeKind.USER)
    for one in said:
        with store.write() as journal:
            found.append(resolve(journal, replace(one, scope=mine), vector=None))
    return found


def rows(store: Store) -> list[Memory]:
    with store.read() as connection:
        return select_memories(connection, table.c.scope_id == store.user)


def at(store: Store, day: int) -> list[tuple[str, str, float]]:
    """What was true on a day: value, trust, confidence where it is current."""
    return sorted(
        (one.value, one.trust.value, round(one.confidence, 6) if one.valid_to is None else 0.0)
        for one in Versions(store).as_of(on(day))
    )


def current(store: Store) -> list[tuple[str, Status, float, int, datetime]]:
    return sorted(
        (one.value, one.status, round(one.confidence, 6), one.support, one.valid_from)
        for one in Facts(store).known()
    )


SAID = st.lists(
    st.builds(
        home,
        st.sampled_from(["Lisbon", "Porto", "Berlin"]),
        st.integers(0, 5),
        trust=st.sampled_from([Trust.USER, Trust.USER, Trust.TOOL, Trust.WEB]),
        source=st.sampled_from(["weather", "almanac"]),
        status=st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.PROVISIONAL]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(said=SAID, random=st.randoms())
def test_any_order_of_arrival_gives_the_same_memory(
    people: People, said: list[Statement], random: Random
) -> None:
    mixed = list(said)
    random.shuffle(mixed)
    ours, theirs = people.another(), people.another()
    learn(ours, *said)
    learn(theirs, *mixed)

    assert current(ours) == current(theirs)
    for day in range(7):
        assert at(ours, day) == at(theirs, day)


@settings(max_examples=15, deadline=None)
@given(said=SAID)
def test_nothing_that_was_said_is_lost(people: People, said: list[Statement]) -> None:
    store = people.another()

    learn(store, *said)

    kept = {(one.value, seen.ref) for one in rows(store) for seen in one.evidence}
    assert kept == {(one.value, one.evidence.ref) for one in said}
    versions = [(one.key, one.version) for one in rows(store)]
    assert len(versions) == len(set(versions))
    assert len({key for key, _ in versions}) == 1


@settings(max_examples=15, deadline=None)
@given(said=SAID)
def test_what_was_held_at_a_time_is_what_was_known_then(
    people: People, said: list[Statement]
) -> None:
    store = people.another()
    seen: list[tuple[datetime, list[Memory]]] = []
    for one in said:
        learn(store, one)
        people.clock.pass_(minutes=1)
        seen.append((people.clock.now, Facts(store).known()))
        people.clock.pass_(minutes=1)

    for moment, known in seen:
        assert Versions(store).held(moment, forms=(Form.FACT,)) == known


@settings(max_examples=15, deadline=None)
@given(said=SAID, one=st.integers(0, 5), other=st.integers(0, 5))
def test_a_difference_leads_from_one_time_to_the_other(
    people: People, said: list[Statement], one: int, other: int
) -> None:
    store = people.another()
    times = [people.clock()]
    for item in said:
        learn(store, item)
        people.clock.pass_(minutes=1)
        times.append(people.clock())
    start, end = times[min(one, len(said))], times[min(other, len(said))]
    versions = Versions(store)

    held = {memory.id: memory for memory in versions.held(start)}
    for difference in versions.diff(start, end):
        if difference.before is not None:
            assert held.pop(difference.before.id) == difference.before
        if difference.after is not None:
            held[difference.after.id] = difference.after

    assert held == {memory.id: memory for memory in versions.held(end)}


@settings(max_examples=15, deadline=None)
@given(said=SAID)
def test_each_statement_can_be_taken_back(people: People, said: list[Statement]) -> None:
    store = people.another()
    states: list[list[Memory]] = [rows(store)]
    done: list[Memory] = []
    for one in said:
        done += [found.memory for found in learn(store, one)]
        states.append(rows(store))

    for memory, before in zip(reversed(done), reversed(states[:-1]), strict=True):
        changes = [one for one in Versions(store).history(memory.key).events if not one.undone]
        Versions(store).undo(changes[-1].id)
        assert rows(store) == before


def test_as_recent_and_as_trusted_are_both_shown_with_dates_and_less_sure(world: World) -> None:
    store = world.store()

    _, second = learn(store, home("Lisbon", 1), home("Porto", 1))

    assert second.action is Action.CONTESTED
    assert "as recent and as trusted" in second.reason
    assert [(one.value, one.status, one.valid_from) for one in Facts(store).known()] == [
        ("Porto", Status.CONTESTED, on(1)),
        ("Lisbon", Status.CONTESTED, on(1)),
    ]
    assert {round(one.confidence, 3) for one in Facts(store).known()} == {0.72}
    assert at(store, 2) == [("Lisbon", "user", 0.72), ("Porto", "user", 0.72)]


def test_what_is_contested_by_the_less_trusted_is_less_sure_until_it_is_settled(
    world: World,
) -> None:
    store = world.store()
    learn(store, home("Lisbon", 1), home("Porto", 2, trust=Trust.WEB))
    doubted = next(one for one in Facts(store).known() if one.value == "Lisbon")

    learn(store, home("Lisbon", 3))
    assert doubted.confidence == pytest.approx(3.6 / 4.4)
    assert doubted.status is Status.ACTIVE

    learn(store, home("Porto", 4))
    assert [(one.value, one.status) for one in Facts(store).known()] == [("Porto", Status.ACTIVE)]


def test_a_tool_that_repeats_itself_a_hundred_times_counts_once(world: World) -> None:
    store = world.store()
    said = [home("Lisbon", day, trust=Trust.TOOL, source="tool:geo") for day in range(100)]

    learn(store, *said)
    alone = Facts(store).known()[0]
    learn(store, home("Lisbon", 101, trust=Trust.TOOL, source="tool:post"))
    both = Facts(store).known()[0]

    assert alone.support == 1
    assert alone.confidence == pytest.approx(0.6)
    assert len(alone.evidence) == 100
    assert both.support == 2
    assert both.confidence == pytest.approx((2.4 + 0.6) / 4.6)


def test_a_value_that_was_said_to_be_older_begins_earlier(world: World) -> None:
    store = world.store()
    first, again = learn(store, home("Porto", 9), home("Porto", 1))

    [known] = Facts(store).known()

    assert again.action is Action.REINFORCED
    assert (known.key, known.valid_from, known.support) == (first.memory.key, on(1), 2)
    assert at(store, 5) == [("Porto", "user", round(4.6 / 5, 6))]


def test_a_statement_between_two_of_the_same_parts_them(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    said = [home("Lisbon", 1), home("Lisbon", 9), home("Porto", 5)]
    for one in said:
        vector = store.embed([one.text])[0]
        with store.write() as journal:
            resolve(journal, one, vector=vector)

    [known] = Facts(store).known()

    assert [at(store, day)[0][0] for day in (2, 6, 10)] == ["Lisbon", "Porto", "Lisbon"]
    assert (known.value, known.valid_from) == ("Lisbon", on(9))
    with store.read() as connection:
        matrix = vectors.matrix(connection, table.c.id == known.id, generation=store.generation)
    assert len(matrix.seqs) == 1  # and it is found by its meaning


def test_what_is_held_does_not_replace_what_is_known(world: World) -> None:
    store = world.store()
    _, held = learn(store, home("Lisbon", 1), home("Porto", 5, status=Status.PROVISIONAL))

    assert current(store)[0][:2] == ("Lisbon", Status.ACTIVE)
    assert held.memory.status is Status.PROVISIONAL

    learn(store, home("Porto", 6, status=Status.PROVISIONAL))
    assert [one[:2] for one in current(store)] == [("Porto", Status.ACTIVE)]


def test_a_late_statement_of_what_had_ended_stays_ended(world: World) -> None:
    store = world.store()
    cat = statement("The user has a cat.", at=on(3), facet="pet", value="cat")
    gone = statement("No cat any more.", at=on(6), facet="pet", value="cat", retracts=True)
    early = statement("The user has a cat.", at=on(1), facet="pet", value="cat")

    learn(store, cat, gone, early)

    assert Facts(store).known() == []
    assert [len(at(store, day)) for day in (0, 2, 4, 7)] == [0, 1, 1, 0]
