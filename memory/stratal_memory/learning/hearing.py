"""What one message says, read with what was said before it and with what is known."""

from stratal_memory.errors import InputError
from stratal_memory.learning.amending import amended
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.closing import ended
from stratal_memory.learning.rules.answers import MAX_ANSWER
from stratal_memory.learning.rules.extraction import extract
from stratal_memory.records import Message, Session
from stratal_memory.store import Store
from stratal_memory.truth.answers import answer_before


def heard(store: Store, session: Session, message: Message, said: str) -> list[Found]:
    """The statements in a stored message of the user: what is new, what is over, what is put right.

    `said` is its text without what we put in. Raises `InputError` for a message without a time.
    """
    if message.created is None:
        raise InputError(f"message {message.id!r} has no time", hint="Take in stored messages.")
    asked = _asked(store, session, message)
    found = extract(said, store.gate.local(message.created), asked=asked)
    return amended(store, session, message, said, ended(store, message, said, found))


def _asked(store: Store, session: Session, message: Message) -> str:
    """What the assistant said right before a short `message`; empty when it was the first."""
    if len(message.text) > MAX_ANSWER:
        return ""
    with store.read() as connection:
        return answer_before(connection, session.id, seq=message.seq)
