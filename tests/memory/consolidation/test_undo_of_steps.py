"""What a run did is taken back to the same bytes: step by step, as a whole, and taken up again."""

import json
import shutil
from collections.abc import Generator
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from stratal_memory.consolidation.night import Asking
from stratal_memory.consolidation.pending import catch_up_with
from stratal_memory.consolidation.pipeline import STEPS, Moment, consolidate
from stratal_memory.consolidation.report import Report, State, Step, step_json
from stratal_memory.consolidation.starting import begin, release
from stratal_memory.consolidation.step import StepKind
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import UndoRefused
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import runs
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema_usefulness import usefulness
from stratal_memory.truth.undoing import undo_event
from tests.fakes.clock import FakeClock
from tests.memory.consolidation.killing import build
from tests.memory.worlds import World, export

Place = tuple[Path, datetime]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A data directory in which each step has work, and the moment of the night."""
    folder = tmp_path_factory.mktemp("start")
    return folder, build(folder)


@pytest.fixture
def night(place: Place, tmp_path: Path) -> Generator[World]:
    start, at = place
    folder = Path(shutil.copytree(start, tmp_path / "data"))
    world = World(Database.open(folder), clock=FakeClock(at))
    yield world
    world.close()


def alice(world: World) -> Store:
    """Her store; what a crash left out is taken in already: that is no part of a run."""
    store = world.store(embedder=HashEmbedder())
    catch_up_with(store, Asking(model=None))
    return store


def held(world: World) -> bytes:
    """All that a run may change."""
    with world.database.read() as connection:
        counts = [tuple(row) for row in connection.execute(select(usefulness))]
    return export(world.database) + json.dumps(sorted(counts)).encode()


def only(store: Store, *names: str) -> Report:
    """A run in which the other steps are over already."""
    begun = begin(store)
    over = [Step(name=kind.name, looked_at=0, changed=0) for kind in STEPS]
    with store.write() as journal:
        for step in over:
            if step.name not in names:
                runs.keep_step(journal.connection, begun.run.id, step.name, step_json(step))
    release(store, begun)
    return consolidate(store)


class Stop(Exception):
    """Stands for a crash."""


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.name)
def test_what_one_step_did_is_undone_to_the_same_bytes(night: World, kind: StepKind) -> None:
    store = alice(night)
    earlier = [one.name for one in STEPS[: STEPS.index(kind)]]
    only(store, *earlier)
    before = held(night)

    report = only(store, kind.name)
    changed = held(night)
    undo_run(store, report.run)

    assert {change.step for change in report.changes} == {kind.name}
    assert changed != before or kind.name == "checks"  # full text is derived: see `checks`
    assert held(night) == before
    assert [one.after for one in consolidate(store).changes if one.step == kind.name] == [
        one.after for one in report.changes if kind.name != "checks"
    ]


def test_a_whole_night_is_undone_to_the_same_bytes(night: World) -> None:
    store = alice(night)
    before = held(night)

    report = consolidate(store)
    undo_run(store, report.run)

    assert {change.step for change in report.changes} == {kind.name for kind in STEPS}
    assert held(night) == before


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.name)
def test_a_night_that_was_cut_off_in_a_step_and_taken_up_is_undone_whole(
    night: World, kind: StepKind
) -> None:
    store = alice(night)
    before = held(night)

    def crash(moment: Moment) -> None:
        if (moment.step, moment.moment) == (kind.name, "committed"):
            raise Stop

    with pytest.raises(Stop):
        consolidate(store, on_moment=crash)
    report = consolidate(store)
    undo_run(store, report.run)

    assert report.resumed
    assert held(night) == before


@pytest.mark.parametrize("kind", STEPS[:-1], ids=lambda kind: kind.name)
def test_a_night_that_was_cut_off_is_undone_without_its_rest(night: World, kind: StepKind) -> None:
    store = alice(night)
    before = held(night)

    def crash(moment: Moment) -> None:
        if (moment.step, moment.moment) == (kind.name, "done"):
            raise Stop

    with pytest.raises(Stop):
        consolidate(store, on_moment=crash)
    with store.read() as connection:
        found = runs.unfinished(connection, user="alice", agent="main")
    assert found is not None
    undo_run(store, found.id)

    assert held(night) == before
    assert not consolidate(store).resumed


def fact(store: Store, text: str, *statuses: Status, form: Form = Form.FACT) -> Memory:
    known = Facts(store).known(forms=(form,), statuses=statuses or (Status.ACTIVE,))
    return next(one for one in known if text in one.text)


def test_what_was_touched_since_is_named_and_nothing_is_undone(night: World) -> None:
    store = alice(night)
    report = consolidate(store)
    kept = fact(store, "The old boat lies by the shed.")
    told = fact(store, "The user collects", form=Form.OBSERVATION)
    Editing(store).pin(kept.id)
    Editing(store).forget(told.id)
    before = held(night)

    with pytest.raises(UndoRefused, match=r"1 of its .* memories changed since") as refused:
        undo_run(store, report.run)

    assert set(refused.value.keys) == {kept.key}  # the observation is derived: it follows
    assert held(night) == before
    with store.read() as connection:
        [run] = runs.find(connection, user="alice", id=report.run)
    assert run.undone is None


def test_a_run_can_be_undone_once_what_came_later_was(night: World) -> None:
    store = alice(night)
    before = held(night)
    report = consolidate(store)
    pinned = Editing(store).pin(fact(store, "The old boat lies by the shed.").id)
    with pytest.raises(UndoRefused):
        undo_run(store, report.run)

    with store.write() as journal:
        undo_event(journal, pinned.event, reach=store.reach)
    undo_run(store, report.run)

    assert held(night) == before


def test_what_others_wrote_during_a_run_stays_when_it_is_undone(night: World) -> None:
    store, writer = alice(night), alice(night)
    before = export(night.database)
    written: list[str] = []

    def write(moment: Moment) -> None:
        if moment.moment == "item" and moment.step not in written:
            written.append(moment.step)
            Facts(writer).add(f"Note on {moment.step}: the tide table hangs by the door.")

    report = consolidate(store, on_moment=write)
    undo_run(store, report.run)

    notes = [fact(store, f"Note on {step}:") for step in written]
    assert written == [kind.name for kind in STEPS]
    assert all(note.status is Status.ACTIVE for note in notes)
    left, known = json.loads(export(night.database)), json.loads(before)
    keys, ids = {note.key for note in notes}, {note.id for note in notes}
    facts = [row for row in left["memories"] if json.loads(row)["key"] not in keys]
    cited = [row for row in left["evidence"] if json.loads(row)["memory"] not in ids]
    assert facts == known["memories"]
    assert cited == known["evidence"]


def test_a_run_that_was_undone_is_not_undone_again(night: World) -> None:
    store = alice(night)
    report = consolidate(store)
    undo_run(store, report.run)

    assert consolidate(store).state is State.DONE
    with store.read() as connection:
        assert sum(run.undone is not None for run in runs.find(connection, user="alice")) == 1
