"""What waits for a person: pending messages, provisional, contested and quarantined facts."""

from dataclasses import dataclass

from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.truth import memories, messages, waiting
from stratal_memory.truth.access import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A message that a model has yet to read."""

    message: str  # its id
    session: str
    text: str  # its first 200 characters
    failure: str  # why it failed last; empty when it only waits for its turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """All that waits, each list newest first, pending messages oldest first."""

    pending: tuple[Pending, ...]
    provisional: tuple[Memory, ...]
    contested: tuple[Memory, ...]
    quarantined: tuple[Memory, ...]


def to_review(store: Store) -> Review:
    """What waits for the store's user, in the scopes the store reaches."""
    return Review(
        pending=tuple(_pending(store)),
        provisional=_with(store, Status.PROVISIONAL),
        contested=_with(store, Status.CONTESTED),
        quarantined=_with(store, Status.QUARANTINED),
    )


def _with(store: Store, status: Status) -> tuple[Memory, ...]:
    where = visible(store.reach, forms=(Form.FACT,), statuses=(status,))
    with store.read() as connection:
        return tuple(memories.select_memories(connection, where, newest_first=True))


def _pending(store: Store) -> list[Pending]:
    with store.read() as connection:
        places = waiting.waiting(connection, user=store.user)
        failed = waiting.failures(connection, user=store.user, places=places)
        texts = {
            one.id: one.text
            for session in dict.fromkeys(session for _, session in places)
            for one in messages.of_session(connection, session)
        }
    return [
        Pending(
            message=message,
            session=session,
            text=texts.get(message, "")[:200],
            failure=failed.get(message, ""),
        )
        for message, session in places
    ]
