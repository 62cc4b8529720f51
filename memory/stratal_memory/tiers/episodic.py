"""What was said: raw messages, searchable at once, and the episodes sessions settle into."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import (
    SAID_BY_USER,
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
    lowest_trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.messages import mark_remembered
from stratal_memory.truth.sessions import lowest_read

# A long message is searchable in windows of this many characters (the embedder reads 256 tokens);
# past the last one it stays in the history, and an event says what is not searchable.
WINDOW = 1_000
WINDOWS = 24

TRUST = {Role.USER: Trust.USER, Role.ASSISTANT: Trust.ASSISTANT}
SOURCE = {Role.USER: SAID_BY_USER, Role.ASSISTANT: "said by the assistant"}


@dataclass(frozen=True, slots=True)
class Episodes:
    """The conversations one principal can search."""

    store: Store

    def windows(self, session: Session, messages: Sequence[Message]) -> list[Memory]:
        """The memories that make `messages` searchable, not written yet.

        What the assistant says may repeat what it read in the session: it is trusted no more.
        """
        with self.store.read() as connection:
            read = lowest_read(connection, session.id)
        return [memory for message in messages for memory in self._windows(session, message, read)]

    def write(
        self,
        journal: Journal,
        messages: Sequence[Message],
        windows: Sequence[Memory],
        rows: Sequence[Vectors | None],
    ) -> None:
        """Make `messages` searchable by their windows, in the journal's transaction."""
        for memory, row in zip(windows, rows, strict=True):
            journal.add(memory, reason="said in a conversation", vector=row)
        for message in messages:
            _note_unsearchable(journal, message)
        mark_remembered(journal.connection, [message.id for message in messages])

    def _windows(self, session: Session, message: Message, read: Trust) -> list[Memory]:
        if message.role not in TRUST or not message.text.strip() or message.created is None:
            return []
        trust = TRUST[message.role]
        if message.role is Role.ASSISTANT:
            trust = lowest_trust(trust, read)
        starts = [
            start
            for start in range(0, len(message.text), WINDOW)[:WINDOWS]
            if message.text[start : start + WINDOW].strip()
        ]
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
                trust=trust,
                status=Status.ACTIVE,
                confidence=CONFIDENCE[trust],
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
