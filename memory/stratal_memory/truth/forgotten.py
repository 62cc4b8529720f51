"""Words of a conversation that a person forgot: the conversation keeps them, memory does not.

Each is an event of the memory that was forgotten, so that undo takes it back with the rest.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, select

from stratal_memory.records import Event, Form, Memory, Status
from stratal_memory.truth import events, sessions
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.memories import PAGE, select_memories
from stratal_memory.truth.schema import events as event_table
from stratal_memory.truth.schema import evidence, memories
from stratal_memory.truth.schema import messages as message_table
from stratal_memory.truth.schema import sessions as session_table

FORGOTTEN = "message.forgotten"
NOT_TOLD = "something it told was forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Words that are not to be recalled or told again, and the message they stand in."""

    message: str
    session: str
    words: str


def note(journal: Journal, memory: Memory, found: Sequence[Forgotten]) -> None:
    """Note what goes with `memory`; the conversations are told anew at night."""
    for one in found:
        here = select(session_table.c.episode_of).where(session_table.c.id == one.session)
        settled = journal.connection.execute(here).scalar()
        events.record(
            journal.connection,
            at=journal.at,
            kind=FORGOTTEN,
            user=journal.user,
            reason="these words are not recalled or told any more",
            memory=memory.id,
            key=memory.key,
            run=journal.run,
            detail=(
                ("message", one.message),
                ("session", one.session),
                ("settled", settled.isoformat() if settled else ""),
                ("text", one.words),
            ),
        )
        sessions.mark_episode(journal.connection, one.session, of=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """All words that a user forgot and did not take back, by the id of their message."""

    user: str
    words: Mapping[str, Sequence[str]]
    seq: int  # the newest event when it was read

    def still(self, connection: Connection) -> bool:
        """Whether nothing was forgotten or taken back since."""
        later = and_(
            event_table.c.user == self.user,
            event_table.c.seq > self.seq,
            event_table.c.kind.in_((FORGOTTEN, "event.undone")),
        )
        return connection.execute(select(event_table.c.seq).where(later).limit(1)).first() is None


def words_in(connection: Connection, message: str) -> list[str]:
    """The words of one message that its user forgot."""
    whose = (
        select(session_table.c.user)
        .join(message_table, message_table.c.session == session_table.c.id)
        .where(message_table.c.id == message)
    )
    user = connection.execute(whose).scalar()
    return list(left_out(connection, user=user).words.get(message, ())) if user else []


def left_out(connection: Connection, *, user: str) -> LeftOut:
    """What `user` forgot of what was said, as it stands now."""
    found = connection.execute(
        select(event_table.c.detail).where(
            event_table.c.user == user,
            event_table.c.kind == FORGOTTEN,
            event_table.c.undone.is_(None),
        )
    ).scalars()
    words: dict[str, list[str]] = defaultdict(list)
    for text in found:
        detail = dict(json.loads(text))
        words[detail["message"]].append(detail["text"])
    return LeftOut(user=user, words=dict(words), seq=events.latest_seq(connection))


def put_back(connection: Connection, event: Event) -> None:
    """Let the conversation of a `FORGOTTEN` event be as settled as it was before."""
    detail = dict(event.detail)
    before = datetime.fromisoformat(detail["settled"]) if detail["settled"] else None
    sessions.mark_episode(connection, detail["session"], of=before)


def tell_anew(journal: Journal, undone: Iterable[Event]) -> None:
    """End what was told without the words that these undone events bring back.

    What the undo itself brought back stays.
    """
    every = list(undone)
    messages = [dict(one.detail)["message"] for one in every if one.kind == FORGOTTEN]
    back = {one.memory for one in every}
    for one in told_of(journal.connection, messages):
        if one.id not in back:
            drop(journal, one, reason="told without what is remembered again")
            sessions.mark_episode(journal.connection, one.session, of=None)


def told_of(connection: Connection, messages: Collection[str]) -> list[Memory]:
    """The single episodes that stand and tell any of these messages."""
    ids = sorted(set(messages))
    found: dict[str, Memory] = {}
    for start in range(0, len(ids), PAGE):
        cites = select(evidence.c.memory).where(evidence.c.ref.in_(ids[start : start + PAGE]))
        here = and_(
            memories.c.id.in_(cites),
            memories.c.form == Form.EPISODE,
            memories.c.facet == "",
            memories.c.status == Status.ACTIVE,
        )
        found.update((one.id, one) for one in select_memories(connection, here))
    return list(found.values())


def drop(journal: Journal, memory: Memory, *, reason: str) -> None:
    """End a telling, also for questions of the past; the next one takes its key."""
    journal.close(memory, status=Status.SUPERSEDED, reason=reason, valid_to=memory.valid_from)
