"""A turn may end at any point: the history stays sound, and nothing is done twice."""

import json
from collections.abc import Callable, Iterator
from threading import Event, Thread

import pytest

from stratal.agent import Agent
from stratal.calling import NOT_RUN
from stratal.cancel import Cancel
from stratal.context.repair import CUT_OFF
from stratal.context.request import Request
from stratal.context.validator import validate
from stratal.errors import ProviderUnavailable, TurnCancelled
from stratal.options import Options
from stratal.prompt.modes import Matrix
from stratal.prompt.sections import Mode
from stratal.providers.provider import Completion, StopReason, StreamItem, TextDelta
from stratal.providers.scripted import Interrupted
from stratal.reply import Finished, Told, ToolRan, ToolStarted
from stratal.settings import Settings, load_settings
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Message, Role, ToolCall, TurnState
from stratal_memory.truth import turns
from stratal_memory.truth.turns import Turn
from tests.platform.conftest import OpenAgent
from tests.platform.test_calling import after

PATIENCE = 20.0  # seconds until a test that waits for another thread fails
SECRET = "sk-ant-api03-" + "A1b2C3d4" * 10


def calls(*names: str) -> Completion:
    made = tuple(
        ToolCall(id=f"call-{name}-{n}-{'x' * 20}", name=name, arguments="{}")
        for n, name in enumerate(names)
    )
    return Completion(text="", tool_calls=made, stop=StopReason.TOOLS)


def said(text: str) -> Completion:
    return Completion(text=text)


def nothing() -> None:
    """What most runs do besides."""


class Ran:
    """Two tools and how often each ran; `during` is called inside a run."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.during: Callable[[], None] = nothing

    def tools(self) -> tuple[Tool, ...]:
        def look() -> str:
            """Looks."""
            self.names.append("look")
            self.during()
            return "seen"

        def send() -> str:
            """Sends."""
            self.names.append("send")
            self.during()
            return "sent"

        return tool(look, writes=False), tool(send, writes=True)


def stored_turn(agent: Agent, request_id: str) -> Turn:
    with agent.store.read() as connection:
        found = turns.find_turn(connection, user="alice", agent="main", request_id=request_id)
    assert found is not None
    return found


def results(agent: Agent) -> list[str]:
    return [m.text for m in agent.messages(agent.session()) if m.role is Role.TOOL]


def approving(ran: Ran) -> Options:
    return Options(user="alice", tools=ran.tools(), approve=lambda _: True)


DONE = "All of it is done, the first and the second and the last."
TURN = [calls("look", "look", "send", "look"), said(DONE)]
EVENTS = 4 * 2 + 2  # of the calls, and two pieces of the answer


@pytest.mark.parametrize("after", range(EVENTS))
def test_a_turn_may_be_closed_after_any_event(open_agent: OpenAgent, after: int) -> None:
    # RELIABILITY C5
    ran = Ran()
    agent = open_agent(script=[*TURN, said("Go on."), said("And on.")], options=approving(ran))
    stream = agent.stream("Do it", request_id="r1")
    seen = [next(stream) for _ in range(after + 1)]
    stream.close()

    asked = agent.messages(agent.session())
    begun = len(ran.names)
    reply = agent.send("What now?")

    assert reply.text in ("Go on.", DONE)
    validate(reply.ledger.request(), provider="anthropic")
    validate(reply.ledger.request(), provider="openai")
    assert not any(isinstance(event, Finished) for event in seen)
    assert stored_turn(agent, "r1").state is TurnState.ABORTED
    heard = sum(isinstance(event, ToolRan) for event in seen)
    stored = [m for m in asked if m.role is Role.TOOL]
    assert len(stored) == 4  # each call has a result
    assert [m.text for m in stored[:heard]] == ["seen", "seen", "sent", "seen"][:heard]
    assert sum(m.text == NOT_RUN for m in stored) == 4 - begun
    assert ran.names.count("send") == sum(m.text == "sent" for m in stored)


@pytest.mark.parametrize("after", range(EVENTS))
def test_the_same_request_goes_on_where_it_was_closed(open_agent: OpenAgent, after: int) -> None:
    # covers D3
    ran = Ran()
    agent = open_agent(script=[*TURN, said("Done."), said("Done.")], options=approving(ran))
    stream = agent.stream("Do it", request_id="r1")
    for _ in range(after + 1):
        next(stream)
    stream.close()

    reply = agent.send("Do it", request_id="r1")

    assert reply.text in ("Done.", DONE)
    assert ran.names.count("send") <= 1
    assert [m.text for m in agent.messages(agent.session()) if m.role is Role.USER] == ["Do it"]


def test_a_cancel_from_another_thread_ends_a_stream_that_says_nothing(
    settings: Settings,
) -> None:
    cancel, silent, let_go = Cancel(), Event(), Event()

    class Silent:
        name = "scripted"

        def stream(self, request: Request) -> Iterator[StreamItem]:
            if request.messages[-1].text == "Again":
                yield Completion(text="Here.")
                return
            yield TextDelta(text="Well, ")
            silent.set()
            let_go.wait(PATIENCE)

        def close(self) -> None:
            let_go.set()

    with Agent.open_with(Options(user="alice"), settings, provider=Silent()) as agent:
        Thread(target=after(silent, cancel)).start()
        with pytest.raises(TurnCancelled) as raised:
            agent.send("Hello", request_id="r1", cancel=cancel)

        assert "request id" in raised.value.hint
        assert stored_turn(agent, "r1").attempt == "Well, "
        assert agent.send("Again").text == "Here."


def test_a_cancel_inside_a_tool_leaves_its_outcome_unknown(open_agent: OpenAgent) -> None:
    # RELIABILITY C5
    ran, cancel, let_go = Ran(), Cancel(), Event()

    def during() -> None:
        if ran.names[-1] == "send":
            cancel.set()
            let_go.wait(PATIENCE)

    ran.during = during
    agent = open_agent(
        script=[calls("look", "send", "send"), said("Go on.")], options=approving(ran)
    )

    with pytest.raises(TurnCancelled):
        agent.send("Do it", cancel=cancel)
    let_go.set()

    assert results(agent) == ["seen", CUT_OFF, NOT_RUN]
    assert agent.send("And?").text == "Go on."
    assert ran.names == ["look", "send"]


def test_a_call_whose_outcome_a_cancel_left_unknown_is_not_repeated_unasked(
    open_agent: OpenAgent,
) -> None:
    ran, cancel, let_go = Ran(), Cancel(), Event()

    def during() -> None:
        cancel.set()
        let_go.wait(PATIENCE)

    ran.during = during
    options = Options(user="alice", tools=ran.tools())
    agent = open_agent(script=[calls("send"), calls("send"), said("Go on.")], options=options)

    with pytest.raises(TurnCancelled):
        agent.send("Do it", cancel=cancel)
    let_go.set()
    agent.send("And?")

    assert ran.names == ["send"]


def test_a_cancel_before_the_model_is_asked_asks_nobody(open_agent: OpenAgent) -> None:
    cancel = Cancel()
    cancel.set()
    agent = open_agent(script=[said("Late.")])

    with pytest.raises(TurnCancelled):
        agent.send("Hello", request_id="r1", cancel=cancel)

    assert [m.text for m in agent.messages(agent.session())] == ["Hello"]
    assert agent.send("Hello", request_id="r1").text == "Late."


def test_what_was_streamed_before_a_cut_is_an_attempt_and_never_the_answer(
    open_agent: OpenAgent,
) -> None:
    cut = Interrupted(text=f"I think {SECRET} is", error=ProviderUnavailable("cut off"))
    agent = open_agent(script=[cut, said("No.")])

    with pytest.raises(ProviderUnavailable):
        agent.send("Is it so?", request_id="r1")
    attempt = stored_turn(agent, "r1").attempt
    history = [m.text for m in agent.messages(agent.session())]
    reply = agent.send("Is it so?", request_id="r1")

    assert attempt.startswith("I think ")
    assert SECRET not in attempt
    assert history == ["Is it so?"]
    assert reply.text == "No."
    assert [m.text for m in agent.messages(agent.session())] == ["Is it so?", "No."]


def test_an_interrupt_at_the_keyboard_inside_a_tool_keeps_what_is_known(
    open_agent: OpenAgent,
) -> None:
    """Ctrl-C reaches the thread that waits, as an exception between two events."""
    ran = Ran()
    agent = open_agent(script=[calls("look", "send"), said("Fine.")], options=approving(ran))
    stream = agent.stream("Do it")
    while not isinstance(next(stream), ToolRan):
        pass

    with pytest.raises(KeyboardInterrupt):
        stream.throw(KeyboardInterrupt())

    assert results(agent) == ["seen", NOT_RUN]
    assert agent.send("And?").text == "Fine."


def test_a_call_is_told_before_it_runs_and_after(open_agent: OpenAgent) -> None:
    ran = Ran()
    agent = open_agent(script=[calls("look"), said("Fine.")], options=approving(ran))

    events = list(agent.stream("Look"))

    assert [type(one) for one in events if not isinstance(one, Told)] == [
        ToolStarted, ToolRan, Finished,
    ]  # fmt: skip
    started, done = (one for one in events if isinstance(one, ToolStarted | ToolRan))
    assert started.id == done.id


def test_results_are_stored_in_the_order_of_the_calls_before_the_next_request(
    open_agent: OpenAgent,
) -> None:
    held: list[list[Message]] = []
    second = Event()

    def slow() -> str:
        """Ends last."""
        second.wait(PATIENCE)
        return "slow"

    def fast() -> str:
        """Ends first."""
        second.set()
        return "fast"

    def asked(request: Request) -> Completion:
        held.append(agent.messages(agent.session()))
        return said("Fine.")

    options = Options(user="alice", tools=(tool(slow, writes=False), tool(fast, writes=False)))
    agent = open_agent(script=[calls("slow", "fast"), asked], options=options)

    agent.send("Both")

    assert [m.text for m in held[0] if m.role is Role.TOOL] == ["slow", "fast"]


@pytest.mark.parametrize("matrix", Matrix)
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.PLAN])
def test_no_tool_that_writes_runs_outside_agent_mode(
    open_agent: OpenAgent, settings: Settings, mode: Mode, matrix: Matrix
) -> None:
    # covers Z26, Zs5
    ran = Ran()
    options = Options(user="alice", mode=mode, tools=ran.tools(), approve=lambda _: True)
    chosen = settings.model_copy(
        update={"prompt": settings.prompt.model_copy(update={"matrix": matrix})}
    )
    keep = ToolCall(id="s" * 20, name="memory_save", arguments=json.dumps({"text": "I am seven."}))
    save = Completion(text="", tool_calls=(keep,), stop=StopReason.TOOLS)
    agent = open_agent(
        script=[calls("look", "send"), save, said("Fine.")], options=options, with_settings=chosen
    )

    events = list(agent.stream("Hello"))

    done = [one for one in events if isinstance(one, ToolRan)]
    assert [(one.name, one.failed) for one in done if one.name == "look"] == [("look", False)]
    assert ran.names == ["look"]
    refused = [one.result for one in done if one.name != "look"]
    assert len(refused) == 2
    assert all(f"not available in {mode.value} mode" in text for text in refused)
    assert agent.facts.known() == []


def test_the_settings_of_the_matrix_are_taken(settings: Settings) -> None:
    chosen = load_settings(environment={"STRATAL_PROMPT__MATRIX": "zeus_tools"})

    assert chosen.prompt.matrix is Matrix.ZEUS_TOOLS
