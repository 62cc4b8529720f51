"""What a turn reads of its conversation, on real SQLite."""

import pytest

from stratal.assembling import assembled, in_prompt
from stratal.context.compression.results import digest_of
from stratal.context.request import Request
from stratal.errors import ContextBudgetError
from stratal.previewing import preview
from stratal.providers.provider import Completion, StopReason
from stratal.tools.tool import tool
from stratal_memory.records import Message, Role, ToolCall
from tests.platform.conftest import OpenTalker
from tests.platform.talking import Talker

LINE = "row of numbers 1, 2, 3 and a word or two\n"
NO_SUMMARY = {"STRATAL_SUMMARY__ENABLED": "false"}


def results(request: Request) -> list[str]:
    return [message.text for message in request.messages if message.role is Role.TOOL]


def test_a_preview_stores_nothing_and_is_what_would_be_sent(open_talker: OpenTalker) -> None:
    talker = Talker()
    agent = open_talker(talker)
    agent.send("Hello")
    before = agent.messages(agent.session())

    shown = agent.preview("And now?")
    sent = agent.send("And now?").ledger

    assert agent.messages(agent.session())[: len(before)] == before
    assert [line.text for line in shown.messages] == [line.text for line in sent.messages]
    assert shown.used == sent.used


def test_a_preview_redacts_as_a_turn_does(open_talker: OpenTalker) -> None:
    secret = "sk-ant-api03-" + "A1b2C3d4" * 10

    ledger = open_talker(Talker()).preview(f"My key is {secret}.")

    assert secret not in ledger.to_json()


def test_a_preview_that_does_not_fit_is_a_typed_error(open_talker: OpenTalker) -> None:
    agent = open_talker(Talker(), {"STRATAL_CONTEXT__WINDOW": "6000"})

    with pytest.raises(ContextBudgetError):
        agent.preview("word " * 20_000)


def test_history_comes_whole_and_in_order_with_the_message_last(open_talker: OpenTalker) -> None:
    # covers P7, P36
    talker = Talker()
    agent = open_talker(talker)
    for number in range(4):
        agent.send(f"Message {number}")

    spoken = [
        (one.role, one.text)
        for one in talker.requests[-1].messages
        if one.role in (Role.USER, Role.ASSISTANT)
    ]
    expected = [
        pair
        for number in range(3)
        for pair in ((Role.USER, f"Message {number}"), (Role.ASSISTANT, "Fine."))
    ]
    assert spoken == [*expected, (Role.USER, "Message 3")]


def test_only_what_can_fit_counts_as_said_already(open_talker: OpenTalker) -> None:
    small = {
        **NO_SUMMARY,
        "STRATAL_CONTEXT__WINDOW": "6000",
        "STRATAL_CONTEXT__OUTPUT_RESERVE": "500",
        "STRATAL_CONTEXT__MIN_HISTORY": "500",
    }
    agent = open_talker(Talker(), small)
    for number in range(40):
        agent.send(f"Message {number}: {LINE * 20}")
    desk = agent.conversation(agent.session())
    stored = agent.messages(agent.session())

    said = in_prompt(desk)

    assert stored[-1].id in said
    assert stored[0].id not in said
    assert len(said) < len(stored)


@pytest.mark.parametrize(
    ("preset", "rules", "turns"),
    [
        ("zeus", {}, 15),  # covers Z15
        ("default", {"STRATAL_HISTORY__MAX_MESSAGES": "7"}, 4),
        ("default", {"STRATAL_HISTORY__SLIDING_TURNS": "3"}, 3),  # covers Os4
    ],
)
def test_what_the_rules_never_show_does_not_count_as_said(
    open_talker: OpenTalker, preset: str, rules: dict[str, str], turns: int
) -> None:
    agent = open_talker(Talker(), {**NO_SUMMARY, **rules}, preset=preset)
    for number in range(20):
        agent.send(f"Message {number}")

    stored = agent.messages(agent.session())

    said = in_prompt(agent.conversation(agent.session()))
    assert said == {one.id for one in stored[-2 * turns :]}


def test_what_was_said_more_turns_ago_than_are_shown_is_recalled(open_talker: OpenTalker) -> None:
    # covers Z15
    talker = Talker()
    embedded = {**NO_SUMMARY, "STRATAL_EMBEDDING__MODEL": "hash:384"}
    agent = open_talker(talker, embedded, preset="zeus")
    agent.send("The spare key to the boathouse hangs behind the blue barometer.")
    for number in range(31):
        agent.send(f"Message {number}")

    agent.send("Where does the spare key to the boathouse hang?")

    request = talker.requests[-1]
    spoken = [one.text for one in request.messages if one.role is Role.USER]
    assert not any("barometer" in text for text in spoken[:-1])
    assert any("blue barometer" in item.text for item in request.recalled)


def test_the_mark_of_the_summary_stands_in_the_ledger_unless_summaries_are_off(
    open_talker: OpenTalker,
) -> None:
    on = open_talker(Talker(), {"STRATAL_CONTEXT__WINDOW": "20000"}).preview("Hello")
    off = open_talker(Talker(), {**NO_SUMMARY, "STRATAL_CONTEXT__WINDOW": "20000"}).preview("Hello")

    assert on.summarize_at + on.reserve == 14_000
    assert off.summarize_at == 0


def test_a_capped_result_can_be_asked_for_by_its_digest(open_talker: OpenTalker) -> None:
    # covers C1, C5
    def enormous() -> str:
        """More than a result may show."""
        return LINE * 1_000

    def answer(request: Request) -> Completion:
        newest = request.messages[-1]
        if newest.role is not Role.USER:
            return Completion(text="Fine.")
        call = ToolCall(id="c1", name="enormous", arguments="{}")
        return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)

    talker = Talker(answer)
    agent = open_talker(talker, tools=(tool(enormous, writes=False),))

    agent.send("Go")

    (shown,) = results(talker.requests[-1])
    assert len(shown) < 20_300
    assert digest_of(LINE * 1_000) in shown
    (stored,) = [one for one in agent.messages(agent.session()) if one.role is Role.TOOL]
    assert stored.text == LINE * 1_000


def test_assembling_twice_gives_the_same_request(open_talker: OpenTalker) -> None:
    # covers P36, P37
    agent = open_talker(Talker())
    for number in range(5):
        agent.send(f"Message {number}")
    desk = agent.conversation(agent.session())

    one, other = preview(desk, "Same?"), preview(desk, "Same?")

    assert one.request.system == other.request.system
    assert one.request.messages == other.request.messages
    assert callable(assembled)
    assert isinstance(one.request.messages[-1], Message)
