"""Who is asked, about what, and what stands when nobody is there."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.tools.approval import ApprovalGate, PendingCall, Verdict, needs_approval, refuse
from stratal.tools.invocation import Effect
from stratal.tools.memory import Reading
from stratal.tools.tool import Tool, tool
from stratal_memory.records import ToolCall, Trust

CALL = ToolCall(id="c1", name="send", arguments='{"to": "bob"}')


def send(to: str) -> str:
    """Sends."""
    return to


def look() -> str:
    """Looks."""
    return ""


SEND, LOOK = tool(send, writes=True), tool(look, writes=False)


@pytest.mark.parametrize("trust", [Trust.TOOL, Trust.DOCUMENT, Trust.WEB])
def test_what_acts_waits_for_a_person_while_such_text_may_speak(trust: Trust) -> None:
    assert needs_approval(SEND, trust)
    assert not needs_approval(LOOK, trust)


@pytest.mark.parametrize("trust", [Trust.SYSTEM, Trust.USER, Trust.ASSISTANT])
def test_without_such_text_nobody_is_asked(trust: Trust) -> None:
    assert not needs_approval(SEND, trust)


def test_an_effect_counts_whether_or_not_the_tool_says_that_it_writes() -> None:
    assert needs_approval(tool(look, writes=True, effect=Effect.NONE), Trust.WEB)
    assert needs_approval(tool(look, writes=False, effect=Effect.LOCAL), Trust.WEB)


def test_a_tool_that_minds_by_itself_what_was_read_is_not_asked_about() -> None:
    assert not needs_approval(replace(SEND, guarded=True), Trust.WEB)


def verdict(reading: Reading, approve: object, called: Tool | None = SEND) -> Verdict:
    return ApprovalGate(reading, approve).ask(CALL, called)  # type: ignore[arg-type]


def test_nobody_there_means_no() -> None:
    assert verdict(Reading(Trust.WEB), refuse) is Verdict.REFUSED


def test_only_a_plain_yes_is_one() -> None:
    """A callback that forgets to return, or returns what it was told, has not approved."""
    assert verdict(Reading(Trust.WEB), lambda _: None) is Verdict.REFUSED
    assert verdict(Reading(Trust.WEB), lambda _: "no") is Verdict.REFUSED
    assert verdict(Reading(Trust.WEB), lambda _: True) is Verdict.APPROVED


def test_what_is_read_later_in_the_turn_counts() -> None:
    reading = Reading(Trust.USER)
    gate = ApprovalGate(reading, refuse)

    assert gate.ask(CALL, SEND) is Verdict.FREE
    reading.note(Trust.DOCUMENT)
    assert gate.ask(CALL, SEND) is Verdict.REFUSED


def test_a_tool_that_does_not_exist_is_nobodys_to_approve() -> None:
    assert verdict(Reading(Trust.WEB), refuse, None) is Verdict.FREE


def test_the_person_is_shown_the_call_itself() -> None:
    shown: list[PendingCall] = []

    verdict(Reading(Trust.DOCUMENT), shown.append)

    assert (shown[0].call, shown[0].trust) == (CALL, Trust.DOCUMENT)


@given(st.text(), st.text(), st.text(), st.text())
def test_two_calls_have_one_digest_only_when_every_byte_is_the_same(
    name: str, arguments: str, other: str, others: str
) -> None:
    one = PendingCall(call=ToolCall(id="a", name=name, arguments=arguments), trust=Trust.WEB)
    two = PendingCall(call=ToolCall(id="b", name=other, arguments=others), trust=Trust.TOOL)

    assert (one.digest == two.digest) == ((name, arguments) == (other, others))
