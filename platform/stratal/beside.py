"""Turns of one conversation that go on at the same time."""

from stratal.conversation import Conversation
from stratal_memory.truth import turns


def answered_beside(desk: Conversation, *, turn: str = "") -> tuple[int, ...]:
    """The rows where other turns than `turn` begin that are answered right now, oldest first.

    What they say is not history yet: it is neither shown nor summarised nor hidden.
    """
    with desk.store.read() as connection:
        others = [
            other
            for other in turns.open_turns(connection, desk.session.id)
            if other.id != turn and other.first_seq
        ]
    at_work = desk.store.database.is_at_work
    going = (one.first_seq for one in others if at_work(owner=one.owner, turn=one.id))
    return tuple(sorted(going))
