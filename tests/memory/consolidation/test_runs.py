"""A run is worked on by one, in slices, and is taken up again where it stopped."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from stratal_memory.consolidation.night import Model
from stratal_memory.consolidation.pipeline import Limits, Moment, consolidate
from stratal_memory.consolidation.report import State
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.errors import ConsolidationBusy, LeaseLost, StratalError
from stratal_memory.records import Cost, Form, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import runs
from tests.memory.worlds import World, begin, export, memory, say


def talk(store: Store, *texts: str) -> None:
    for text in texts or ("I saw a heron.", "The printer jams.", "The boat leaks."):
        say(store, begin(store), text)


def episodes(store: Store) -> int:
    return len(Facts(store).known(forms=(Form.EPISODE,), statuses=(Status.ACTIVE,)))


class Stop(Exception):
    """Stands for a crash."""


def test_a_slice_ends_after_its_items_and_the_next_goes_on(world: World) -> None:
    store = world.store()
    talk(store)

    first = consolidate(store, limits=Limits(items=2))
    second = consolidate(store, limits=Limits(items=100))

    assert (first.state, len(first.changes)) == (State.OPEN, 2)
    assert (second.state, second.run, second.resumed) == (State.DONE, first.run, True)
    assert second.changes[:2] == first.changes
    assert episodes(store) == 3


def test_a_run_that_was_cut_off_ends_as_one_that_was_not(world: World) -> None:
    store, other = world.store(), world.store("bob")
    talk(store)
    talk(other)

    def crash(moment: Moment) -> None:
        if (moment.step, moment.moment, moment.done) == ("episodes", "committed", 2):
            raise Stop

    with pytest.raises(Stop):
        consolidate(store, on_moment=crash)
    assert episodes(store) == 2
    report = consolidate(store)
    whole = consolidate(other)

    assert [one.after for one in report.changes] == [one.after for one in whole.changes]
    assert (report.resumed, whole.resumed) == (True, False)
    assert [(step.name, step.changed) for step in report.steps[1:]] == [
        (step.name, step.changed) for step in whole.steps[1:]
    ]
    undo_run(store, report.run)
    assert episodes(store) == 0


def test_what_is_said_while_a_run_is_cut_off_waits_for_the_next(world: World) -> None:
    store = world.store()
    talk(store)
    consolidate(store, limits=Limits(items=1))
    world.clock.pass_(hours=1)
    talk(store, "A comet crossed the sky.")

    resumed = consolidate(store)
    following = consolidate(store)

    assert "comet" not in str(resumed.changes)
    assert "comet" in str(following.changes)
    assert not following.resumed


def test_nobody_else_works_on_a_run_that_is_worked_on(world: World) -> None:
    store = world.store()
    talk(store)

    def meddle(moment: Moment) -> None:
        if (moment.step, moment.moment) == ("episodes", "item"):
            with pytest.raises(ConsolidationBusy, match="being worked on"):
                consolidate(world.store())

    assert consolidate(store, on_moment=meddle).state is State.DONE


def test_who_lost_the_lease_writes_no_more(world: World) -> None:
    store = world.store()
    talk(store)

    def take_away(moment: Moment) -> None:
        if (moment.step, moment.moment, moment.done) == ("episodes", "item", 2):
            with store.write() as journal:
                found = runs.unfinished(journal.connection, user="alice", agent="main")
                assert found is not None
                runs.take_up(journal.connection, found, owner="another", now=journal.at)

    with pytest.raises(LeaseLost):
        consolidate(store, on_moment=take_away)

    assert episodes(store) == 1


def test_a_run_undone_while_it_is_worked_on_stops(world: World) -> None:
    store = world.store()
    talk(store)
    before = episodes(store)

    def undo(moment: Moment) -> None:
        if (moment.step, moment.moment, moment.done) == ("episodes", "item", 3):
            with store.read() as connection:
                found = runs.unfinished(connection, user="alice", agent="main")
            assert found is not None
            undo_run(store, found.id)

    with pytest.raises(LeaseLost):
        consolidate(store, on_moment=undo)

    assert episodes(store) == before
    assert consolidate(store).state is State.DONE


def test_the_guard_is_asked_inside_every_transaction(world: World) -> None:
    store = world.store()
    talk(store)
    asked: list[int] = []

    def guard(connection: object) -> None:
        asked.append(1)
        if len(asked) == 2:
            raise LeaseLost("the slot is another's")

    with pytest.raises(LeaseLost):
        consolidate(store, guard=guard)

    assert episodes(store) == 1


def test_nothing_new_costs_no_run(world: World) -> None:
    store = world.store()
    talk(store)
    consolidate(store)
    before = export(world.database, with_runs=True)

    report = consolidate(store)

    assert (report.state, report.run, report.steps) == (State.UNCHANGED, "", ())
    assert export(world.database, with_runs=True) == before


def answering(prompt: str) -> str:
    if not prompt.startswith("Sum up one stretch"):
        return '{"facts": []}'
    data = prompt.split(" begin\n", 1)[1].rsplit("\n", 2)[0]
    said = data.removeprefix("user: ")
    return json.dumps({"title": "A note", "gist": said})


class Outage(StratalError):
    """The provider is away."""


def test_an_outage_puts_off_the_steps_that_ask_and_does_the_others(world: World) -> None:
    store = world.store()
    talk(store)
    with store.write() as journal:
        for _ in range(2):  # side by side, as an import leaves them
            journal.add(memory("The old boat lies here.", at=journal.at), reason="a test")
    away, asked = [True], [0]

    def complete(prompt: str) -> str:
        if away:
            raise Outage("503")
        asked[0] += 1
        return answering(prompt)

    paused = consolidate(store, model=Model(complete=complete))
    before = episodes(store)
    away.clear()
    done = consolidate(store, model=Model(complete=complete, spent=lambda: Cost(calls=asked[0])))

    assert paused.state is State.PAUSED
    [step] = [step for step in paused.steps if step.name == "episodes"]
    assert "put off" in step.note
    assert "503" in step.note
    assert {change.step for change in paused.changes} == {"reconcile"}
    assert before == 0
    assert (done.state, done.run, done.cost.calls) == (State.DONE, paused.run, asked[0])
    assert episodes(store) == 3
    assert [step.note for step in done.steps if step.name == "episodes"] == [""]


def test_an_answer_that_cannot_be_used_is_parked_and_blocks_no_other(world: World) -> None:
    store = world.store()
    talk(store)

    def complete(prompt: str) -> str:
        return "poison" if "printer" in prompt else answering(prompt)

    report = consolidate(store, model=Model(complete=complete))

    told = [one.after for one in report.changes if one.step == "episodes"]
    assert report.state is State.DONE
    assert sorted(told) == [
        "A note. I saw a heron.",
        "A note. The boat leaks.",
        "The user said: The printer jams.",
    ]


def test_runs_of_two_agents_of_a_user_go_side_by_side(world: World) -> None:
    main, coach = world.store(), world.store(agent="coach")
    talk(main)
    talk(coach)

    first = consolidate(main, limits=Limits(items=1))
    second = consolidate(coach)

    assert second.state is State.DONE
    assert consolidate(main).run == first.run


def test_a_preview_tells_what_rules_would_do_and_asks_no_model(world: World) -> None:
    store = world.store()
    talk(store)

    def never(prompt: str) -> str:
        raise AssertionError("a preview spends nothing")

    preview = consolidate(store, dry_run=True, model=Model(complete=never))

    assert preview.state is State.PREVIEW
    assert len(preview.changes) == 3


def test_a_run_that_was_cut_off_still_knows_when_time_will_have_work_for_it(world: World) -> None:
    store = world.store()
    until = world.clock() + timedelta(days=3)
    with store.write() as journal:
        plan = memory("The user flies to Rome.", at=journal.at)
        journal.add(replace(plan, valid_to=until), reason="a test")
    talk(store)

    def crash(moment: Moment) -> None:
        if (moment.step, moment.moment, moment.done) == ("episodes", "committed", 2):
            raise Stop

    with pytest.raises(Stop):
        consolidate(store, on_moment=crash)
    assert consolidate(store).resumed
    early = consolidate(store)
    world.clock.pass_(days=5)
    late = consolidate(store)

    assert early.state is State.UNCHANGED
    assert "aging" in {change.step for change in late.changes}


def test_what_rests_on_a_step_that_was_put_off_waits_for_it(world: World) -> None:
    store = world.store()
    talk(store)
    world.clock.pass_(days=1)
    away = [True]

    def complete(prompt: str) -> str:
        if away:
            raise Outage("503")
        return answering(prompt)

    paused = consolidate(store, model=Model(complete=complete))
    away.clear()
    done = consolidate(store, model=Model(complete=complete))

    notes = {step.name: step.note for step in paused.steps}
    assert notes["rollups"] == "put off: episodes come first"
    assert [change.after for change in done.changes if change.step == "rollups"] == [
        "They talked about: A note; A note; A note."
    ]


def test_a_slice_plans_no_item_it_has_no_room_for(world: World) -> None:
    store = world.store()
    talk(store)
    asked: list[str] = []

    def complete(prompt: str) -> str:
        if prompt.startswith("Sum up one stretch"):
            asked.append(prompt)
        return answering(prompt)

    consolidate(store, model=Model(complete=complete), limits=Limits(items=1))
    first = len(asked)
    consolidate(store, model=Model(complete=complete))

    assert (first, len(asked)) == (1, 3)


def test_a_model_that_was_asked_before_is_counted_from_where_it_stood(world: World) -> None:
    store = world.store()
    talk(store)
    asked = [7]

    def complete(prompt: str) -> str:
        asked[0] += 1
        return answering(prompt)

    model = Model(complete=complete, spent=lambda: Cost(calls=asked[0]))
    report = consolidate(store, model=model)

    assert report.cost.calls == asked[0] - 7
