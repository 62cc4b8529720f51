"""Who writes while a run goes on loses nothing, and the run spoils nothing of theirs."""

import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stratal_memory.consolidation.pipeline import STEPS, Limits, Moment, consolidate
from stratal_memory.consolidation.report import Report, State
from stratal_memory.consolidation.step import StepKind
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.erase.pipeline import erase
from stratal_memory.erase.target import Target, What
from stratal_memory.records import Form, Status
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.database import Database
from tests.fakes.clock import FakeClock
from tests.memory.consolidation.killing import build
from tests.memory.consolidation.writing import (
    ACTS,
    Writers,
    closed_twice,
    doubled,
    forked,
    lost,
    told_of_what_is_gone,
)
from tests.memory.worlds import World, begin, memory, say, texts

Place = tuple[Path, datetime]
MOMENTS = [f"{kind.name}:{moment}" for kind in STEPS for moment in ("planning", "item", "done")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A data directory in which each step has work, and the moment of the night."""
    folder = tmp_path_factory.mktemp("start")
    return folder, build(folder)


@contextmanager
def copied(place: Place, folder: Path) -> Generator[World]:
    start, at = place
    shutil.copytree(start, folder)
    world = World(Database.open(folder), clock=FakeClock(at))
    try:
        yield world
    finally:
        world.close()


def spoiled(store: Store, writers: Writers) -> dict[str, object]:
    """What must never be, by name; all empty."""
    return {
        "lost": lost(store, writers),
        "forked": forked(store),
        "closed twice": closed_twice(store),
        "told of what is gone": told_of_what_is_gone(store),
        "doubled": doubled(store),
    }


NOTHING: dict[str, object] = {
    "lost": [],
    "forked": [],
    "closed twice": [],
    "told of what is gone": [],
    "doubled": [],
}


def night(world: World, plan: dict[str, tuple[str, str]], *, runs: int = 2) -> dict[str, object]:
    """What a few runs and two writers left, who act each time a run comes to a moment of `plan`."""
    store, writers = world.store(embedder=HashEmbedder()), Writers.of(world)

    def act(moment: Moment) -> None:
        found = plan.get(f"{moment.step}:{moment.moment}")
        if found is not None and moment.done <= 2:
            writers.act(*found)

    try:
        for _ in range(runs):
            report = consolidate(store, on_moment=act)
            assert report.state in (State.DONE, State.UNCHANGED)
        return spoiled(store, writers)
    finally:
        writers.close()


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.name)
def test_two_who_write_while_a_step_goes_on_lose_nothing(
    place: Place, tmp_path: Path, kind: StepKind
) -> None:
    name = kind.name
    plan = {
        f"{name}:planning": ("add", "correct"),
        f"{name}:item": ("correct", "add"),
        f"{name}:committed": ("merge", "forget"),
        f"{name}:done": ("talk", "settle"),
    }
    with copied(place, tmp_path / "data") as world:
        assert night(world, plan) == NOTHING


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example(plan={"observations:item": ("settle", "settle"), "reconcile:item": ("merge", "merge")})
@given(
    plan=st.dictionaries(
        st.sampled_from(MOMENTS),
        st.tuples(st.sampled_from(sorted(ACTS)), st.sampled_from(sorted(ACTS))),
        min_size=1,
        max_size=6,
    )
)
def test_two_who_write_at_any_moment_lose_nothing(
    place: Place,
    tmp_path_factory: pytest.TempPathFactory,
    plan: dict[str, tuple[str, str]],
) -> None:
    folder = tmp_path_factory.mktemp("any") / "data"
    with copied(place, folder) as world:
        assert night(world, plan) == NOTHING
    shutil.rmtree(folder)


def run(store: Store, step: str, act: Callable[[], object]) -> Report:
    """A run beside which something is done when the first item of a step is planned."""

    def beside(moment: Moment) -> None:
        if (moment.step, moment.moment, moment.done) == (step, "item", 1):
            act()

    return consolidate(store, on_moment=beside)


def standing(store: Store, form: Form = Form.FACT) -> list[str]:
    return sorted(texts(Facts(store).known(forms=(form,), statuses=(Status.ACTIVE,))))


def test_a_fact_that_was_pinned_since_it_was_to_be_merged_away_stays(world: World) -> None:
    store = world.store()
    with store.write() as journal:
        first, second = (memory("The boat lies here.", at=journal.at) for _ in range(2))
        for one in (first, second):
            journal.add(one, reason="a test")

    report = run(store, "reconcile", lambda: Editing(store).pin(second.id))

    assert [change.step for change in report.changes] == []
    assert len(standing(store)) == 2
    assert [change.action for change in consolidate(store).changes] == ["merged"]


def test_a_fact_that_was_forgotten_since_is_not_told(world: World) -> None:
    store = world.store()
    made = Facts(store).add_all([f"The user collects {what}." for what in ("stamps", "maps")])
    made += Facts(store).add_all(["The user collects knots."])

    run(store, "observations", lambda: Editing(store).forget(made[0].memory.id))

    assert standing(store, Form.OBSERVATION) == []


def test_two_agents_of_a_user_tell_the_same_facts_once(world: World) -> None:
    main, coach = world.store(), world.store(agent="coach")
    Facts(main).add_all([f"The user collects {what}." for what in ("stamps", "maps", "knots")])

    report = run(main, "observations", lambda: consolidate(coach))

    assert standing(main, Form.OBSERVATION) == ["The user collects stamps, maps and knots."]
    assert report.state is State.DONE


def test_words_that_were_erased_while_they_were_told_are_in_no_episode(world: World) -> None:
    store = world.store()
    session = begin(store)
    [message] = say(store, session, "The heron is called Figaro.")
    say(store, session, "The printer jams.")
    target = Target(what=What.SOURCE, name=message.id, principal=store.reach.principal)

    run(store, "episodes", lambda: erase(world.database, target))
    consolidate(store)

    assert standing(store, Form.EPISODE) == ["The user said: The printer jams."]


def test_what_is_said_while_an_episode_is_told_is_told_by_the_next_run(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "I saw a heron.")

    run(store, "episodes", lambda: say(store, session, "It flew off."))
    first = standing(store, Form.EPISODE)
    consolidate(store)

    assert first == ["The user said: I saw a heron."]
    assert standing(store, Form.EPISODE) == ["The user said: I saw a heron. It flew off."]


def test_a_slice_that_waits_keeps_nobody_from_writing(world: World) -> None:
    store = world.store()
    for text in ("I saw a heron.", "The printer jams."):
        say(store, begin(store), text)
    consolidate(store, limits=Limits(items=1))

    added = Facts(store).add("I live in Lisbon.").memory
    report = consolidate(store)

    assert report.resumed
    assert added.id in [one.id for one in Facts(store).known()]
