"""The calls of one answer: side by side where they only look, in order, and never twice."""

from collections.abc import Callable, Iterator, Sequence
from threading import Barrier, Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.calling import MOST_AT_ONCE, NOT_RUN, Calling, grouped
from stratal.cancel import Cancel
from stratal.context.repair import CUT_OFF
from stratal.errors import TurnCancelled
from stratal.prompt.sections import Mode
from stratal.reply import ToolStarted
from stratal.tools.approval import ApprovalGate, refuse
from stratal.tools.invocation import Invocation
from stratal.tools.memory import Reading
from stratal.tools.registry import Toolbox
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Message, ToolCall, Trust

PATIENCE = 20.0  # seconds until a test that waits for another thread fails


def call(id: str, name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(id=id, name=name, arguments=arguments)


def calling(*tools: Tool, reading: Reading | None = None, cancel: Cancel | None = None) -> Calling:
    return Calling(
        "turn_1",
        tools=Toolbox.of(tools, mode=Mode.AGENT),
        gate=ApprovalGate(reading or Reading(), refuse),
        cancel=cancel,
    )


def told(items: Iterator[ToolStarted | Message]) -> list[str]:
    """What happened, in a word each."""
    return [
        f"begins {item.id}" if isinstance(item, ToolStarted) else f"{item.tool_call_id}={item.text}"
        for item in items
    ]


@given(st.lists(st.booleans(), max_size=40))
def test_groups_keep_every_call_in_its_order(reads: list[bool]) -> None:
    calls = [call(f"c{n}", "read" if only else "write") for n, only in enumerate(reads)]

    groups = list(grouped(calls, lambda one: one.name == "read"))

    assert [one for group in groups for one in group] == calls
    assert all(len(group) <= MOST_AT_ONCE for group in groups)
    assert all(len(group) == 1 or {one.name for one in group} == {"read"} for group in groups)


def test_a_call_that_writes_waits_for_those_before_it() -> None:
    order = [call("a", "read"), call("b", "read"), call("c", "write"), call("d", "read")]

    groups = grouped(order, lambda one: one.name == "read")

    assert [[one.id for one in group] for group in groups] == [["a", "b"], ["c"], ["d"]]


def test_calls_that_only_look_run_at_the_same_time_and_answer_in_their_order() -> None:
    both = Barrier(2, timeout=PATIENCE)  # broken unless two are there at once
    first_may_end = Event()

    def first() -> str:
        """Ends after the second."""
        both.wait()
        first_may_end.wait(PATIENCE)
        return "one"

    def second() -> str:
        """Ends at once."""
        both.wait()
        first_may_end.set()
        return "two"

    run = calling(tool(first, writes=False), tool(second, writes=False))

    assert told(run.run([call("a", "first"), call("b", "second")])) == [
        "begins a", "begins b", "a=one", "b=two",
    ]  # fmt: skip


def test_two_calls_that_write_run_one_after_the_other() -> None:
    at_work: list[str] = []

    def write(text: str) -> str:
        """Writes."""
        at_work.append(text)
        seen = " ".join(at_work)
        at_work.pop()
        return seen

    run = calling(tool(write, writes=True))
    calls = [call(f"c{n}", "write", f'{{"text": "w{n}"}}') for n in range(3)]

    assert told(run.run(calls)) == [
        "begins c0", "c0=w0", "begins c1", "c1=w1", "begins c2", "c2=w2",
    ]  # fmt: skip


def test_a_call_begins_only_when_it_was_told_that_it_does() -> None:
    ran: list[str] = []

    def look() -> str:
        """Looks."""
        ran.append("look")
        return "seen"

    run = calling(tool(look, writes=False))
    items = run.run([call("a", "look")])

    assert isinstance(next(items), ToolStarted)
    assert ran == []


def test_a_refused_call_is_answered_and_never_begins() -> None:
    ran: list[str] = []

    def send() -> str:
        """Sends."""
        ran.append("send")
        return "sent"

    run = calling(tool(send, writes=True), reading=Reading(Trust.WEB))

    (said,) = told(run.run([call("a", "send")]))

    assert ran == []
    assert "send was not run" in said
    assert "(web)" in said


def test_the_tool_is_given_a_key_that_is_the_same_when_the_call_is_made_again() -> None:
    seen: list[Invocation] = []

    def send(invocation: Invocation) -> str:
        """Sends."""
        seen.append(invocation)
        return "sent"

    for _ in range(2):
        list(calling(tool(send, writes=True)).run([call("a", "send"), call("b", "send")]))

    keys = [one.idempotency_key for one in seen]
    assert keys[0] == keys[2]
    assert keys[1] == keys[3]
    assert keys[0] != keys[1]
    assert not any(one.approved for one in seen)


def looks_and_sends(ran: list[str]) -> tuple[Tool, Tool]:
    def look() -> str:
        """Looks."""
        ran.append("look")
        return "seen"

    def send() -> str:
        """Sends."""
        ran.append("send")
        return "sent"

    return tool(look, writes=False), tool(send, writes=True)


def test_after_a_crash_what_looks_runs_again_and_what_acts_never_does() -> None:  # covers D3
    ran: list[str] = []
    run = calling(*looks_and_sends(ran))
    left = [call("a", "look"), call("b", "send"), call("c", "gone"), call("d", "look")]

    assert told(run.resume(left)) == [
        "begins a", "a=seen", f"b={CUT_OFF}", f"c={CUT_OFF}", "begins d", "d=seen",
    ]  # fmt: skip
    assert ran == ["look", "look"]


def after(event: Event, cancel: Cancel) -> Callable[[], None]:
    """Sets `cancel` as soon as `event` is set."""

    def run() -> None:
        event.wait(PATIENCE)
        cancel.set()

    return run


def outcomes(run: Calling, calls: Sequence[ToolCall]) -> list[str]:
    return [run.outcome(one).text for one in calls]


def test_a_call_that_never_began_is_known_to_have_done_nothing() -> None:
    run = calling(*looks_and_sends([]))
    calls = [call("a", "send"), call("b", "send")]
    items = run.run(calls)
    next(items)

    assert outcomes(run, calls) == [NOT_RUN, NOT_RUN]


def test_of_a_call_that_was_cut_off_nobody_knows_the_outcome() -> None:
    cancel, inside, let_go, stopped = Cancel(), Event(), Event(), Event()

    def send(invocation: Invocation) -> str:
        """Sends, at length."""
        inside.set()
        let_go.wait(PATIENCE)
        if invocation.cancelled():
            stopped.set()
        return "sent"

    def look() -> str:
        """Looks."""
        return "seen"

    run = calling(tool(look, writes=False), tool(send, writes=True), cancel=cancel)
    calls = [call("a", "look"), call("b", "send"), call("c", "send")]
    Thread(target=after(inside, cancel)).start()
    with pytest.raises(TurnCancelled):
        list(run.run(calls))

    assert outcomes(run, calls) == ["seen", CUT_OFF, NOT_RUN]
    let_go.set()
    assert stopped.wait(PATIENCE)  # a tool that asks is told that nobody waits
