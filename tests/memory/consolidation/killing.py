"""A night in which every step has something to do, killed at a named point and taken up again.

`python -m tests.memory.consolidation.killing FOLDER [POINT ...]` prints, as JSON, the state that
each kill and the call after it left beside the state of an undisturbed run.
"""

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select

from stratal_memory.consolidation.pipeline import STEPS, Moment, consolidate
from stratal_memory.consolidation.report import Report
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.outcomes import Outcome
from stratal_memory.records import Status
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import runs, sqlite, usefulness
from stratal_memory.truth.database import Database
from stratal_memory.truth.runs import Run
from stratal_memory.truth.schema import evidence, memories, outbox, sessions, vectors
from stratal_memory.truth.schema_usefulness import usefulness as tally
from stratal_memory.truth.usefulness import Turned
from tests.memory.worlds import begin, memory, opened, say, statement

_ID = re.compile(r"\b[a-z]+_[0-9a-f]{20}\b")
LATER = timedelta(days=40)
MOMENTS = ("planning", "item", "committed", "done")
POINTS = tuple(f"{kind.name}:{moment}" for kind in STEPS for moment in MOMENTS)


def build(folder: Path) -> datetime:
    """A data directory in which each step will find work; the moment of the night."""
    from stratal_memory.learning.resolution import resolve

    world = opened(folder)
    store = world.store(embedder=HashEmbedder())
    for place, text in enumerate(("I saw a heron.", "The printer jams. Why?", "I fixed the boat.")):
        say(store, begin(store), text)
        if place == 1:
            world.clock.pass_(days=1)
    at = world.clock()
    with store.write() as journal:
        held = statement("The user may like jazz.", at=at, status=Status.PROVISIONAL)
        resolve(journal, held, vector=None)
        for _ in range(2):
            journal.add(memory("The old boat lies by the shed.", at=at), reason="a test")
        for place, value in enumerate(("Lisbon", "Porto")):
            home = memory(f"The user lives in {value}.", at=at + timedelta(days=place))
            journal.add(replace(home, facet="home", value=value), reason="a test")
        over = memory("The user flies to Rome.", at=at)
        journal.add(replace(over, valid_to=at + timedelta(days=3)), reason="a test")
    Facts(store).add_all([f"The user collects {what}." for what in ("stamps", "maps", "knots")])
    denied = Facts(store).add("The shop shuts at noon.").memory
    with store.write() as journal:
        wrong = Turned(key=denied.key, memory=denied.id, before=None, after=Outcome.CORRECTED)
        usefulness.count_in(journal.connection, [wrong], user=store.user)
    world.clock.pass_(days=LATER.days)
    with store.write() as journal:  # as if a disk had lost it
        lost = select(memories.c.seq).where(memories.c.text == "The user collects knots.")
        sqlite.remove_text(journal.connection, journal.connection.execute(lost).scalars().all())
    night = world.clock()
    world.close()
    return night


def settle(folder: Path, night: datetime, *, on_moment: Callable[[Moment], None]) -> None:
    """One call of a run at the moment `night`."""
    with Database.open(folder) as database:
        principal = Principal(user="alice", agent="main")
        store = Store.open(database, principal, embedder=HashEmbedder(), clock=lambda: night)
        consolidate(store, on_moment=on_moment)
        store.close()


def state(folder: Path) -> list[str]:
    """All that memory holds but ids, in one order, and what the runs say they changed."""
    with Database.open(folder) as database, database.read() as connection:
        rows = connection.execute(select(memories)).mappings().all()
        texts = {row["id"]: row["text"] for row in rows}
        cited = connection.execute(select(evidence).order_by(evidence.c.position)).mappings().all()
        embedded = set(connection.execute(select(vectors.c.memory)).scalars())
        told = [
            json.dumps(
                {
                    **{name: str(row[name]) for name in _FIELDS},
                    "cites": [
                        texts.get(one["ref"], one["quote"])
                        for one in cited
                        if one["memory"] == row["id"]
                    ],
                    "embedded": row["seq"] in embedded,
                },
                sort_keys=True,
            )
            for row in rows
        ]
        settled = connection.execute(select(sessions.c.episode_of)).scalars()
        told += [f"session {at}" for at in settled]
        told.append(f"outbox {bool(connection.execute(select(outbox)).first())}")
        counts = connection.execute(select(tally.c.fed_used, tally.c.fed_corrected))
        told += [f"usefulness {tuple(row)}" for row in counts]
        told += [_run(one) for one in runs.find(connection, user="alice")]
    return sorted(told)


def _run(run: Run) -> str:
    changes = Report.from_json(run.report).changes
    said = sorted((one.step, one.action, one.before, one.after, one.reason) for one in changes)
    return f"run {run.state} {run.wake} {_ID.sub('ID', str(said))}"


_FIELDS = (
    "form", "text", "status", "version", "facet", "value", "confidence", "support", "trust",
    "pinned", "valid_from", "valid_to", "recorded_at", "retired_at",
)  # fmt: skip


def killed(folder: Path, night: datetime, point: str, *, times: int = 1) -> bool:
    """Whether a child was killed at the `times`-th time it came to `point`."""
    child = os.fork()
    if child == 0:
        seen = [0]

        def die(moment: Moment) -> None:
            if f"{moment.step}:{moment.moment}" == point:
                seen[0] += 1
                if seen[0] == times:
                    os.kill(os.getpid(), signal.SIGKILL)

        settle(folder, night, on_moment=die)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def trials(folder: Path, points: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """What each kill came to; the first is the undisturbed run's."""
    start = folder / "start"
    night = build(start)

    def fresh(name: str) -> Path:
        return Path(shutil.copytree(start, folder / name))

    whole = fresh("whole")
    settle(whole, night, on_moment=lambda moment: None)
    expected = state(whole)
    yield {"point": "none", "killed": False, "same": expected != state(start)}
    for place, point in enumerate(points):
        here = fresh(f"trial{place}")
        died = killed(here, night, point)
        settle(here, night, on_moment=lambda moment: None)
        yield {"point": point, "killed": died, "same": state(here) == expected}
        shutil.rmtree(here)


def main() -> None:
    """Print each trial as one line of JSON."""
    folder, *points = sys.argv[1:]
    for found in trials(Path(folder), tuple(points) or POINTS):
        sys.stdout.write(f"{json.dumps(found)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
