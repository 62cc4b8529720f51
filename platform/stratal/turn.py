"""The way of a message, top to bottom: this is the file to open first."""

import logging
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from stratal import calibrating, compaction
from stratal.assembling import assembled, in_prompt
from stratal.context.assembler import Assembled
from stratal.context.ledger import Ledger, recalled
from stratal.context.packing import pack
from stratal.context.unpacking import unpack
from stratal.context.validator import validate
from stratal.conversation import Conversation
from stratal.errors import ContextOverflow, InputError, ProviderError, TurnInProgress
from stratal.prompting import read_trust, standing
from stratal.providers.provider import Completion, StopReason, TextDelta, Usage
from stratal.reply import (
    USAGE,
    Finished,
    Reply,
    Told,
    ToolRan,
    TurnEvent,
    citations,
    total,
    total_cost,
)
from stratal.tools.calls import distinct_calls
from stratal_memory.learning.gate import UNLEARNABLE, Decision, Fate, take_in
from stratal_memory.learning.redaction import redact
from stratal_memory.recall.candidates import Verdict
from stratal_memory.recall.recall import Recollection, recall
from stratal_memory.records import Message, Role, ToolCall, TurnState
from stratal_memory.text import storable
from stratal_memory.truth import ledgers, messages, recalls, sessions, turns
from stratal_memory.truth.turns import Turn

log = logging.getLogger(__name__)

MOST_COMPRESSIONS = 2  # times a turn moves the cut, and overflows it answers
STEP_LIMIT = "I stopped here: this turn reached its limit of {steps} model calls."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A turn that has begun: its message is durable."""

    turn: Turn
    message: Message
    redacted: tuple[str, ...]


def take_turn(desk: Conversation, text: str, *, request_id: str) -> Iterator[TurnEvent]:
    """Answer one message; yields text and tool events, and `Finished` last.

    The same `request_id` never makes two turns: a finished one comes back as it was, one that a
    crash or an error cut off goes on where it stopped. Raises a `StratalError`; the message stays
    in the history whatever happens, and giving up half-way (closing the iterator) harms nothing.
    """
    opened = _append(desk, text, request_id)  # 1
    if opened.turn.state is TurnState.DONE:
        yield Finished(reply=_stored_reply(desk, opened))
        return
    try:
        found = _recall(desk, opened)  # 2, 3, 4
        exchange = _Exchange(desk=desk, opened=opened, recalled=found)
        yield from exchange.run()  # 5, 6, 7, 8, 9
        learned = _learn(desk, opened)  # 10
        compaction.after_turn(exchange.desk, exchange.ledger)
        yield Finished(reply=exchange.reply(learned))
    finally:
        _leave(desk, opened.turn)


def _append(desk: Conversation, text: str, request_id: str) -> _Opened:
    """1: the message is durable before anything else happens; secrets never reach the disk."""
    clean = redact(storable(text))
    if not clean.text.strip():
        raise InputError("the message is empty", hint="Write something, or /quit to leave.")
    who = desk.store.reach.principal
    with desk.store.write() as journal:
        turn = turns.find_turn(
            journal.connection, user=who.user, agent=who.agent, request_id=request_id
        )
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
    return _Opened(turn=turn, message=message, redacted=clean.kinds)


def _take_over(desk: Conversation, turn: Turn) -> None:
    """Raises `TurnInProgress` unless whoever worked on the turn is gone."""
    at_work = desk.store.database.is_at_work(owner=turn.owner, turn=turn.id)
    if (turn.state is TurnState.OPEN and at_work) or turn.session != desk.session.id:
        raise TurnInProgress(
            f"request {turn.request_id!r} is being answered right now",
            hint="Ask again with the same request id when it is done: the answer is kept.",
        )


def _recall(desk: Conversation, opened: _Opened) -> Recollection:
    """2-4: what memory has to say, ranked, gated, capped and fenced."""
    found = recall(
        desk.store,
        opened.message.text,
        settings=desk.recall,
        count=desk.counter.count,
        nonce=opened.turn.id.rpartition("_")[2][:12],
        in_prompt=in_prompt(desk) | {opened.message.id},
    )
    with desk.store.write() as journal:
        scored = [(c.memory.id, c.score) for c in found.candidates if c.verdict is Verdict.IN]
        recalls.keep_recalls(journal.connection, opened.turn.id, scored)
        sessions.lower_trust(journal.connection, desk.session.id, read_trust(found))
    return found


class _Exchange:
    """Steps 5 to 9: ask the model, run the tools it calls, until it answers."""

    def __init__(self, *, desk: Conversation, opened: _Opened, recalled: Recollection) -> None:
        self.desk = desk
        self.opened = opened
        self.recalled = recalled
        self.completions: list[Completion] = []
        self.assembled: Assembled | None = None
        self.warnings: tuple[str, ...] = ()
        self._compressions = 0
        self.standing = standing(desk, opened.message.text, recalled)

    def run(self) -> Iterator[TurnEvent]:
        """Text and tool events; afterwards the last completion is the answer."""
        for _ in range(self.desk.max_steps):
            completion = self._append_answer((yield from self._complete()))
            if not completion.tool_calls:
                return
            yield from self._run_tools(completion)
        told = STEP_LIMIT.format(steps=self.desk.max_steps)
        self._append_answer(Completion(text=told, stop=StopReason.LENGTH, quotes_only=True))
        yield Told(text=told)

    def _complete(self) -> Generator[TurnEvent, None, Completion]:
        """The model's answer; a window that is smaller than we counted is met with less."""
        for _ in range(MOST_COMPRESSIONS):
            try:
                return (yield from self._ask())
            except ContextOverflow as error:
                self.desk = calibrating.after_overflow(self.desk, self._latest(), error)
        return (yield from self._ask())

    def _ask(self) -> Generator[TurnEvent, None, Completion]:
        made = self._assemble()  # 5, 6
        self.assembled = replace(made, ledger=made.ledger.sealed())
        request = made.request
        validate(request, provider=self.desk.provider.name)  # 7
        self._keep_ledger(self.ledger)
        for item in self.desk.provider.stream(request):  # 8
            if isinstance(item, TextDelta):
                yield Told(text=item.text)
            else:
                self.warnings += calibrating.warnings(self.desk, request, item)
                self.desk = calibrating.after_answer(self.desk, request, item.usage)
                return item
        raise ProviderError(f"{self.desk.provider.name} ended without an answer")

    def _assemble(self) -> Assembled:
        """5 and 6: fixed sections are counted, history gets the rest; request and ledger.

        A history that no longer fits is cut, and a summary takes its place, which takes room too.
        """
        made = self._assembled()
        while made.moved is not None and self._compressions < MOST_COMPRESSIONS:
            self._compressions += 1
            compaction.follow(self.desk, made.moved)
            made = self._assembled()
        compaction.spill(self.desk, aged=made.aged)
        return made

    def _assembled(self) -> Assembled:
        parts, message = self.standing.parts, self.opened.message
        return assembled(self.desk, parts, message, turn=self.opened.turn.id)

    @property
    def ledger(self) -> Ledger:
        """The account of the latest request."""
        return self._latest().ledger

    def _latest(self) -> Assembled:
        assert self.assembled is not None, "nothing was asked yet"
        return self.assembled

    def _keep_ledger(self, ledger: Ledger) -> None:
        packed = pack(ledger)
        with self.desk.store.write() as journal:
            ledgers.keep_ledger(journal.connection, self.opened.turn.id, packed.json, packed.texts)

    def _append_answer(self, completion: Completion) -> Completion:
        """9: the answer is durable before a tool runs or the turn ends.

        Some servers count their calls anew in every answer; in a conversation an id names one
        call, so one that was used gets a new id before it is stored.
        """
        if completion.tool_calls:
            completion = self._with_own_calls(completion)
        self.completions.append(completion)
        message = Message(
            role=Role.ASSISTANT,
            text=completion.text,
            tool_calls=completion.tool_calls,
            reasoning=completion.reasoning,
            opaque=completion.opaque,
        )
        with self.desk.store.write() as journal:
            (kept,) = messages.append(
                journal.connection, self.opened.turn, [_redacted(message)], at=journal.at
            )
            if completion.quotes_only:  # nothing new is in it: never learned, not even later
                messages.mark_remembered(journal.connection, [kept.id])
            if not completion.tool_calls:
                usage = USAGE.dump_json(self._usage()).decode()
                turn = self.opened.turn.id
                turns.close_turn(
                    journal.connection, turn, state=TurnState.DONE, at=journal.at, usage=usage
                )
        return completion

    def _with_own_calls(self, completion: Completion) -> Completion:
        with self.desk.store.read() as connection:
            ids = [call.id for call in completion.tool_calls]
            used = messages.used_call_ids(connection, self.desk.session.id, ids)
        calls = distinct_calls(completion.tool_calls, used)
        return replace(completion, tool_calls=tuple(_redacted_call(call) for call in calls))

    def _usage(self) -> Usage:
        return total(completion.usage for completion in self.completions)

    def _run_tools(self, completion: Completion) -> Iterator[TurnEvent]:
        for call in completion.tool_calls:
            result = self.standing.tools.run(call)
            with self.desk.store.write() as journal:
                messages.append(
                    journal.connection, self.opened.turn, [_redacted(result)], at=journal.at
                )
                reading = self.standing.reading
                found = list(reading.found.items())
                recalls.keep_recalls(journal.connection, self.opened.turn.id, found)
                sessions.lower_trust(journal.connection, self.desk.session.id, reading.trust)
            yield ToolRan(
                name=call.name,
                arguments=call.arguments,
                result=result.text,
                failed=result.tool_failed,
            )

    def reply(self, learned: tuple[Decision, ...]) -> Reply:
        """The finished turn for the caller."""
        answer, procedure = self.completions[-1], self.standing.parts.procedure
        return Reply(
            text=answer.text,
            session=self.desk.session.id,
            turn=self.opened.turn.id,
            model=str(self.desk.model),
            citations=citations(
                answer.text, recalled(self.ledger.candidates), verbatim=answer.quotes_only
            ),
            usage=self._usage(),
            ledger=self.ledger,
            learned=learned,
            procedure=procedure.name if procedure else "",
            redacted=self.opened.redacted,
            cost=total_cost((one.usage for one in self.completions), self.desk.info.prices),
            warnings=self.warnings,
        )


def _redacted(message: Message) -> Message:
    """`message` fit for the disk: no secrets of known shape, whoever wrote them."""
    return replace(
        message,
        text=redact(storable(message.text)).text,
        reasoning=redact(storable(message.reasoning)).text,
        opaque="" if redact(message.opaque).kinds else message.opaque,  # signed: all or nothing
    )


def _redacted_call(call: ToolCall) -> ToolCall:
    return replace(call, arguments=redact(storable(call.arguments)).text)


def _learn(desk: Conversation, opened: _Opened) -> tuple[Decision, ...]:
    """10: candidates are accepted, held, or refused; the exchange becomes searchable.

    The turn is done by now; what fails here is told, and tried again later.
    """
    with desk.store.read() as connection:
        said = messages.of_turn(connection, opened.turn.id)
    try:
        return tuple(take_in(desk.store, desk.session, said))
    except UNLEARNABLE as error:
        log.warning("turn %s could not be taken in: %s", opened.turn.id, error)
        reason = f"it could not be taken into memory yet: {error}"
        return (Decision(fate=Fate.REFUSED, text=opened.message.text[:80], reason=reason),)


def _stored_reply(desk: Conversation, opened: _Opened) -> Reply:
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


def _leave(desk: Conversation, turn: Turn) -> None:
    """A turn that ends without an answer is marked so; its messages stay."""
    try:
        with desk.store.write() as journal:
            turns.abort_turn(journal.connection, turn.id, at=journal.at)
    finally:  # whatever the disk says, nobody works on it any more
        desk.store.database.working.discard(turn.id)
