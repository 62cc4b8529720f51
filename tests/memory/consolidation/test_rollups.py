"""Days and weeks that are over are told in one; what they are made of stays."""

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, begin, say


def rolled(store: Store, period: str) -> list[Memory]:
    found = Facts(store).known(forms=(Form.EPISODE,), statuses=(Status.ACTIVE,))
    return [one for one in found if one.facet.startswith(period)]


def test_two_episodes_of_a_day_that_is_over_become_one(world: World) -> None:
    store = world.store()
    say(store, begin(store), "The heron came back to the lake.")
    say(store, begin(store), "The printer jams on thick paper.")
    consolidate(store)
    early = rolled(store, "day")
    world.clock.pass_(days=1)

    consolidate(store)

    [day] = rolled(store, "day")
    assert early == []
    assert day.text == (
        "They talked about: The heron came back to the lake; The printer jams on thick paper."
    )
    assert all(seen.ref.startswith("mem_") for seen in day.evidence)
    assert len(Facts(store).known(forms=(Form.EPISODE,))) == 3


def test_a_week_is_told_when_the_next_one_is_over(world: World) -> None:
    store = world.store()
    for text in ("The heron came back.", "The printer jams.", "The boat leaks."):
        say(store, begin(store), text)
        world.clock.pass_(days=1)
    consolidate(store)
    early = rolled(store, "week")
    world.clock.pass_(days=20)

    consolidate(store)

    [week] = rolled(store, "week")[:1]
    assert early == []
    assert week.text.count(": The") >= 2
    assert consolidate(store).changes == ()


def test_a_single_episode_is_not_told_twice(world: World) -> None:
    store = world.store()
    say(store, begin(store), "The heron came back.")
    world.clock.pass_(days=30)

    consolidate(store)

    assert [one for one in Facts(store).known(forms=(Form.EPISODE,)) if one.facet] == []
