"""What a turn leaves in the truth, call by call."""

import json

import pytest

from stratal.agent import Agent
from stratal.calling import NOT_REPEATED
from stratal.options import Options
from stratal.providers.provider import Completion, StopReason, Usage
from stratal.recording import Record
from stratal.reply import ToolRan
from stratal.tools.memory import Reading
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Message, Role, ToolCall, Trust, TurnState
from stratal_memory.truth import messages, sessions, turns
from stratal_memory.truth.turns import Turn
from tests.platform.conftest import OpenAgent

SECRET = "sk-ant-api03-" + "A1b2C3d4" * 10


def opened(agent: Agent) -> tuple[Record, Turn]:
    """A turn whose message is stored."""
    session = agent.session()
    with agent.store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r1", model="offline:", at=journal.at
        )
        said = Message(role=Role.USER, text="Do it")
        messages.append(journal.connection, turn, [said], at=journal.at)
    return Record(agent.conversation(session), turn), turn


def call(id: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(id=id, name="look", arguments=arguments)


def calling(*ids: str) -> Completion:
    calls = tuple(call(id) for id in ids)
    return Completion(text="", tool_calls=calls, stop=StopReason.TOOLS)


def result(id: str, text: str = "seen") -> Message:
    return Message(role=Role.TOOL, text=text, tool_call_id=id)


def stored(agent: Agent) -> Turn:
    with agent.store.read() as connection:
        found = turns.find_turn(connection, user="alice", agent="main", request_id="r1")
    assert found is not None
    return found


def test_calls_wait_for_a_result_until_it_is_stored(open_agent: OpenAgent) -> None:
    record, _ = opened(open_agent())
    assert record.unanswered() == ()

    record.answer(calling("a", "b", "c"), usage=Usage())
    assert record.unanswered() == (call("a"), call("b"), call("c"))

    record.result(result("b"), Reading())
    assert record.unanswered() == (call("a"), call("c"))


def test_an_answer_without_calls_ends_the_turn_and_leaves_none_waiting(
    open_agent: OpenAgent,
) -> None:
    agent = open_agent()
    record, _ = opened(agent)
    record.answer(Completion(text="Done."), usage=Usage(input=3))

    record.abort([], attempt="never")

    assert record.unanswered() == ()
    assert (stored(agent).state, stored(agent).attempt) == (TurnState.DONE, "")


def test_what_was_read_lowers_the_conversation_with_the_result(open_agent: OpenAgent) -> None:
    agent = open_agent()
    record, turn = opened(agent)
    record.answer(calling("a"), usage=Usage())

    record.result(result("a"), Reading(Trust.DOCUMENT))

    with agent.store.read() as connection:
        assert sessions.lowest_read(connection, turn.session) is Trust.DOCUMENT


def test_no_secret_reaches_the_disk_by_a_call_a_result_or_an_attempt(
    open_agent: OpenAgent,
) -> None:
    agent = open_agent()
    record, _ = opened(agent)
    said = Completion(text="", tool_calls=(call("a", SECRET),), stop=StopReason.TOOLS)
    own = record.own_calls(said)
    record.answer(own, usage=Usage())

    record.abort([result("a", SECRET)], attempt=f"It is {SECRET}")

    assert own.tool_calls[0].arguments == SECRET  # it runs as the model said
    kept = agent.messages(agent.session())
    assert not any(SECRET in f"{m.text}{m.tool_calls}" for m in kept)
    assert SECRET not in stored(agent).attempt
    assert stored(agent).attempt.startswith("It is ")


@pytest.mark.parametrize("id", ["0", "functions.memory_search:0", "x" * 4_000, "100%_é"])
def test_an_id_names_one_call_in_a_conversation_however_long_it_is(
    open_agent: OpenAgent, id: str
) -> None:
    record, _ = opened(open_agent())
    first = record.own_calls(calling(id))
    record.answer(first, usage=Usage())
    record.result(result(id), Reading())

    second = record.own_calls(calling(id))

    assert first.tool_calls[0].id == id
    assert second.tool_calls[0].id != id


def test_an_answer_of_thousands_of_calls_is_looked_up_too(open_agent: OpenAgent) -> None:
    record, _ = opened(open_agent())
    ids = [f"call_{number:020}" for number in range(2_000)]
    record.answer(calling(ids[-1]), usage=Usage())
    record.result(result(ids[-1]), Reading())

    own = [call.id for call in record.own_calls(calling(*ids)).tool_calls]

    assert own[:-1] == ids[:-1]
    assert own[-1] != ids[-1]


def test_the_last_beginning_of_an_answer_is_kept(open_agent: OpenAgent) -> None:
    agent = open_agent()
    record, turn = opened(agent)
    for attempt in ("First", "Second", ""):
        record.abort([], attempt=attempt)
        with agent.store.write() as journal:
            turns.reopen_turn(journal.connection, turn.id, owner="")

    assert stored(agent).attempt == "Second"


def looking(given: list[str]) -> Options:
    """An agent's with a tool that keeps what it is given, and only looks."""

    def look(key: str) -> str:
        """Looks."""
        given.append(key)
        return f"seen with {key}"

    tools: tuple[Tool, ...] = (tool(look, writes=False),)
    return Options(user="alice", tools=tools)


def test_a_call_runs_with_the_secret_the_model_wrote_and_is_kept_without_it(
    open_agent: OpenAgent,
) -> None:
    given: list[str] = []
    asks = Completion(
        text="", tool_calls=(call("a", json.dumps({"key": SECRET})),), stop=StopReason.TOOLS
    )
    agent = open_agent(script=[asks, Completion(text="Here.")], options=looking(given))

    events = list(agent.stream("Look it up"))

    assert given == [SECRET]
    [ran] = [one for one in events if isinstance(one, ToolRan)]
    assert not ran.failed
    [asked] = [m for m in agent.messages(agent.session()) if m.tool_calls]
    assert json.loads(asked.tool_calls[0].arguments) == {"key": "[secret: Anthropic key]"}
    assert not any(SECRET in repr(m) for m in agent.messages(agent.session()))
    files = [one for one in agent.settings.data.rglob("*") if one.is_file()]
    assert files
    assert not any(SECRET.encode() in one.read_bytes() for one in files)


def test_after_a_crash_no_call_runs_with_what_stands_for_a_secret(open_agent: OpenAgent) -> None:
    given: list[str] = []
    agent = open_agent(script=[Completion(text="Here.")], options=looking(given))
    record, _ = opened(agent)
    calls = (call("a", json.dumps({"key": SECRET})), call("b", '{"key": "oven"}'))
    said = Completion(text="", tool_calls=calls, stop=StopReason.TOOLS)
    record.answer(record.own_calls(said), usage=Usage())

    reply = agent.send("Do it", request_id="r1")

    assert reply.text == "Here."
    assert given == ["oven"]
    kept = [m for m in agent.messages(agent.session()) if m.role is Role.TOOL]
    assert [(m.tool_call_id, m.tool_failed, m.text) for m in kept] == [
        ("a", True, NOT_REPEATED),
        ("b", False, "seen with oven"),
    ]
