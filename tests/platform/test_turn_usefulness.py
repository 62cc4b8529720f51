"""A turn notes what its answer did with the memories it was given, and never fails of it."""

import pytest

from stratal.agent import Agent
from stratal.context.request import Request
from stratal.providers.provider import Completion, StopReason, Usage
from stratal_memory.errors import InputError
from stratal_memory.outcomes import Counts, Outcome
from stratal_memory.records import Memory, Role, ToolCall
from stratal_memory.truth import messages, recalls, turns
from tests.platform.conftest import OpenAgent


def said(text: str) -> Completion:
    return Completion(text=text, usage=Usage(input=20, output=3))


def known(agent: Agent, *texts: str) -> list[Memory]:
    return [agent.facts.add(text).memory for text in texts]


def came_of(agent: Agent, memory: Memory) -> Counts:
    return agent.versions.history(memory.key).counts


def outcomes(agent: Agent, session: str) -> dict[str, Outcome | None]:
    """Of the last turn of a conversation, by memory."""
    with agent.store.read() as connection:
        last = turns.last_turn(connection, session)
        assert last is not None
        here, _ = recalls.lately(connection, session, last.id)
    return here.outcomes


def test_an_answer_uses_one_memory_and_passes_over_another(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("You live in Lisbon.")])
    home, trip = known(agent, "I live in Lisbon.", "I once lived through a storm.")

    reply = agent.send("Where do I live?")

    found = outcomes(agent, reply.session)
    assert found[home.id] is Outcome.USED
    assert set(found.values()) <= {Outcome.USED, Outcome.IGNORED}
    assert came_of(agent, home) == Counts(used=1)
    assert came_of(agent, trip).used == 0
    assert agent.versions.history(home.key).usefulness == pytest.approx(1.02)


def test_what_a_tool_found_is_judged_too(open_agent: OpenAgent) -> None:
    def search(request: Request) -> Completion:
        call = ToolCall(id="c", name="memory_search", arguments='{"query": "Where do I live?"}')
        return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)

    agent = open_agent(script=[search, said("In Lisbon, as far as I know.")])
    [home] = known(agent, "I live in Lisbon.")

    reply = agent.send("Tell me, please")

    assert outcomes(agent, reply.session) == {home.id: Outcome.USED}


def test_a_message_corrects_what_it_replaces(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("You live in Lisbon."), said("Noted.")])
    [home] = known(agent, "I live in Lisbon.")
    agent.send("Where do I live?")

    reply = agent.send("I live in Porto now.")

    assert [one.text for one in agent.facts.known() if "Porto" in one.text]
    assert outcomes(agent, reply.session)[home.id] is Outcome.CORRECTED
    # The version that replaced it is not held to account.
    assert came_of(agent, home) == Counts(used=1)


def test_the_offline_provider_makes_nothing_useful(open_agent: OpenAgent) -> None:
    agent = open_agent()
    [home] = known(agent, "I live in Lisbon.")

    reply = agent.send("Where do I live?")

    assert "Lisbon" in reply.text
    assert outcomes(agent, reply.session)[home.id] is Outcome.QUOTED
    assert came_of(agent, home) == Counts()


def test_a_turn_never_fails_of_it(
    open_agent: OpenAgent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise InputError("no outcome today", hint="")

    agent = open_agent(script=[said("You live in Lisbon.")])
    [home] = known(agent, "I live in Lisbon.")
    monkeypatch.setattr("stratal.turn.observe", broken)

    reply = agent.send("Where do I live? I like tea.")

    assert reply.text == "You live in Lisbon."
    assert [one.text for one in agent.facts.known() if "tea" in one.text]  # it was learned from
    assert outcomes(agent, reply.session)[home.id] is None
    assert "no outcome today" in caplog.text
    with agent.store.read() as connection:
        assert messages.of_turn(connection, reply.turn)[-1].role is Role.ASSISTANT
