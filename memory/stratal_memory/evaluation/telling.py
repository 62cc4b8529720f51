"""A conversation goes into memory the way any does: sessions, turns, messages, the gate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from stratal_memory.evaluation.dataset import Conversation, TurnRow
from stratal_memory.learning.gate import take_in
from stratal_memory.records import Message, Role, Session, TurnState, new_id
from stratal_memory.store import Store
from stratal_memory.truth import messages, sessions, turns

ROLES = tuple(Role)


@dataclass
class Calendar:
    """A clock that shows the time something was said at."""

    now: datetime

    def __call__(self) -> datetime:
        """The time it was set to."""
        return self.now


def tell(
    store: Store,
    conversation: Conversation,
    *,
    clock: Calendar,
    on_turn: Callable[[], None] = lambda: None,
) -> dict[str, str]:
    """The turn id of every message that was written, by message id; `clock` is the store's."""
    written: dict[str, str] = {}
    for spoken in conversation.sessions():
        clock.now = spoken[0].at
        with store.write() as journal:
            session = sessions.start_session(
                journal.connection, user=store.user, agent=store.reach.principal.agent, at=clock.now
            )
        for turn in spoken:
            clock.now = turn.at
            message = _said(store, session, turn)
            take_in(store, session, [message])
            written[message.id] = turn.turn_id
            on_turn()
    return written


def _said(store: Store, session: Session, row: TurnRow) -> Message:
    """The stored message of one turn of the conversation."""
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id=new_id("req"), model="none", at=journal.at
        )
        item = Message(role=role_of(row), text=text_of(row))
        (kept,) = messages.append(journal.connection, turn, [item], at=journal.at)
        turns.close_turn(journal.connection, turn.id, state=TurnState.DONE, at=journal.at, usage="")
    return kept


def role_of(row: TurnRow) -> Role:
    """The assistant's turns are the assistant's; whoever else speaks is a user."""
    spoke = row.role or row.speaker
    return Role.ASSISTANT if spoke.casefold() in ("assistant", "ai", "bot") else Role.USER


def text_of(row: TurnRow) -> str:
    """What was said as a message: who spoke where that is a name, and what a picture shows."""
    text = f"{row.text} [image: {row.caption}]" if row.caption else row.text
    named = row.speaker.strip() and row.speaker.casefold() not in ROLES
    return f"{row.speaker.strip()}: {text}" if named else text


def turn_ids(refs: Sequence[str], written: dict[str, str]) -> list[str]:
    """The turns behind the ids of messages, in their order, each once."""
    return list(dict.fromkeys(written[ref] for ref in refs if ref in written))
