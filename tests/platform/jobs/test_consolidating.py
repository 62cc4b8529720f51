"""Consolidation as a job: of everybody, in slices, with the model that reads or without."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert

from stratal.errors import NotFound
from stratal.jobs.configured import job_table, pace_of
from stratal.jobs.listing import everybody, past
from stratal.jobs.outcome import Outcome
from stratal.jobs.running import run_now
from stratal.jobs.worker import Worker
from stratal.options import Options
from stratal.settings import Settings, load_settings
from stratal_memory.truth import runs
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import sessions
from stratal_memory.truth.slots import Wanted
from stratal_procedures import shelf
from tests.fakes.clock import FakeClock
from tests.platform.conftest import OpenAgent, OpenTalker
from tests.platform.ordering import TOOLS, order_and_leave, works
from tests.platform.talking import Talker

NIGHT = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def talk(open_agent: OpenAgent, user: str, *said: str, agent: str = "main") -> Database:
    spoken = open_agent(options=Options(user=user, agent=agent))
    for text in said or ("My name is Anna.",):
        spoken.send(text)
    return spoken.store.database


def worker(settings: Settings, database: Database, clock: FakeClock, **jobs: object) -> Worker:
    part = settings.jobs.model_copy(update=jobs)
    settings = settings.model_copy(update={"jobs": part})
    table = job_table(settings, database, clock=clock, zone=UTC)
    return Worker(database=database, table=table, pace=pace_of(settings), clock=clock)


def consolidated(one: Worker, due: datetime = NIGHT, user: str | None = None) -> list[Outcome]:
    return run_now(one, "consolidate", due=due, user=user)


def runs_of(database: Database, user: str) -> int:
    with database.read() as connection:
        return len(runs.find(connection, user=user))


def test_a_due_time_makes_one_run_for_each_user(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    talk(open_agent, "alice")
    database = talk(open_agent, "bob")
    clock.now = NIGHT

    done = consolidated(worker(settings, database, clock))

    assert [(outcome.user, outcome.state) for outcome in done] == [
        ("alice", "done"),
        ("bob", "done"),
    ]
    assert (runs_of(database, "alice"), runs_of(database, "bob")) == (1, 1)
    assert all("changes, run run_" in outcome.outcome for outcome in done)
    assert all(o.started and o.ended and o.started < o.ended for o in done)


def test_the_same_due_time_again_does_nothing_and_the_next_runs_again(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    clock.now = NIGHT
    mine = worker(settings, database, clock)
    consolidated(mine)

    again = consolidated(mine)
    next_night = consolidated(mine, NIGHT + timedelta(days=1))

    assert again == []
    assert [outcome.state for outcome in next_night] == ["done"]
    assert len(past(database, empty=True).outcomes) == 2


def test_one_user_alone_may_be_run_for(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    talk(open_agent, "alice")
    database = talk(open_agent, "bob")

    done = consolidated(worker(settings, database, clock), user="bob")

    assert [outcome.user for outcome in done] == ["bob"]
    assert runs_of(database, "alice") == 0


def test_names_with_a_slash_do_not_take_each_others_due_time(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    talk(open_agent, "alice/home", agent="cook")
    database = talk(open_agent, "alice", agent="home/cook")

    done = consolidated(worker(settings, database, clock))

    assert [(o.user, o.agent) for o in done] == [("alice", "home/cook"), ("alice/home", "cook")]
    assert everybody(database) == [(o.user, o.agent) for o in done]


def test_a_conversation_that_is_going_on_is_not_settled(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    agent = open_agent("alice")
    agent.send("My name is Anna.")

    consolidated(worker(settings, agent.store.database, clock), clock())

    (session,) = agent.sessions()
    assert session.episode_of is None


def test_a_silence_that_makes_it_due_is_long_enough_to_settle(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    agent = open_agent("alice")
    agent.send("My name is Anna.")
    clock.now += timedelta(minutes=31)  # `jobs.idle_minutes` is an hour

    consolidated(worker(settings, agent.store.database, clock, consolidate="idle 30m"), clock())

    (session,) = agent.sessions()
    assert session.episode_of is not None


def test_slices_add_up_to_one_run(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    said = ("My name is Anna.", "I live in Graz.", "I'm allergic to kiwi.")
    database = talk(open_agent, "alice", *said)
    clock.now = NIGHT

    [done] = consolidated(worker(settings, database, clock, slice_items=1))

    assert done.state == "done"
    assert done.changes > 1
    assert runs_of(database, "alice") == 1


def test_a_run_that_ended_before_its_worker_died_is_told_as_that_run(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    class Died(BaseException):
        """The process is gone."""

    def die(step: str) -> None:
        if step == "worked":
            raise Died

    database = talk(open_agent, "alice")
    clock.now = NIGHT
    mine = worker(settings, database, clock)
    with pytest.raises(Died):
        consolidated(
            Worker(database=database, table=mine.table, pace=mine.pace, clock=clock, on_step=die)
        )
    clock.now += timedelta(hours=1)  # the lease is over

    done = mine.step(Wanted(jobs=("consolidate",)))

    assert done is not None
    assert (done.state, done.run != "") == ("done", True)
    assert done.changes > 0
    assert runs_of(database, "alice") == 1


def test_old_conversations_go_when_retention_is_due(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    agent = open_agent("alice")
    agent.send("My name is Anna.")
    mine = worker(settings, agent.store.database, clock)
    clock.now = NIGHT
    consolidated(mine)  # what has no episode yet is kept
    clock.now += timedelta(days=91)

    [done] = run_now(mine, "retention", due=clock(), user="alice")

    assert (done.state, done.changes) == ("done", 1)
    assert done.outcome == "conversations: 1 archived, 0 erased"


def test_retention_is_off_unless_it_is_set(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    octopus = load_settings({"data": settings.data, "preset": "octopus"}, environment={})

    usual = worker(settings, database, clock).table.scheduled
    preset = job_table(octopus, database, clock=clock).scheduled

    assert [job.name for job in usual] == ["consolidate"]
    assert [job.name for job in preset] == ["consolidate", "retention"]


# Failures.


def insert_nameless(database: Database, clock: FakeClock) -> None:
    """A user whose name can't be one: what another program wrote into the truth."""
    with database.write() as connection:
        connection.execute(
            insert(sessions).values(
                id="ses_x", user="*", agent="main", title="", started=clock(), last_active=clock()
            )
        )


def test_one_users_failure_is_kept_and_stops_nobody_else(
    open_agent: OpenAgent,
    settings: Settings,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    database = talk(open_agent, "alice")
    insert_nameless(database, clock)

    bad, good = consolidated(worker(settings, database, clock))

    assert (bad.user, bad.state, good.user, good.state) == ("*", "failed", "alice", "done")
    assert "pattern" in bad.outcome
    assert "consolidate of * failed" in caplog.text
    assert {o.user: o.outcome for o in past(database, empty=True).outcomes} == {
        "*": bad.outcome,
        "alice": good.outcome,
    }


def test_a_missing_embedding_model_is_each_users_outcome(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    unknown = load_settings(
        {"data": settings.data}, environment={"STRATAL_EMBEDDING__MODEL": "nothing:such"}
    )

    [done] = consolidated(worker(unknown, database, clock))

    assert done.outcome.startswith("failed: the embedding model 'nothing:such' is not known")


def test_there_is_no_other_job(open_agent: OpenAgent, settings: Settings, clock: FakeClock) -> None:
    mine = worker(settings, talk(open_agent, "alice"), clock)

    with pytest.raises(NotFound, match="'dream'") as caught:
        run_now(mine, "dream", due=NIGHT)

    assert "consolidate" in caught.value.hint


def test_a_run_drafts_what_was_done_three_times_before_silence(
    open_talker: OpenTalker, settings: Settings, clock: FakeClock
) -> None:
    agent = open_talker(Talker(works), tools=TOOLS)
    order_and_leave(agent)
    clock.pass_(minutes=61)

    consolidated(worker(settings, agent.store.database, clock), clock())

    assert len(shelf.list_drafts(agent.store)) == 1
