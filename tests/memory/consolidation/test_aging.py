"""Time ends what was true until a day, and what was doubted and never heard again."""

from dataclasses import replace
from datetime import timedelta

from stratal_memory.consolidation.aging import SILENCE
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.report import State
from stratal_memory.records import Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, memory, texts


def put(store: Store, fact: Memory) -> None:
    with store.write() as journal:
        journal.add(fact, reason="a test")


def test_a_plan_whose_day_has_passed_is_past(world: World) -> None:
    store = world.store()
    until = world.clock() + timedelta(days=3)
    put(store, replace(memory("The user flies to Rome.", at=world.clock()), valid_to=until))
    early = consolidate(store)
    world.clock.pass_(days=5)

    late = consolidate(store)

    assert early.changes == ()
    assert [change.step for change in late.changes] == ["aging"]
    assert texts(Facts(store).known(statuses=(Status.SUPERSEDED,))) == ["The user flies to Rome."]


def test_a_quiet_user_is_looked_at_again_when_the_time_has_come(world: World) -> None:
    store = world.store()
    until = world.clock() + timedelta(days=3)
    put(store, replace(memory("The user flies to Rome.", at=world.clock()), valid_to=until))
    consolidate(store)

    states = []
    for _ in range(4):
        world.clock.pass_(days=1, minutes=1)
        states.append(consolidate(store).state)

    assert states == [State.UNCHANGED, State.UNCHANGED, State.UNCHANGED, State.DONE]


def test_what_was_doubted_fades_in_silence_and_what_was_sure_does_not(world: World) -> None:
    store = world.store()
    at = world.clock()
    put(store, memory("The user may keep bees.", at=at, confidence=0.4))
    put(store, memory("The user keeps hens.", at=at, confidence=0.9))
    put(store, replace(memory("The user may sing.", at=at, confidence=0.4), pinned=True))
    world.clock.pass_(days=SILENCE.days + 1)

    consolidate(store)

    assert sorted(texts(Facts(store).known())) == ["The user keeps hens.", "The user may sing."]


def test_who_says_nothing_more_is_looked_at_when_a_doubt_has_lasted_long_enough(
    world: World,
) -> None:
    store = world.store()
    put(store, memory("The user may keep bees.", at=world.clock(), confidence=0.4))
    consolidate(store)

    world.clock.pass_(days=SILENCE.days - 1)
    early = consolidate(store).state
    world.clock.pass_(days=2)
    late = consolidate(store)

    assert early is State.UNCHANGED
    assert [change.before for change in late.changes] == ["The user may keep bees."]
