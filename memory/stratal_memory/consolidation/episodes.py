"""Sessions settle into episodes: one dated summary each, the raw messages stay."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, and_

from stratal_memory.consolidation.report import Change
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Message,
    Role,
    ScopeKind,
    Session,
    Status,
    Trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.truth import memories, sqlite
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.memories import QUESTIONS
from stratal_memory.truth.messages import of_session
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.sessions import find_sessions

SENTENCES = 6  # of a session's most telling ones; an episode snippet is short (O-caps, Os7)
LONGEST = 160  # characters of one of them
SESSIONS = 200  # a run; the next run goes on
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


@dataclass(frozen=True, slots=True)
class Draft:
    """An episode that is ready to be written."""

    session: Session
    text: str
    messages: tuple[Message, ...]
    vector: Vectors | None


def draft(store: Store, *, idle: timedelta) -> list[Draft]:
    """The episodes of sessions that nothing was said in for `idle` and that changed since."""
    principal = store.reach.principal
    with store.read() as connection:
        found = find_sessions(connection, user=principal.user, agent=principal.agent)
        due = [
            session
            for session in found
            if session.messages
            and session.episode_of != session.last_active
            and session.last_active <= store.clock() - idle
        ]
        told = [_told(store, connection, session) for session in due[:SESSIONS]]
    rows = store.embed([text.partition(QUESTIONS)[0] for _, text, _ in told])
    return [
        Draft(session, text, messages, row)
        for (session, text, messages), row in zip(told, rows, strict=True)
    ]


def _told(
    store: Store, connection: Connection, session: Session
) -> tuple[Session, str, tuple[Message, ...]]:
    said = [message for message in of_session(connection, session.id) if message.role is Role.USER]
    # Whole messages: half of an e-mail address at the end of a sentence looks like none.
    texts = [store.private(strip_injected(message.text)) for message in said]
    return session, _summary(connection, texts), tuple(said)


def _summary(connection: Connection, said: Sequence[str]) -> str:
    """The user's most telling sentences in the order they came: those with the rarest words."""
    sentences = [
        " ".join(sentence.split())[:LONGEST]
        for text in said
        for sentence in _SENTENCE.findall(text)
        if sentence.strip()
    ]
    distinct = list(dict.fromkeys(sentences))
    weights = sqlite.rarity(connection, distinct)
    best = sorted(range(len(distinct)), key=lambda i: (-weights[i], i))[:SENTENCES]
    chosen = [distinct[i] for i in sorted(best)]
    asked = [sentence for sentence in chosen if sentence.endswith(("?", "？"))]
    told = [sentence for sentence in chosen if sentence not in asked]
    said_part = f"The user said: {' '.join(told)}" if told else ""
    asked_part = f"{QUESTIONS}{' '.join(asked)}" if asked else ""
    return f"{said_part}{asked_part}".strip()


def settle(store: Store, journal: Journal, drafts: Sequence[Draft]) -> list[Change]:
    """Write the episodes; one that grew replaces its earlier version."""
    changes: list[Change] = []
    for item in drafts:
        if item.text:
            changes.extend(_write(store, journal, item))
        else:
            journal.settle(item.session, reason="the user said nothing")
    return changes


def _write(store: Store, journal: Journal, item: Draft) -> list[Change]:
    where = and_(visible(store.reach, forms=(Form.EPISODE,)), table.c.session == item.session.id)
    found = memories.select_memories(journal.connection, where)
    old = found[0] if found else None
    if old and [seen.ref for seen in old.evidence] == [said.id for said in item.messages]:
        journal.settle(item.session, reason="the user said nothing new")
        return []
    reason = f"{len(item.messages)} messages of the user on {item.session.started:%Y-%m-%d}"
    if old:
        journal.close(old, status=Status.SUPERSEDED, reason="the session went on")
    journal.add(_episode(store, journal, item, old), reason=reason, vector=item.vector)
    journal.settle(item.session, reason=reason)
    return [
        Change(
            step="episodes",
            action="replaced" if old else "added",
            before=old.text if old else "",
            after=item.text,
            reason=reason,
        )
    ]


def _episode(store: Store, journal: Journal, item: Draft, old: Memory | None) -> Memory:
    return Memory(
        id=new_id("mem"),
        key=old.key if old else new_id("key"),
        version=old.version + 1 if old else 1,
        text=item.text,
        kind=Kind.EPISODIC,
        form=Form.EPISODE,
        scope=store.reach.principal.scope(ScopeKind.USER),
        agent=item.session.agent,
        session=item.session.id,
        trust=Trust.USER,
        status=Status.ACTIVE,
        confidence=CONFIDENCE[Trust.USER],
        source="a past conversation",
        recorded_at=journal.at,
        valid_from=item.session.started,
        valid_to=item.session.last_active,
        supersedes=old.id if old else "",
        evidence=tuple(
            Evidence(ref=message.id, end=len(message.text)) for message in item.messages
        ),
    )
