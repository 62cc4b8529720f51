"""A small world for tests of memory: one data directory, a clock, and people who talk."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
from sqlalchemy import Table, select

from stratal_memory.embedding.embedder import Embedder, Generation, Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.learning.resolution import Statement
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Message,
    Role,
    Scope,
    ScopeKind,
    Session,
    Status,
    Trust,
    TurnState,
    new_id,
)
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.truth import messages, sessions, turns
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import chunks, evidence, memories, runs
from stratal_memory.truth.schema import sessions as session_table
from stratal_memory.truth.schema import turns as turn_table
from tests.fakes.clock import FakeClock


class DrawnEmbedder:
    """Vectors drawn by hand, by text; any other text gets its own direction. Counts its texts."""

    def __init__(
        self, drawn: dict[str, tuple[float, ...]], *, dimension: int = 64, revision: str = "1"
    ) -> None:
        self.generation = Generation(model="drawn", revision=revision, dimension=dimension)
        self.drawn = drawn
        self.texts: list[str] = []
        self._other = HashEmbedder(dimension)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts.extend(texts)
        rows = self._other.embed(texts)
        for row, text in zip(rows, texts, strict=True):
            if text in self.drawn:
                row[:] = 0
                row[: len(self.drawn[text])] = self.drawn[text]
                row /= np.linalg.norm(row)
        return rows


@dataclass
class World:
    """One data directory and who uses it."""

    database: Database
    clock: FakeClock = field(default_factory=FakeClock)
    stores: list[Store] = field(default_factory=list)

    def store(
        self,
        user: str = "alice",
        *,
        agent: str = "main",
        project: str | None = None,
        org: str | None = None,
        embedder: Embedder | None = None,
        scan_limit: int = 30_000,
    ) -> Store:
        principal = Principal(user=user, agent=agent, project=project, org=org)
        store = Store.open(
            self.database, principal, embedder=embedder, clock=self.clock, scan_limit=scan_limit
        )
        self.stores.append(store)
        return store

    def close(self) -> None:
        for store in self.stores:
            store.close()
        self.database.close()


def opened(folder: Path) -> World:
    return World(Database.open(folder))


def begin(store: Store) -> Session:
    with store.write() as journal:
        return sessions.start_session(
            journal.connection,
            user=store.user,
            agent=store.reach.principal.agent,
            at=journal.at,
        )


def say(store: Store, session: Session, text: str, answer: str = "") -> list[Message]:
    """A finished turn in the history; nothing of it is in memory yet."""
    items = [Message(role=Role.USER, text=text)]
    if answer:
        items.append(Message(role=Role.ASSISTANT, text=answer))
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id=new_id("req"), model="test", at=journal.at
        )
        kept = messages.append(journal.connection, turn, items, at=journal.at)
        turns.close_turn(journal.connection, turn.id, state=TurnState.DONE, at=journal.at, usage="")
    return kept


def turns_of(store: Store, session: Session) -> list[str]:
    """The ids of the turns of a conversation, in the order they began."""
    begun = (turn_table.c.session == session.id) & turn_table.c.first_seq.is_not(None)
    with store.read() as connection:
        query = select(turn_table.c.id).where(begun).order_by(turn_table.c.first_seq)
        return list(connection.execute(query).scalars())


def statement(
    text: str,
    *,
    at: datetime,
    user: str = "alice",
    trust: Trust = Trust.USER,
    ref: str = "",
    facet: str = "",
    value: str = "",
    single_valued: bool = False,
    correction: bool = False,
    retracts: bool = False,
    instead_of: str = "",
    status: Status = Status.ACTIVE,
) -> Statement:
    return Statement(
        text=text,
        scope=Scope(ScopeKind.USER, user),
        trust=trust,
        source="a test",
        valid_from=at,
        evidence=Evidence(ref=ref or new_id("msg"), end=len(text), quote=text),
        facet=facet,
        value=value,
        single_valued=single_valued,
        correction=correction,
        retracts=retracts,
        instead_of=instead_of,
        status=status,
    )


def memory(
    text: str,
    *,
    at: datetime,
    form: Form = Form.FACT,
    scope: Scope | None = None,
    confidence: float = 0.9,
    trust: Trust = Trust.USER,
    source: str = "a test",
    id: str = "",
    key: str = "",
    status: Status = Status.ACTIVE,
) -> Memory:
    return Memory(
        id=id or new_id("mem"),
        key=key or new_id("key"),
        text=text,
        kind=Kind.SEMANTIC,
        form=form,
        scope=scope or Scope(ScopeKind.USER, "alice"),
        trust=trust,
        status=status,
        confidence=confidence,
        source=source,
        recorded_at=at,
        valid_from=at,
    )


def export(database: Database, *, with_runs: bool = False) -> bytes:
    """All that memory holds, in one order: equal bytes mean an equal state."""
    tables: list[tuple[Table, tuple[str, ...]]] = [
        (memories, ()),
        (evidence, ()),
        (chunks, ()),
        (session_table, ("id", "episode_of")),
        *([(runs, ())] if with_runs else []),
    ]
    with database.read() as connection:
        found = {
            table.name: sorted(
                json.dumps(dict(row), default=str, sort_keys=True)
                for row in connection.execute(
                    select(*(table.c[name] for name in names or table.c.keys() if name != "seq"))
                ).mappings()
            )
            for table, names in tables
        }
    return json.dumps(found, sort_keys=True).encode()


def texts(found: Sequence[Memory]) -> list[str]:
    return [one.text for one in found]
