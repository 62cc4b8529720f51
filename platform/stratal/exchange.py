"""Steps 5 to 9 of the way of a message: budget, request, model, tools, until there is an answer."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace

from stratal import calibrating, compaction, spilling
from stratal.assembling import assembled
from stratal.calling import Calling
from stratal.cancel import heeding
from stratal.context.assembler import Assembled
from stratal.context.budget import is_over
from stratal.context.ledger import Ledger, recalled
from stratal.context.repair import CUT_OFF
from stratal.context.validator import validate
from stratal.conversation import Conversation
from stratal.errors import ContextBudgetError, ContextOverflow, ProviderError
from stratal.prompting import standing
from stratal.providers.provider import Completion, StopReason, TextDelta, Usage
from stratal.recording import Opened, Record
from stratal.reply import Reply, Told, ToolRan, ToolStarted, TurnEvent, citations, total, total_cost
from stratal.tools.approval import ApprovalGate
from stratal_memory.learning.gate import Decision
from stratal_memory.recall.recall import Recollection
from stratal_memory.records import Message, ToolCall, Trust

MOST_OVERFLOWS = 2  # refusals for length that one turn answers with less
MOST_MOVES = 2  # times the cut moves before one call
MOST_SILENCES = 2  # empty answers of one turn that are asked for again
# What stands for an answer without words or calls.
SILENT = {
    StopReason.REFUSED: "The model refused to answer this.",
    StopReason.LENGTH: "The model reached its output limit before it said anything.",
}
EMPTY = "The model gave an empty answer."


class Exchange:
    """Steps 5 to 9: ask the model, run the tools it calls, until it answers."""

    def __init__(self, *, desk: Conversation, opened: Opened, recalled: Recollection) -> None:
        self.desk = desk
        self.opened = opened
        self.completions: list[Completion] = []
        self.assembled: Assembled | None = None
        self.warnings = desk.limits.warnings(desk.info.prices)
        self.standing = standing(desk, opened.message.text, recalled)
        self._record = Record(desk, opened.turn)
        self._budget = desk.budget  # before any refusal
        self._overflows = 0
        self._silences = 0
        self._written: list[str] = []  # of an answer that is not whole yet
        self._calling = Calling(
            opened.turn.id,
            tools=self.standing.tools,
            gate=ApprovalGate(self.standing.reading, desk.approve),
            cancel=desk.cancel,
        )

    def run(self) -> Iterator[TurnEvent]:
        """Text and tool events; afterwards the last completion is the answer."""
        left = self._record.unanswered()  # by a crash
        yield from self._answered(left, self._calling.resume(left))
        while not (told := self._limit()):
            completion = self._append_answer((yield from self._complete()))
            self._learn_from(completion)
            if not completion.tool_calls:
                return
            calls = completion.tool_calls
            yield from self._answered(calls, self._calling.run(calls))
        self._append_answer(Completion(text=told, stop=StopReason.LENGTH, quotes_only=True))
        yield Told(text=told)

    def leave(self) -> None:
        """The turn ends here; where it has no answer yet, what there is of it is kept."""
        results = [self._calling.outcome(call) for call in self._record.unanswered()]
        reading = self.standing.reading
        if any(one.text == CUT_OFF for one in results):  # nobody may repeat it unasked
            reading.note(Trust.TOOL)
        self._record.abort(results, attempt="".join(self._written), read=reading.trust)

    def _limit(self) -> str:
        """The words that end a turn which took all it may; empty while it may go on."""
        beside = self.standing.purse.spent
        return self.desk.limits.reached(self.completions, self.desk.info.prices, beside=beside)

    def _complete(self) -> Generator[TurnEvent, None, Completion]:
        """The model's answer, an empty one only after it was asked for again.

        A window that is smaller than we counted is met with less.
        """
        while True:
            try:
                answer = yield from self._ask()
            except ContextOverflow as error:
                if self._overflows == MOST_OVERFLOWS:
                    raise
                self._overflows += 1
                self.desk = calibrating.after_overflow(self.desk, self._latest(), error)
                continue
            if answer.tool_calls or answer.text.strip():
                return answer
            if self._silences == MOST_SILENCES or answer.stop in SILENT:
                told = SILENT.get(answer.stop, EMPTY)
                yield Told(text=told)
                return replace(answer, text=told, opaque="", quotes_only=True)
            self._silences += 1
            self._count(answer)  # it was billed

    def _ask(self) -> Generator[TurnEvent, None, Completion]:
        if self.desk.cancel is not None:
            self.desk.cancel.check()
        made = self._assemble()  # 5, 6
        self.assembled = replace(made, ledger=made.ledger.sealed())
        request = made.request
        validate(request, provider=self.desk.provider.name)  # 7
        self._check_budget()
        self._record.ledger(self.ledger)
        self._written.clear()
        for item in heeding(self.desk.provider.stream(request), self.desk.cancel):  # 8
            if not isinstance(item, TextDelta):
                return item
            self._written.append(item.text)
            yield Told(text=item.text)
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
        """A turn that outgrows what was guessed after a refusal may take what is known to fit."""
        parts, message = self.standing.parts, self.opened.message
        try:
            return assembled(self.desk, parts, message, turn=self.opened.turn.id)
        except ContextBudgetError:
            if not self._overflows:
                raise
            self.desk = calibrating.without_guess(self.desk, self._budget)
            return assembled(self.desk, parts, message, turn=self.opened.turn.id)

    @property
    def ledger(self) -> Ledger:
        """The account of the latest request."""
        return self._latest().ledger

    def _latest(self) -> Assembled:
        assert self.assembled is not None, "nothing was asked yet"
        return self.assembled

    def _append_answer(self, completion: Completion) -> Completion:
        """9: the answer is durable before a tool runs or the turn ends."""
        own = self._record.own_calls(completion)
        self._count(own)
        self._record.answer(own, usage=self._usage())
        self._written.clear()
        return own

    def _count(self, completion: Completion) -> None:
        """What it cost is gone for the sub-agents, too."""
        self.completions.append(completion)
        self.standing.purse.bill(completion.usage)

    def _answered(
        self, calls: Iterable[ToolCall], running: Iterator[ToolStarted | Message]
    ) -> Iterator[TurnEvent]:
        """9: each result is durable before anybody hears of it, and before the next request."""
        named = {call.id: call for call in calls}
        for item in running:
            if isinstance(item, ToolStarted):
                yield item
                continue
            self._record.result(item, self.standing.reading)
            call = named[item.tool_call_id]
            yield ToolRan(
                id=call.id,
                name=call.name,
                arguments=call.arguments,
                result=item.text,
                failed=item.tool_failed,
            )

    def _usage(self) -> Usage:
        return total(self._usages())

    def _usages(self) -> list[Usage]:
        """One a model call, those of sub-agents among them."""
        return [*(one.usage for one in self.completions), *self.standing.purse.spent]

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
            cost=total_cost(self._usages(), self.desk.info.prices),
            warnings=self.warnings,
        )
