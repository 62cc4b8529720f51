"""The calls of one answer: approved where need be, run, some at the same time, told in order."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Event

from stratal.cancel import Cancel, begun, wait_for
from stratal.context.repair import CUT_OFF, INTERRUPTED
from stratal.reply import ToolStarted
from stratal.tools.approval import ApprovalGate, Verdict
from stratal.tools.invocation import Invocation
from stratal.tools.registry import Toolbox, key_of
from stratal_memory.learning.redaction import was_redacted
from stratal_memory.records import Message, Role, ToolCall

MOST_AT_ONCE = 8  # calls of one answer that run at the same time; our own choice
NOT_RUN = "[cancelled before it began; nothing was done]"
NOT_REPEATED = "[interrupted; it can't be repeated: a secret in its arguments was not kept]"


class Calling:
    """The calls of one turn, and how far each of them came."""

    def __init__(
        self, turn: str, *, tools: Toolbox, gate: ApprovalGate, cancel: Cancel | None
    ) -> None:
        self._turn = turn
        self._tools = tools
        self._gate = gate
        self._cancel = cancel
        self._begun: dict[str, Future[Message]] = {}
        self._over = Event()

    def run(self, calls: Sequence[ToolCall]) -> Iterator[ToolStarted | Message]:
        """Each call as it begins, and the results in the order of `calls`.

        Raises `TurnCancelled`; what runs by then goes on unheard.
        """
        for group in grouped(calls, self._tools.parallel):
            yield from self._together(group)

    def resume(self, calls: Sequence[ToolCall]) -> Iterator[ToolStarted | Message]:
        """The same for calls that a crash left without a result.

        What only looks runs again, unless what was kept of it is not what the model said. What has
        an effect may have had it: its result says that nobody knows. So does that of a tool that
        is not there any more.
        """
        for call in calls:
            if self._tools.may_have_acted(call):
                yield _failed(call, CUT_OFF)
            elif was_redacted(call.arguments):
                yield _failed(call, NOT_REPEATED)
            else:
                yield from self._together((call,))

    def outcome(self, call: ToolCall) -> Message:
        """The result of a call that nobody waits for any more: what is known of it."""
        self._over.set()
        running = self._begun.get(call.id)
        if running is None:
            return _failed(call, NOT_RUN)
        if running.done() and running.exception() is None:
            return running.result()
        return _failed(call, CUT_OFF if self._tools.may_have_acted(call) else INTERRUPTED)

    def _together(self, group: Sequence[ToolCall]) -> Iterator[ToolStarted | Message]:
        verdicts = {call.id: self._gate.ask(call, self._tools.find(call.name)) for call in group}
        running = [call for call in group if verdicts[call.id] is not Verdict.REFUSED]
        for call in running:
            yield ToolStarted(id=call.id, name=call.name, arguments=call.arguments)
        if self._cancel is not None:
            self._cancel.check()
        for call in running:
            self._begin(call, approved=verdicts[call.id] is Verdict.APPROVED)
        for call in group:
            if call.id in self._begun:
                yield wait_for(self._begun[call.id], self._cancel)
            else:
                yield _failed(call, self._gate.refusal(call))

    def _begin(self, call: ToolCall, *, approved: bool) -> None:
        invocation = Invocation(
            id=call.id,
            idempotency_key=key_of(self._turn, call),
            cancelled=self._cancelled,
            approved=approved,
        )
        self._begun[call.id] = begun(partial(self._tools.run, call, invocation))

    def _cancelled(self) -> bool:
        return self._over.is_set() or (self._cancel is not None and self._cancel.is_set)


def grouped(
    calls: Sequence[ToolCall], parallel: Callable[[ToolCall], bool]
) -> Iterator[tuple[ToolCall, ...]]:
    """`calls` in their order, those side by side that may run at the same time in one group.

    A call that may not is a group of its own, so that what comes before it has ended.
    """
    group: list[ToolCall] = []
    for call in calls:
        if group and not (len(group) < MOST_AT_ONCE and parallel(group[-1]) and parallel(call)):
            yield tuple(group)
            group = []
        group.append(call)
    if group:
        yield tuple(group)


def _failed(call: ToolCall, text: str) -> Message:
    return Message(role=Role.TOOL, text=text, tool_call_id=call.id, tool_failed=True)
