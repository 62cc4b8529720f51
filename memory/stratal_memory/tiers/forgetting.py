"""What goes with a forgotten memory: the sentences it was learned from, wherever recall finds them.

The conversation keeps its words. Its lines in recall go on without those sentences, and what was
told of it falls: the next consolidation tells it without them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, and_, select

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.injected import strip_injected
from stratal_memory.leaving_out import holding, without_words
from stratal_memory.records import Evidence, Form, Memory, Role, ScopeKind, Status, new_id
from stratal_memory.store import Store
from stratal_memory.truth import forgotten, memories, waiting
from stratal_memory.truth.archiving import ARCHIVE_TEXT
from stratal_memory.truth.forgotten import Forgotten
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.memories import PAGE
from stratal_memory.truth.schema import evidence, messages, sessions
from stratal_memory.truth.schema import memories as table

REPEATED = 3  # characters; an answer that holds a shorter value may mean something else
WAIT = 100_000  # messages that wait for a model, looked through for those that must not any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the user's own conversations."""

    id: str
    session: str
    turn: str
    text: str  # as memory may hold it
    archived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A line of a conversation in recall, and what is left of it."""

    line: Memory
    text: str


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What goes with `found`, which one person forgets.

    Only of the user's own conversations, and nothing with what belongs to a project: that was not
    learned there, but shared.
    """

    store: Store
    found: tuple[Memory, ...]

    def vectors(self) -> dict[str, Vectors | None]:
        """The rows of what will be left of lines, made before the transaction; by their text."""
        with self.store.read() as connection:
            texts = [
                cut.text for cut in self._cuts(connection, self._words(connection)) if cut.text
            ]
        return dict(zip(texts, self.store.embed(texts), strict=True))

    def leave_out(self, journal: Journal, rows: Mapping[str, Vectors | None]) -> None:
        """Note the words that go, cut them out of recall, and end what was told of them."""
        connection = journal.connection
        words = self._words(connection)
        cuts = self._cuts(connection, words)
        for memory, some in words:
            forgotten.note(journal, memory, some)
        for cut in cuts:
            _shorten(journal, cut, rows.get(cut.text))
        every = [one for _, some in words for one in some]
        _let_wait_no_more(journal, every)
        for told in forgotten.told_of(connection, [one.message for one in every]):
            if self._tells(connection, told, every):
                forgotten.drop(journal, told, reason=forgotten.NOT_TOLD)

    def _words(self, connection: Connection) -> list[tuple[Memory, list[Forgotten]]]:
        own = self.store.reach.principal.scope(ScopeKind.USER)
        return [
            (one, list(dict.fromkeys(self._of(connection, one))))
            for one in self.found
            if one.scope == own
        ]

    def _of(self, connection: Connection, memory: Memory) -> Iterator[Forgotten]:
        """The words of a line, or those a fact was learned from and the answers that name it."""
        if memory.form is Form.MESSAGE:
            for seen in memory.evidence:
                yield Forgotten(message=seen.ref, session=memory.session, words=memory.text)
        elif memory.form is Form.FACT:
            proof = list(_proof(connection, memory))
            said = {one.id: one for one in self._said(connection, [seen.ref for seen, _ in proof])}
            for seen, fact in proof:
                if seen.ref in said:
                    yield from self._taught(connection, said[seen.ref], seen, fact)

    def _taught(
        self, connection: Connection, said: Said, seen: Evidence, fact: Memory
    ) -> Iterator[Forgotten]:
        words = seen.quote or fact.value or fact.text
        yield Forgotten(message=said.id, session=said.session, words=words)
        if len(fact.value) < REPEATED:
            return
        for answer in self._answers(connection, said.turn):
            if holding(answer.text, [fact.value]):
                yield Forgotten(message=answer.id, session=answer.session, words=fact.value)

    def _said(self, connection: Connection, ids: Sequence[str]) -> list[Said]:
        found: list[Said] = []
        for start in range(0, len(ids), PAGE):
            found += self._select(connection, messages.c.id.in_(ids[start : start + PAGE]))
        return found

    def _answers(self, connection: Connection, turn: str) -> list[Said]:
        answered = and_(messages.c.turn == turn, messages.c.role == Role.ASSISTANT)
        return self._select(connection, answered)

    def _select(self, connection: Connection, where: ColumnElement[bool]) -> list[Said]:
        rows = connection.execute(
            select(messages.c.id, messages.c.session, messages.c.turn, messages.c.text)
            .join(sessions, sessions.c.id == messages.c.session)
            .where(where, sessions.c.user == self.store.user)
        )
        return [
            Said(
                id=row.id,
                session=row.session,
                turn=row.turn,
                text=self.store.private(strip_injected(row.text)),
                archived=row.text == ARCHIVE_TEXT,
            )
            for row in rows
        ]

    def _cuts(
        self, connection: Connection, words: Sequence[tuple[Memory, Sequence[Forgotten]]]
    ) -> list[Cut]:
        """The lines that hold any of the words. A line may end within a sentence that goes."""
        by_message: dict[str, list[str]] = {}
        for _, some in words:
            for one in some:
                by_message.setdefault(one.message, []).append(one.words)
        for said in self._said(connection, sorted(by_message)):
            known = by_message[said.id]
            by_message[said.id] = [*known, *holding(said.text, known)]
        gone = {one.id for one in self.found}
        found: list[Cut] = []
        for line in self._lines(connection, sorted(by_message)):
            text = without_words(line.text, by_message[line.evidence[0].ref])
            if text != line.text and line.id not in gone:
                found.append(Cut(line=line, text=text))
        return found

    def _lines(self, connection: Connection, ids: Sequence[str]) -> list[Memory]:
        own = self.store.reach.principal.scope(ScopeKind.USER)
        found: list[Memory] = []
        for start in range(0, len(ids), PAGE):
            of = select(evidence.c.memory).where(evidence.c.ref.in_(ids[start : start + PAGE]))
            here = and_(
                table.c.id.in_(of),
                table.c.form == Form.MESSAGE,
                table.c.scope_kind == own.kind,
                table.c.scope_id == own.id,
                table.c.status == Status.ACTIVE,
            )
            found += memories.select_memories(connection, here)
        return found

    def _tells(self, connection: Connection, told: Memory, words: Sequence[Forgotten]) -> bool:
        """Whether an episode may tell the words; of words that are gone only its own are left."""
        said = self._said(connection, [seen.ref for seen in told.evidence])
        if not said or not all(one.archived for one in said):
            return True
        known = [one.words for one in words] + [one.value for one in self.found if one.value]
        return bool(holding(told.text, known))


def _proof(connection: Connection, memory: Memory) -> Iterator[tuple[Evidence, Memory]]:
    """What a fact rests on, and what the versions it was edited from rest on."""
    left, known = [memory], {memory.id}
    while left:
        fact = left.pop()
        yield from ((seen, fact) for seen in fact.evidence)
        refs = {seen.ref for seen in fact.evidence} - known
        known |= refs
        here = and_(
            table.c.id.in_(sorted(refs)),
            table.c.form == Form.FACT,
            table.c.scope_kind == memory.scope.kind,
            table.c.scope_id == memory.scope.id,
        )
        left += memories.select_memories(connection, here)


def _shorten(journal: Journal, cut: Cut, row: Vectors | None) -> None:
    line = cut.line
    status = Status.SUPERSEDED if cut.text else Status.RETRACTED
    reason = forgotten.NOT_TOLD
    journal.close(line, status=status, reason=reason, valid_to=line.valid_from)
    if cut.text:
        version = memories.next_version(journal.connection, line.key)
        left = replace(
            line,
            id=new_id("mem"),
            version=version,
            text=cut.text,
            supersedes=line.id,
            recorded_at=journal.at,
        )
        journal.add(left, reason="without what was forgotten", vector=row)


def _let_wait_no_more(journal: Journal, words: Sequence[Forgotten]) -> None:
    """No model reads these messages any more: it would learn the same again."""
    places = {(one.message, one.session) for one in words}
    for place in waiting.waiting(journal.connection, user=journal.user, limit=WAIT):
        if place in places:
            told = "something it says was forgotten"
            journal.note(waiting.SETTLED, reason=told, detail=waiting.detail(*place))
