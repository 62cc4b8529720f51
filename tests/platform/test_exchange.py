"""Many requests in one turn: what is hidden has a summary, and refusals are answered twice."""

import re

import pytest

from stratal.agent import Agent
from stratal.context.request import Request
from stratal.context.sections import SUMMARY_HEAD
from stratal.errors import ContextOverflow
from stratal.providers.provider import Completion, StopReason, Usage
from stratal.reply import Finished, Told
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Role, ToolCall
from stratal_memory.truth import summaries
from tests.platform.conftest import OpenAgent, OpenTalker
from tests.platform.talking import Talker

SMALL = {
    "STRATAL_CONTEXT__WINDOW": "8500",
    "STRATAL_CONTEXT__OUTPUT_RESERVE": "500",
    "STRATAL_CONTEXT__MIN_HISTORY": "500",
    "STRATAL_SUMMARY__MODEL": "none",
    "STRATAL_SUMMARY__TRIGGER_FRACTION": "none",
    "STRATAL_TURN__MAX_STEPS": "30",
}


def said(number: int) -> str:
    return (
        f"In {1990 + number} we lived in City{number}. "
        + "It was quiet there and nothing happened. " * 12
    )


def look() -> str:
    """What there is to see, at some length."""
    return "A field, a fence and a cow, and behind them another field. " * 12


LOOK: tuple[Tool, ...] = (tool(look, writes=False),)


class Looking:
    """Calls the tool so many times in the turn whose message asks for it."""

    def __init__(self, agents: list[Agent], *, times: int) -> None:
        self.cuts: list[int] = []
        self.hidden: list[tuple[set[int], set[int]]] = []  # what is not shown, what is summarised
        self._agents, self._times = agents, times

    def __call__(self, request: Request) -> Completion:
        agent = self._agents[0]
        with agent.store.read() as connection:
            self.cuts.append(summaries.current_cut(connection, agent.session().id).after)
        said_by_now = [one.text for one in agent.messages(agent.session())]
        shown = [one.text for one in request.messages if one.role is Role.USER]
        texts = [*(block.text for block in request.system), *(m.text for m in request.messages)]
        summary = " ".join(text for text in texts if SUMMARY_HEAD in text)
        hidden = cities(" ".join(said_by_now)) - cities(" ".join(shown))
        self.hidden.append((hidden, cities(summary)))
        rounds = [one for one in request.messages if one.role is Role.TOOL]
        if "Look around" not in shown or len(rounds) >= self._times:
            return Completion(text="Fine.")
        call = ToolCall(id=f"c{len(self.cuts)}", name="look", arguments="{}")
        return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)


def cities(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"City(\d+)", text)}


@pytest.mark.parametrize(("overflow", "share"), [("headroom", "0.1"), ("fifo", "0.3")])
def test_however_often_the_cut_moves_in_a_turn_nothing_hidden_is_without_a_summary(
    open_talker: OpenTalker, overflow: str, share: str
) -> None:
    # covers P15, P22
    agents: list[Agent] = []
    looking = Looking(agents, times=10)
    rules = {"STRATAL_HISTORY__OVERFLOW": overflow, "STRATAL_HISTORY__SHARE": share}
    environment = {**SMALL, **rules}
    agents.append(open_talker(Talker(looking), environment, tools=LOOK))
    for number in range(15):
        agents[0].send(said(number))
    before = len(looking.cuts)

    assert agents[0].send("Look around").text == "Fine."

    assert len(set(looking.cuts[before:])) > 3  # where it stood, and moved more than twice
    for hidden, summarised in looking.hidden:
        assert hidden <= summarised


def test_a_turn_answers_two_refusals_however_many_calls_it_makes(open_talker: OpenTalker) -> None:
    # covers P23
    refusals: list[int] = []

    def answer(request: Request) -> Completion:
        rounds = sum(one.role is Role.TOOL for one in request.messages)
        if "Look around" not in [one.text for one in request.messages]:
            return Completion(text="Fine.")
        if len(refusals) <= rounds:  # each call is refused once
            refusals.append(rounds)
            raise ContextOverflow("Input is too long for requested model.")
        call = ToolCall(id=f"c{rounds}", name="look", arguments="{}")
        return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)

    agent = open_talker(Talker(answer), {**SMALL, "STRATAL_CONTEXT__WINDOW": "60000"}, tools=LOOK)
    for number in range(15):
        agent.send(said(number))

    with pytest.raises(ContextOverflow):
        agent.send("Look around")

    assert refusals == [0, 1, 2]
    roles = [one.role for one in agent.messages(agent.session())][-5:]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.TOOL]


def empty(stop: StopReason = StopReason.END) -> Completion:
    return Completion(text=" \n", stop=stop, usage=Usage(input=10, output=1))


def test_an_empty_answer_is_asked_for_again_and_billed(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[empty(), Completion(text="Here.", usage=Usage(input=10, output=2))])

    reply = agent.send("Hello?")

    assert reply.text == "Here."
    assert reply.usage == Usage(input=20, output=3)
    assert [m.text for m in agent.messages(agent.session())] == ["Hello?", "Here."]


def test_a_model_that_stays_silent_is_told_of_as_that(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[empty(), empty(), empty()])

    *told, finished = agent.stream("Hello?")

    assert isinstance(finished, Finished)
    assert finished.reply.text == "The model gave an empty answer."
    assert Told(text=finished.reply.text) in told


@pytest.mark.parametrize(
    ("stop", "said"), [(StopReason.REFUSED, "refused"), (StopReason.LENGTH, "output limit")]
)
def test_a_refusal_without_words_is_not_asked_for_again(
    open_agent: OpenAgent, stop: StopReason, said: str
) -> None:
    agent = open_agent(script=[empty(stop)])

    assert said in agent.send("Hello?").text


def test_a_turn_may_outgrow_what_was_guessed_after_a_refusal(open_talker: OpenTalker) -> None:
    """The refusal names no number, so half is left out; the turn's own results need more."""
    refused: list[str] = []

    def answer(request: Request) -> Completion:
        rounds = sum(one.role is Role.TOOL for one in request.messages)
        if "Look around" not in [one.text for one in request.messages]:
            return Completion(text="Fine.")
        if not refused:
            refused.append("once")
            raise ContextOverflow("Input is too long for requested model.")
        if rounds == 6:
            return Completion(text="Seen.")
        call = ToolCall(id=f"c{rounds}", name="look", arguments="{}")
        return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)

    agent = open_talker(Talker(answer), {**SMALL, "STRATAL_CONTEXT__WINDOW": "60000"}, tools=LOOK)
    for number in range(3):
        agent.send(said(number))

    assert agent.send("Look around").text == "Seen."
