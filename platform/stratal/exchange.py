"""Steps 5 to 9 of the way of a message: budget, request, model, tools, until there is an answer."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from stratal import calibrating, compaction, spilling
from stratal.assembling import assembled
from stratal.context.assembler import Assembled
from stratal.context.budget import is_over
from stratal.context.ledger import Ledger, recalled
from stratal.context.packing import pack
from stratal.context.validator import validate
from stratal.conversation import Conversation
from stratal.errors import ContextBudgetError, ContextOverflow, ProviderError
from stratal.prompting import standing
from stratal.providers.provider import Completion, StopReason, TextDelta, Usage
from stratal.reply import USAGE, Reply, Told, ToolRan, TurnEvent, citations, total, total_cost
from stratal.tools.calls import distinct_calls
from stratal_memory.learning.gate import Decision
from stratal_memory.learning.redaction import redact
from stratal_memory.recall.recall import Recollection
from stratal_memory.records import Message, Role, ToolCall, TurnState
from stratal_memory.text import storable
from stratal_memory.truth import ledgers, messages, recalls, sessions, turns
from stratal_memory.truth.turns import Turn

MOST_OVERFLOWS = 2  # refusals for length that one turn answers with less
MOST_MOVES = 2  # times the cut moves before one call
UNIQUE = 20  # characters of a call's id; one so long was drawn by chance, not counted
STEP_LIMIT = "I stopped here: this turn reached its limit of {steps} model calls."


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A turn that has begun: its message is durable."""

    turn: Turn
    message: Message
    redacted: tuple[str, ...]


class Exchange:
    """Steps 5 to 9: ask the model, run the tools it calls, until it answers."""

    def __init__(self, *, desk: Conversation, opened: Opened, recalled: Recollection) -> None:
        self.desk = desk
        self.opened = opened
        self.completions: list[Completion] = []
        self.assembled: Assembled | None = None
        self.warnings: tuple[str, ...] = ()
        self._overflows = 0
        self.standing = standing(desk, opened.message.text, recalled)

    def run(self) -> Iterator[TurnEvent]:
        """Text and tool events; afterwards the last completion is the answer."""
        for _ in range(self.desk.max_steps):
            completion = self._append_answer((yield from self._complete()))
            self._learn_from(completion)
            if not completion.tool_calls:
                return
            yield from self._run_tools(completion)
        told = STEP_LIMIT.format(steps=self.desk.max_steps)
        self._append_answer(Completion(text=told, stop=StopReason.LENGTH, quotes_only=True))
        yield Told(text=told)

    def _complete(self) -> Generator[TurnEvent, None, Completion]:
        """The model's answer; a window that is smaller than we counted is met with less."""
        while True:
            try:
                return (yield from self._ask())
            except ContextOverflow as error:
                if self._overflows == MOST_OVERFLOWS:
                    raise
                self._overflows += 1
                self.desk = calibrating.after_overflow(self.desk, self._latest(), error)

    def _ask(self) -> Generator[TurnEvent, None, Completion]:
        made = self._assemble()  # 5, 6
        self.assembled = replace(made, ledger=made.ledger.sealed())
        request = made.request
        validate(request, provider=self.desk.provider.name)  # 7
        self._check_budget()
        self._keep_ledger(self.ledger)
        for item in self.desk.provider.stream(request):  # 8
            if isinstance(item, TextDelta):
                yield Told(text=item.text)
            else:
                return item
        raise ProviderError(f"{self.desk.provider.name} ended without an answer")

    def _check_budget(self) -> None:
        """P20: before each call, apart from the planner, which leaves nothing to find."""
        ledger, budget = self.ledger, self.desk.budget
        if is_over(
            message_tokens=ledger.used,
            tool_tokens=0,
            reserve=budget.output_reserve,
            window=budget.window,
        ):
            raise ContextBudgetError(
                fixed=ledger.used, reserve=budget.output_reserve, window=budget.window
            )

    def _learn_from(self, completion: Completion) -> None:
        """The answer is stored by now; the next request is counted as this one was billed."""
        request = self._latest().request
        self.warnings += calibrating.warnings(self.desk, request, completion)
        self.desk = calibrating.after_answer(self.desk, request, completion.usage)

    def _assemble(self) -> Assembled:
        """5 and 6: fixed sections are counted, history gets the rest; request and ledger.

        A history that no longer fits is cut, and a summary takes its place, which takes room too.
        """
        made = self._assembled()
        for _ in range(MOST_MOVES):
            if made.moved is None:
                break
            compaction.follow(self.desk, made.moved)
            made = self._assembled()
        spilling.spill(self.desk, aged=made.aged)
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
            ids = [call.id for call in completion.tool_calls if len(call.id) < UNIQUE]
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
