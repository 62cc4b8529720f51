"""The timer: one effect a due time and user, failures kept, schedules as cron means them."""

import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert

from stratal import jobs
from stratal.agent import Options
from stratal.errors import ConfigError
from stratal.jobs import Outcome, everybody, past, run_due, serve
from stratal.settings import Settings, load_settings
from stratal_memory.truth import runs
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import sessions
from tests.fakes.clock import FakeClock
from tests.platform.conftest import OpenAgent

NIGHT = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Schedules are in the machine's zone."""
    monkeypatch.setenv("TZ", "UTC")


def scheduled(settings: Settings, schedule: str) -> Settings:
    part = settings.jobs.model_copy(update={"consolidate": schedule})
    return settings.model_copy(update={"jobs": part})


def talk(open_agent: OpenAgent, user: str, *, agent: str = "main") -> Database:
    spoken = open_agent(options=Options(user=user, agent=agent))
    spoken.send("My name is Anna.")
    return spoken.store.database


def runs_of(database: Database, user: str) -> int:
    with database.read() as connection:
        return len(runs.find(connection, user=user))


def insert_nameless(database: Database, clock: FakeClock) -> None:
    """A user whose name can't be one: what another program wrote into the truth."""
    with database.write() as connection:
        connection.execute(
            insert(sessions).values(
                id="ses_x", user="*", agent="main", title="", started=clock(), last_active=clock()
            )
        )


# One effect.


def test_a_due_time_makes_one_run_for_each_user(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    talk(open_agent, "alice")
    database = talk(open_agent, "bob")
    clock.now = NIGHT

    done = run_due(settings, database, due=NIGHT, clock=clock)

    assert [outcome.user for outcome in done] == ["alice", "bob"]
    assert (runs_of(database, "alice"), runs_of(database, "bob")) == (1, 1)
    assert all("changes, run run_" in outcome.outcome for outcome in done)
    assert all(o.started and o.ended and o.started < o.ended for o in done)


def test_the_same_due_time_again_does_nothing(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    clock.now = NIGHT
    run_due(settings, database, due=NIGHT, clock=clock)

    again = run_due(settings, database, due=NIGHT, clock=clock)

    assert again == []
    assert runs_of(database, "alice") == 1


def test_the_next_due_time_runs_again(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    clock.now = NIGHT
    run_due(settings, database, due=NIGHT, clock=clock)

    (again,) = run_due(settings, database, due=NIGHT + timedelta(days=1), clock=clock)

    assert again.user == "alice"
    assert runs_of(database, "alice") == 2


def test_names_with_a_slash_do_not_take_each_others_due_time(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    talk(open_agent, "alice/home", agent="cook")
    database = talk(open_agent, "alice", agent="home/cook")

    done = run_due(settings, database, due=NIGHT, clock=clock)

    assert [(o.user, o.agent) for o in done] == [("alice", "home/cook"), ("alice/home", "cook")]
    assert {(o.user, o.agent) for o in past(database)} == {(o.user, o.agent) for o in done}


def test_a_conversation_that_is_going_on_is_not_settled(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    agent = open_agent("alice")
    agent.send("My name is Anna.")

    run_due(settings, agent.store.database, due=clock(), clock=clock)

    (session,) = agent.sessions()
    assert session.episode_of is None


CLAIM = """
import sys
from datetime import datetime
from pathlib import Path
from stratal.jobs import run_due
from stratal.settings import load_settings
from stratal_memory.truth.database import Database

settings = load_settings(
    {"data": Path(sys.argv[1])}, environment={"STRATAL_EMBEDDING__MODEL": "none"}
)
with Database.open(settings.data) as database:
    sys.stdin.readline()
    print(len(run_due(settings, database, due=datetime.fromisoformat(sys.argv[2]))))
"""


def test_two_processes_with_one_due_time_make_one_run(
    open_agent: OpenAgent, settings: Settings
) -> None:
    # promise 6: one effect per due slot
    database = talk(open_agent, "alice")
    started = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIM, str(settings.data), NIGHT.isoformat()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]

    for process in started:  # both have the database open before either runs
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = [process.communicate(timeout=60)[0].strip() for process in started]

    assert sorted(printed) == ["0", "1"]
    assert runs_of(database, "alice") == 1


# Failures.


def test_one_users_failure_is_kept_and_stops_nobody_else(
    open_agent: OpenAgent,
    settings: Settings,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    database = talk(open_agent, "alice")
    insert_nameless(database, clock)

    bad, good = run_due(settings, database, due=NIGHT, clock=clock)

    assert (bad.user, good.user) == ("*", "alice")
    assert bad.outcome.startswith(jobs.FAILED)
    assert "pattern" in bad.outcome
    assert "changes" in good.outcome
    assert "consolidation of * failed" in caplog.text
    assert {o.user: o.outcome for o in past(database)} == {
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

    (done,) = run_due(unknown, database, due=NIGHT, clock=clock)

    assert done.outcome.startswith("failed: the embedding model 'nothing:such' is not known")


def test_the_past_begins_with_the_latest(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    dues = [NIGHT + timedelta(days=day) for day in range(3)]
    for due in dues:
        run_due(settings, database, due=due, clock=clock)

    assert [outcome.due for outcome in past(database, limit=2)] == [dues[2], dues[1]]


# Schedules.


@pytest.mark.parametrize(
    "schedule", ["", "never", "* * * *", "61 3 * * *", "0 3 * * 9", "0 3 * * 1/0", "0 3 31 2 *"]
)
def test_what_is_no_cron_schedule_is_a_config_error(
    open_agent: OpenAgent, settings: Settings, schedule: str
) -> None:
    database = open_agent().store.database

    with pytest.raises(ConfigError, match=r"jobs\.consolidate") as caught:
        jobs.jobs(scheduled(settings, schedule), database)

    assert caught.value.hint


@pytest.mark.parametrize(
    ("schedule", "due"),
    [
        ("0 3 * * *", "Sat 21"),
        ("0 3 * * 0", "Sun 22"),  # cron counts weekdays from Sunday
        ("0 3 * * 7", "Sun 22"),
        ("0 3 * * 1", "Mon 23"),
        ("0 3 * * 1-5", "Mon 23"),
        ("0 3 * * 0-1", "Sun 22"),
        ("0 3 * * 2,4", "Tue 24"),
        ("0 3 * * 1-5/2", "Mon 23"),
        ("0 3 * * wed", "Wed 25"),
        ("0 3 1 * *", "Tue 01"),
    ],
)
def test_a_schedule_means_what_cron_means(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock, schedule: str, due: str
) -> None:
    # the clock says Friday, 2026-11-20, nine o'clock
    database = open_agent().store.database

    (job,) = jobs.jobs(scheduled(settings, schedule), database, clock=clock)

    assert f"{job.next_due:%a %d}" == due
    assert job.next_due.hour == 3


def test_the_job_says_for_how_many_it_runs(open_agent: OpenAgent, settings: Settings) -> None:
    talk(open_agent, "alice")
    database = talk(open_agent, "bob")

    (job,) = jobs.jobs(settings, database)

    assert (job.name, job.schedule, job.users) == ("consolidate", "0 3 * * *", 2)
    assert everybody(database) == [("alice", "main"), ("bob", "main")]


# Serving.


def test_serving_fires_at_each_due_time_and_says_when_the_next_is(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    outcomes: list[Outcome] = []
    idle: list[datetime] = []

    def three_nights(schedule: str, fire: Callable[[], None]) -> None:
        assert schedule == "0 3 * * *"
        for night in range(3):
            clock.now = NIGHT + timedelta(days=night)
            fire()

    serve(
        settings,
        database,
        on_outcome=outcomes.append,
        on_idle=idle.append,
        clock=clock,
        timer=three_nights,
    )

    assert [outcome.due for outcome in outcomes] == [NIGHT + timedelta(days=n) for n in range(3)]
    assert idle == [NIGHT + timedelta(days=n) for n in range(4)]


def test_due_times_that_were_slept_through_are_made_up_for_once(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    outcomes: list[Outcome] = []
    idle: list[datetime] = []

    def wake_late(schedule: str, fire: Callable[[], None]) -> None:
        clock.now = NIGHT + timedelta(days=3, hours=5)
        fire()

    serve(
        settings,
        database,
        on_outcome=outcomes.append,
        on_idle=idle.append,
        clock=clock,
        timer=wake_late,
    )

    assert [outcome.due for outcome in outcomes] == [NIGHT + timedelta(days=3)]
    assert idle[-1] == NIGHT + timedelta(days=4)


def test_a_failed_firing_does_not_hold_up_the_next(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    database = talk(open_agent, "alice")
    dues: list[datetime] = []

    def two_nights(schedule: str, fire: Callable[[], None]) -> None:
        clock.now = NIGHT
        with pytest.raises(BrokenPipeError):
            fire()
        clock.now = NIGHT + timedelta(days=1)
        fire()

    def tell(outcome: Outcome) -> None:
        dues.append(outcome.due)
        if len(dues) == 1:
            raise BrokenPipeError

    serve(
        settings,
        database,
        on_outcome=tell,
        on_idle=lambda due: None,
        clock=clock,
        timer=two_nights,
    )

    assert dues == [NIGHT, NIGHT + timedelta(days=1)]


def test_a_bad_schedule_is_refused_before_anything_is_waited_for(
    open_agent: OpenAgent, settings: Settings
) -> None:
    waited: list[str] = []

    with pytest.raises(ConfigError):
        serve(
            scheduled(settings, "nightly"),
            open_agent().store.database,
            on_outcome=lambda outcome: None,
            on_idle=lambda due: None,
            timer=lambda schedule, fire: waited.append(schedule),
        )

    assert waited == []


WAITING = """
from apscheduler.triggers.cron import CronTrigger
CronTrigger.get_next_fire_time = lambda self, previous, now: None if previous else now
from stratal.jobs import cron_timer
try:
    cron_timer("0 3 * * *", lambda: print("fired", flush=True))
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def _heeding_interrupts() -> None:
    """A shell starts what it puts into the background with interrupts ignored, for good."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_the_real_timer_fires_and_waits_until_it_is_interrupted() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=_heeding_interrupts,
    )
    assert process.stdout is not None
    fired = process.stdout.readline()

    for _ in range(20):  # APScheduler drops an interrupt that meets it while it hands a job over
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=2)
            break
        except subprocess.TimeoutExpired:
            continue

    assert fired == "fired\n"
    assert process.communicate(timeout=10)[0] == "stopped\n"
    assert process.returncode == 0
