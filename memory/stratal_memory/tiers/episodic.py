"""What was said: raw messages, searchable at once, and the episodes sessions settle into."""

from collections.abc import Sequence
from dataclasses import dataclass

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
from stratal_memory.truth import history
from stratal_memory.truth.history import Unremembered
from stratal_memory.truth.journal import Journal

# A long message is searchable in windows of this many characters (the embedder reads 256 tokens);
# past the last one it stays in the history, and an event says what is not searchable.
WINDOW = 1_000
WINDOWS = 24

TRUST = {Role.USER: Trust.USER, Role.ASSISTANT: Trust.ASSISTANT}
SOURCE = {Role.USER: "said by the user", Role.ASSISTANT: "said by the assistant"}


@dataclass(frozen=True, slots=True)
class Episodes:
    """The conversations one principal can search."""

    store: Store

    def remember(self, session: Session, messages: Sequence[Message]) -> list[Memory]:
        """The memories that make `messages` searchable; each message counts once."""
        made = [self._windows(session, message) for message in messages]
        flat = [memory for windows in made for memory in windows]
        rows = self.store.embed([memory.text for memory in flat])
        with self.store.write() as journal:
            for memory, row in zip(flat, rows, strict=True):
                journal.add(memory, reason="said in a conversation", vector=row)
            for message in messages:
                _note_unsearchable(journal, message)
            history.mark_remembered(journal.connection, [message.id for message in messages])
        return flat

    def catch_up(self) -> int:
        """How many messages were made searchable that a crash had left out."""
        done = 0
        while True:
            with self.store.read() as connection:
                left = history.unremembered(connection, user=self.store.user)
            if not left:
                return done
            for item in left:
                self._remember_one(item)
            done += len(left)

    def _remember_one(self, item: Unremembered) -> None:
        self.remember(item.session, [item.message])

    def _windows(self, session: Session, message: Message) -> list[Memory]:
        if message.role not in TRUST or not message.text.strip() or message.created is None:
            return []
        starts = range(0, len(message.text), WINDOW)[:WINDOWS]
        return [
            Memory(
                id=new_id("mem"),
                key=new_id("key"),
                text=message.text[start : start + WINDOW],
                kind=Kind.EPISODIC,
                form=Form.MESSAGE,
                scope=self.store.reach.principal.scope(ScopeKind.USER),
                agent=session.agent,
                session=session.id,
                trust=TRUST[message.role],
                status=Status.ACTIVE,
                confidence=CONFIDENCE[TRUST[message.role]],
                source=SOURCE[message.role],
                recorded_at=self.store.clock(),
                valid_from=message.created,
                evidence=(
                    Evidence(
                        ref=message.id, start=start, end=min(start + WINDOW, len(message.text))
                    ),
                ),
            )
            for start in starts
        ]


def _note_unsearchable(journal: Journal, message: Message) -> None:
    searchable = WINDOW * WINDOWS
    if len(message.text) > searchable:
        journal.note(
            "message.partly_searchable",
            reason=f"the first {searchable:,} of {len(message.text):,} characters are searchable",
            detail=(("message", message.id),),
        )
