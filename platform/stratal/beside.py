"""Turns of one conversation that go on at the same time."""

from stratal.conversation import Conversation
from stratal_memory.truth import messages, turns


def answered_beside(desk: Conversation, *, turn: str = "") -> tuple[int, ...]:
    """The rows where other turns than `turn` begin that are answered right now, oldest first.

    What they say is not history yet: it is neither shown nor summarised nor hidden.
    """
    with desk.store.read() as connection:
        going = [
            other.id
            for other in turns.open_turns(connection, desk.session.id)
            if other.id != turn and desk.store.database.is_at_work(owner=other.owner, turn=other.id)
        ]
        began = (messages.of_turn(connection, other)[:1] for other in going)
        return tuple(sorted(one.seq for first in began for one in first))
