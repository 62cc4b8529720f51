"""Old conversations lose their words, later their episodes; what is pinned and known stays."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.retention import Retention, retain
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.errors import UndoRefused
from stratal_memory.learning.gate import take_in
from stratal_memory.lint import lint
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, Session
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import messages, runs
from stratal_memory.truth.archiving import ARCHIVE_TEXT
from tests.memory.worlds import World, begin, export, say, texts

# covers Os12


def told(store: Store, *forms: Form) -> list[Memory]:
    return [one for one in Facts(store).known(forms=forms or (Form.EPISODE,)) if not one.facet]


def talk(store: Store) -> Session:
    session = begin(store)
    said = say(store, session, "My name is Alice. The heron came back to the lake.", "Lovely.")
    take_in(store, session, said)
    consolidate(store)
    return session


def words(store: Store, session: Session) -> set[str]:
    with store.read() as connection:
        return {one.text for one in messages.of_session(connection, session.id)}


def test_after_90_days_the_words_are_gone_and_the_episode_is_found(world: World) -> None:
    store = world.store()
    session = talk(store)
    world.clock.pass_(days=89)
    early = retain(store)
    world.clock.pass_(days=2)

    report = retain(store)

    assert early.changes == ()
    assert [change.action for change in report.changes] == ["archived"]
    assert words(store, session) == {ARCHIVE_TEXT}
    assert told(store, Form.MESSAGE) == []
    settings = RecallSettings(minimum_similarity=0.0)
    found = search(store, "heron at the lake", settings=settings, forms=(Form.EPISODE,))
    assert "heron" in found[0].memory.text
    assert "Alice" in " ".join(texts(Facts(store).known()))
    assert [one for one in lint(store).findings if one.severity == "error"] == []
    assert retain(store).changes == ()


def test_after_a_year_the_episode_goes_and_what_was_learned_stays(world: World) -> None:
    store = world.store()
    talk(store)
    world.clock.pass_(days=366)

    report = retain(store)

    assert [change.action for change in report.changes] == ["archived", "erased"]
    assert told(store) == []
    assert "Alice" in " ".join(texts(Facts(store).known()))
    assert [one for one in lint(store).findings if one.severity == "error"] == []
    assert retain(store).changes == ()


def test_what_is_pinned_is_never_touched(world: World) -> None:
    store = world.store()
    session = talk(store)
    with store.write() as journal:
        journal.pin(told(store)[0], pinned=True, reason="a test")
    world.clock.pass_(days=1_000)

    assert retain(store).changes == ()
    assert "The heron" in " ".join(words(store, session))


def test_a_preview_tells_and_changes_nothing(world: World) -> None:
    store = world.store()
    talk(store)
    world.clock.pass_(days=400)
    before = export(world.database, with_runs=True)

    report = retain(store, dry_run=True)

    assert [change.action for change in report.changes] == ["archived", "erased"]
    assert (report.run, export(world.database, with_runs=True)) == ("", before)


def test_what_went_is_not_undone(world: World) -> None:
    store = world.store()
    talk(store)
    world.clock.pass_(days=400)

    with pytest.raises(UndoRefused, match="gone"):
        undo_run(store, retain(store).run)


def test_a_conversation_that_goes_on_ages_anew(world: World) -> None:
    store = world.store()
    session = talk(store)
    world.clock.pass_(days=100)
    retain(store)
    say(store, session, "The comet is bright tonight.")
    consolidate(store)
    early = retain(store)
    world.clock.pass_(days=91)

    late = retain(store)

    assert (early.changes, len(late.changes)) == ((), 1)
    assert words(store, session) == {ARCHIVE_TEXT}


def test_a_guard_that_refuses_leaves_everything_as_it_was(world: World) -> None:
    store = world.store()
    talk(store)
    world.clock.pass_(days=400)
    before = export(world.database)

    class Lost(Exception):
        pass

    def guard(connection: object) -> None:
        raise Lost

    with pytest.raises(Lost):
        retain(store, guard=guard)
    assert export(world.database) == before


def test_the_ages_are_settings(world: World) -> None:
    store = world.store()
    talk(store)
    world.clock.pass_(days=8)
    short = Retention(archive=timedelta(days=7), erase=timedelta(days=30))

    assert len(retain(store, retention=short).changes) == 1
    assert retain(store, retention=replace(short, archive=timedelta(days=9))).changes == ()


def test_a_run_whose_words_are_archived_is_not_undone_and_they_are_told_nowhere(
    world: World,
) -> None:
    store = world.store()
    talk(store)
    with store.read() as connection:
        [run] = runs.find(connection, user="alice")
    world.clock.pass_(days=95)
    retain(store)

    with pytest.raises(UndoRefused, match="archived"):
        undo_run(store, run.id)

    assert [one.text for one in told(store) if "archived" in one.text] == []
