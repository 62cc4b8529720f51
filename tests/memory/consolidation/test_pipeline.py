"""A run of consolidation: previewed, whole or not at all, and taken back to the same bytes."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from stratal_memory.consolidation.pipeline import STEPS, Moment, consolidate
from stratal_memory.consolidation.provisional import PROVISIONAL_LIFE
from stratal_memory.consolidation.report import State
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.resolution import resolve
from stratal_memory.records import Form, Status
from stratal_memory.store import Store
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import runs
from tests.memory.worlds import DrawnEmbedder, World, begin, export, say, statement, texts


def talk(store: Store) -> None:
    session = begin(store)
    say(store, session, "My name is Alice. I moved to Lisbon.", "Welcome!")
    say(store, session, "I play the oboe in the city orchestra.", "Lovely.")


def episodes(store: Store, *statuses: Status) -> list[str]:
    found = Facts(store).known(forms=(Form.EPISODE,), statuses=statuses or (Status.ACTIVE,))
    return texts(found)


def test_what_was_said_becomes_what_is_known(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    talk(store)

    report = consolidate(store)

    assert [step.name for step in report.steps] == ["pending", *(kind.name for kind in STEPS)]
    assert len(episodes(store)) == 1
    assert Profile(store).render().splitlines()[:2] == ["Name: Alice", "Home: Lisbon"]
    assert {change.step for change in report.changes} == {"episodes", "profile"}
    assert all(change.reason for change in report.changes)
    with store.read() as connection:
        [run] = runs.find(connection, user="alice", id=report.run)
    assert run.report == report.to_json()
    assert run.ended is not None


def test_a_second_run_finds_nothing_to_do(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    talk(store)
    consolidate(store)
    before = export(world.database)

    report = consolidate(store)

    assert report.changes == ()
    assert export(world.database) == before


def test_a_preview_says_what_a_run_would_do_and_changes_nothing(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    talk(store)
    consolidate(store)
    Facts(store).add("The kettle whistles at noon.")
    session = begin(store)
    say(store, session, "I saw a heron at the lake.")
    before = export(world.database, with_runs=True)

    preview = consolidate(store, dry_run=True)

    assert preview.run == ""
    assert [change.step for change in preview.changes] == ["episodes"]
    assert export(world.database, with_runs=True) == before
    assert consolidate(store).changes == preview.changes


def test_a_run_is_undone_to_the_same_bytes_and_can_be_done_again(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    talk(store)
    undo_run(store, consolidate(store).run)  # the messages are taken in now
    before = export(world.database)

    first = consolidate(store)
    undo_run(store, first.run)
    undone = export(world.database)
    second = consolidate(store)

    assert undone == before
    assert second.changes == first.changes


class Fails(DrawnEmbedder):
    """Fails at episodes."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        if any(text.startswith("The user said:") for text in texts):
            raise RuntimeError("the model failed")
        return super().embed(texts)


def test_a_model_that_fails_leaves_a_run_that_goes_on_where_it_stopped(world: World) -> None:
    store = world.store(embedder=Fails({}))
    talk(store)

    with pytest.raises(RuntimeError):
        consolidate(store)

    with store.read() as connection:
        [cut_off] = runs.find(connection, user="alice")
    assert (cut_off.state, cut_off.owner) == ("open", "")
    assert episodes(store) == []
    report = consolidate(world.store())
    assert (report.run, report.resumed, report.state) == (cut_off.id, True, State.DONE)
    assert len(episodes(store)) == 1


def test_what_was_held_and_never_confirmed_is_let_go(world: World) -> None:
    store = world.store()
    for text in ("The user may like jazz.", "The user may like tea."):
        with store.write() as journal:
            held = statement(text, at=world.clock(), status=Status.PROVISIONAL)
            resolve(journal, held, vector=None)
    world.clock.pass_(days=PROVISIONAL_LIFE.days - 1)
    early = consolidate(store)
    with store.write() as journal:
        again = statement("The user may like tea.", at=world.clock())
        resolve(journal, again, vector=None)
    world.clock.pass_(days=2)

    late = consolidate(store)

    assert early.changes == ()
    assert [(one.action, one.before) for one in late.changes] == [
        ("expired", "The user may like jazz.")
    ]
    assert texts(Facts(store).known()) == ["The user may like tea."]


def test_only_sessions_that_rest_settle(world: World) -> None:
    store = world.store()
    talk(store)

    early = consolidate(store, idle=timedelta(hours=1))
    world.clock.pass_(hours=2)
    late = consolidate(store, idle=timedelta(hours=1))

    assert "episodes" not in {change.step for change in early.changes}
    assert "episodes" in {change.step for change in late.changes}


def test_consolidating_one_user_leaves_the_others_alone(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    talk(bob)
    before = export(world.database)

    consolidate(alice)

    assert export(world.database) == before


def test_steps_and_items_are_told_as_they_come(world: World) -> None:
    store = world.store()
    talk(store)
    told: list[Moment] = []

    consolidate(store, on_moment=told.append)

    planned = [moment.step for moment in told if moment.moment == "planning"]
    assert planned == ["pending", *(kind.name for kind in STEPS)]
    assert Moment("episodes", "committed", 1, 1) in told
