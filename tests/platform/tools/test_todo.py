"""The to-do list: kept with its conversation, shown in every turn, lost by no compaction."""

import json
from collections.abc import Sequence

import pytest

from stratal.agent import Agent
from stratal.errors import InputError
from stratal.options import Options
from stratal.prompt.sections import Mode
from stratal.providers.provider import Completion, StopReason
from stratal.providers.scripted import Step
from stratal.tools.todo import HEAD, SHOWN, pinned, todo_tools
from stratal.tools.tool import Tool
from stratal_memory.records import Role, ToolCall
from tests.platform.conftest import OpenAgent, OpenTalker
from tests.platform.talking import Talker


def listing(*items: str) -> Completion:
    call = ToolCall(id="c1", name="todo_write", arguments=json.dumps({"items": items}))
    return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)


WORK = ("[x] Read the plan", "[>] Write the report", "Send it")
SHOWN_WORK = f"{HEAD}\n[>] Write the report\n[ ] Send it\n(1 done)"


def opened(open_agent: OpenAgent, script: Sequence[Step], mode: Mode = Mode.AGENT) -> Agent:
    return open_agent(script=script, options=Options(user="alice", mode=mode))


def own(agent: Agent) -> Tool:
    (made,) = todo_tools(agent.store, session=agent.session().id)
    return made


def shown(agent: Agent) -> str:
    return pinned(agent.store, session=agent.session().id)


@pytest.mark.parametrize("mode", Mode)
def test_the_list_is_written_and_told_in_every_mode(open_agent: OpenAgent, mode: Mode) -> None:
    # covers Zs5
    agent = opened(open_agent, [listing(*WORK), Completion(text="Noted.")], mode)

    agent.send("Plan it")

    results = [one for one in agent.messages(agent.session()) if one.role is Role.TOOL]
    assert [one.text for one in results] == ["[x] Read the plan\n[>] Write the report\n[ ] Send it"]
    assert shown(agent) == SHOWN_WORK


def test_the_list_stands_beside_the_next_message_also_after_a_compaction(
    open_talker: OpenTalker,
) -> None:
    replies = iter([listing(*WORK)])
    talker = Talker(lambda request: next(replies, Completion(text="Fine.")), lambda _: "Talk.")
    agent = open_talker(talker)
    for text in ("Plan it", "One", "Two", "Three", "Four"):
        agent.send(text)

    agent.compact()
    agent.send("Go on")

    sent = talker.requests[-1]
    assert Role.TOOL not in {one.role for one in sent.messages}  # that history is cut
    assert SHOWN_WORK in "\n".join(one.text for one in sent.messages)


def test_another_conversation_has_another_list(open_agent: OpenAgent) -> None:
    agent = opened(open_agent, [listing(*WORK), Completion(text="Noted.")])
    agent.send("Plan it")

    agent.start_session()

    assert shown(agent) == ""


def test_a_list_is_replaced_and_ends_when_it_is_empty_or_done(open_agent: OpenAgent) -> None:
    agent = open_agent()
    write = own(agent)

    write.run('{"items": ["[ ] one", "  two\\nlines "]}')
    assert shown(agent) == f"{HEAD}\n[ ] one\n[ ] two lines"
    write.run('{"items": ["[X] one"]}')
    assert shown(agent) == ""
    assert write.run('{"items": []}') == write.run('{"items": [" ", "[x]"]}')
    assert write.run('{"items": []}') == "The list is empty."


def test_of_a_long_list_the_first_points_are_shown(open_agent: OpenAgent) -> None:
    agent = open_agent()

    own(agent).run(json.dumps({"items": ["x" * 200] * 30}))

    assert len(shown(agent)) <= SHOWN + 20
    assert shown(agent).endswith("more to do)")


@pytest.mark.parametrize("items", [["x" * 201], ["x"] * 31, [{"text": "x"}], "x", None])
def test_what_is_no_list_is_told(open_agent: OpenAgent, items: object) -> None:
    with pytest.raises(InputError, match="items"):
        own(open_agent()).run(json.dumps({"items": items}))


def test_no_secret_reaches_the_disk(open_agent: OpenAgent) -> None:
    agent = open_agent()

    own(agent).run('{"items": ["use AKIAIOSFODNN7EXAMPLE"]}')

    assert shown(agent).startswith(f"{HEAD}\n[ ] use ")
    assert "AKIAIOSFODNN7EXAMPLE" not in shown(agent)
