"""The way of a message, top to bottom: this is the file to open first."""

import logging
from collections.abc import Generator
from functools import partial

from stratal import compaction, practice, reading
from stratal.assembling import recalled_for
from stratal.context.ledger import recalled
from stratal.context.unpacking import unpack
from stratal.conversation import Conversation
from stratal.errors import InputError, TurnInProgress
from stratal.exchange import Exchange
from stratal.prompting import read_trust
from stratal.providers.provider import Usage
from stratal.recording import Opened, Record
from stratal.reply import USAGE, Finished, Reply, TurnEvent, citations
from stratal_memory.learning.gate import UNLEARNABLE, Decision, Fate, take_in
from stratal_memory.learning.observing import Answered, observe
from stratal_memory.learning.redaction import redact
from stratal_memory.recall.candidates import Verdict
from stratal_memory.recall.recall import Recollection
from stratal_memory.records import Message, Role, TurnState
from stratal_memory.text import storable
from stratal_memory.truth import ledgers, messages, recalls, sessions, turns
from stratal_memory.truth.archiving import ARCHIVE_TEXT
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.turns import Turn

log = logging.getLogger(__name__)


def take_turn(desk: Conversation, text: str, *, request_id: str) -> Generator[TurnEvent]:
    """Answer one message; yields text and tool events, and `Finished` last.

    The same `request_id` never makes two turns: a finished one comes back as it was, one that a
    crash or an error cut off goes on where it stopped, without doing twice what has an effect.
    Raises `InputError` for a `request_id` of another message, or another `StratalError`; the
    message stays in the history whatever happens, and giving up half-way (by `desk.cancel`, an
    interrupt, closing the iterator) leaves a sound history.
    """
    opened = _append(desk, text, request_id)  # 1
    if opened.turn.state is TurnState.DONE:
        yield Finished(reply=_stored_reply(desk, opened))
        return
    exchange: Exchange | None = None
    try:
        found = _recall(desk, opened)  # 2, 3, 4
        exchange = Exchange(desk=desk, opened=opened, recalled=found)
        yield from exchange.run()  # 5, 6, 7, 8, 9
        reply = exchange.reply(_learn(desk, opened, _answered(exchange)))  # 10
        practice.after_turn(desk, reply.turn, procedure=reply.procedure)
        compaction.after_turn(exchange.desk, exchange.ledger)
        reading.after_turn(desk)
        yield Finished(reply=reply)
    finally:
        _leave(desk, opened.turn, exchange)


def _append(desk: Conversation, text: str, request_id: str) -> Opened:
    """1: the message is durable before anything else happens; secrets never reach the disk."""
    clean = redact(storable(text))
    if not clean.text.strip():
        raise InputError("the message is empty", hint="Write something, or /quit to leave.")
    who = desk.store.reach.principal
    with desk.store.write() as journal:
        turn = turns.find_turn(
            journal.connection, user=who.user, agent=who.agent, request_id=request_id
        )
        if turn is not None:
            _check_same(journal, turn, clean.text)
        if turn is None:
            turn = turns.start_turn(
                journal.connection,
                desk.session,
                request_id=request_id,
                model=str(desk.model),
                owner=desk.store.database.owner,
                at=journal.at,
            )
            said = Message(role=Role.USER, text=clean.text)
            messages.append(journal.connection, turn, [said], at=journal.at)
        elif turn.state is not TurnState.DONE:
            _take_over(desk, turn)
            turns.reopen_turn(journal.connection, turn.id, owner=desk.store.database.owner)
        if turn.state is not TurnState.DONE:
            desk.store.database.working.add(turn.id)
        message = messages.of_turn(journal.connection, turn.id)[0]
    return Opened(turn=turn, message=message, redacted=clean.kinds)


def _check_same(journal: Journal, turn: Turn, text: str) -> None:
    """Raises `InputError` where the request was another message, or its words are gone."""
    kept = messages.of_turn(journal.connection, turn.id)[0].text
    if kept == ARCHIVE_TEXT:
        raise InputError(
            f"the words of request {turn.request_id!r} were archived, and its answer with them",
            hint="Ask again under a new request id.",
        )
    if kept != text:
        raise InputError(
            f"request {turn.request_id!r} was another message: an id names one message",
            hint="Give the new message a request id of its own.",
        )


def _take_over(desk: Conversation, turn: Turn) -> None:
    """Raises `TurnInProgress` unless whoever worked on the turn is gone."""
    at_work = desk.store.database.is_at_work(owner=turn.owner, turn=turn.id)
    if (turn.state is TurnState.OPEN and at_work) or turn.session != desk.session.id:
        raise TurnInProgress(
            f"request {turn.request_id!r} is being answered right now",
            hint="Ask again with the same request id when it is done: the answer is kept.",
        )


def _recall(desk: Conversation, opened: Opened) -> Recollection:
    """2-4: what memory has to say, ranked, gated, capped and fenced."""
    nonce = opened.turn.id.rpartition("_")[2][:12]
    found = recalled_for(desk, opened.message.text, nonce=nonce, said=opened.message.id)
    with desk.store.write() as journal:
        scored = [(c.memory.id, c.score) for c in found.candidates if c.verdict is Verdict.IN]
        recalls.keep_recalls(journal.connection, opened.turn.id, scored)
        sessions.lower_trust(journal.connection, desk.session.id, read_trust(found))
    return found


def _answered(exchange: Exchange) -> Answered:
    opened, answer = exchange.opened, exchange.completions[-1]
    given = {one.memory for one in recalled(exchange.ledger.candidates)}
    return Answered(
        session=opened.turn.session,
        turn=opened.turn.id,
        started=opened.turn.started,
        question=opened.message.text,
        reply=answer.text,
        shown=frozenset(given | exchange.standing.reading.found.keys()),
        quotes_only=answer.quotes_only,
    )


def _learn(desk: Conversation, opened: Opened, answered: Answered) -> tuple[Decision, ...]:
    """10: candidates are accepted, held, or refused; the exchange becomes searchable.

    What the answer did with the memories it was given is noted in the same transaction.
    The turn is done by now; what fails here is told, and tried again later.
    """
    with desk.store.read() as connection:
        said = messages.of_turn(connection, opened.turn.id)
    try:
        waits = desk.reader is not None
        used = partial(_note_use, desk, answered)
        return tuple(take_in(desk.store, desk.session, said, waits=waits, then=used))
    except UNLEARNABLE as error:
        log.warning("turn %s could not be taken in: %s", opened.turn.id, error)
        reason = f"it could not be taken into memory yet: {error}"
        return (Decision(fate=Fate.REFUSED, text=opened.message.text[:80], reason=reason),)


def _note_use(desk: Conversation, answered: Answered, journal: Journal) -> None:
    """What came of the memories; nothing of the turn is lost when that can't be told."""
    try:
        observe(desk.store, journal, answered)
    except UNLEARNABLE as error:
        log.warning("what came of the memories of %s is not known: %s", answered.turn, error)


def _stored_reply(desk: Conversation, opened: Opened) -> Reply:
    """The answer of a turn that is done, as it was given."""
    with desk.store.read() as connection:
        answer = messages.of_turn(connection, opened.turn.id)[-1]
        ledger = unpack(
            opened.turn.ledger,
            lambda digests: ledgers.texts_of(connection, opened.turn.session, digests),
        )
    return Reply(
        text=answer.text,
        session=opened.turn.session,
        turn=opened.turn.id,
        model=opened.turn.model,
        citations=citations(
            answer.text, recalled(ledger.candidates), verbatim=desk.provider.name == "offline"
        ),
        usage=USAGE.validate_json(opened.turn.usage) if opened.turn.usage else Usage(),
        ledger=ledger,
        redacted=opened.redacted,
        repeated=True,
    )


def _leave(desk: Conversation, turn: Turn, exchange: Exchange | None) -> None:
    """A turn that ends without an answer is marked so; its messages stay."""
    try:
        if exchange is not None:
            exchange.leave()
        else:
            Record(desk, turn).abort((), attempt="")
    finally:  # whatever the disk says, nobody works on it any more
        desk.store.database.working.discard(turn.id)
