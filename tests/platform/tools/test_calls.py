"""Tool calls as they are stored: whatever a model writes can be answered and sent again."""

import pytest

from stratal.context.request import Request
from stratal.providers.provider import Completion, StopReason
from stratal.tools.calls import UNNAMED, distinct_calls
from stratal_memory.records import Role, ToolCall
from tests.platform.conftest import OpenTalker
from tests.platform.talking import Talker


def called(name: str, id: str = "c1") -> ToolCall:
    return ToolCall(id=id, name=name, arguments="{}")


def test_calls_with_ids_of_their_own_stay_as_they_are() -> None:
    calls = (called("look", "c1"), called("look", "c2"))

    assert distinct_calls(calls, used=["c0"]) == calls


def test_an_id_that_is_empty_or_used_is_drawn_anew() -> None:
    calls = [called("look", id) for id in ("", "c0", "c1", "c1", "")]

    made = distinct_calls(calls, used=["c0"])

    assert len({call.id for call in made}) == 5
    assert made[2].id == "c1"
    assert not {"", "c0"} & {call.id for call in made}


@pytest.mark.parametrize("name", ["", " ", "\n\t"])
def test_a_call_without_a_name_gets_one(name: str) -> None:
    (made,) = distinct_calls([called(name)], used=[])

    assert (made.name, made.id, made.arguments) == (UNNAMED, "c1", "{}")


@pytest.mark.parametrize("name", ["", "  "])
def test_a_call_without_a_name_is_answered_and_the_conversation_goes_on(
    open_talker: OpenTalker, name: str
) -> None:
    def answer(request: Request) -> Completion:
        if request.messages[-1].text == "Call it":
            return Completion(text="", tool_calls=(called(name),), stop=StopReason.TOOLS)
        return Completion(text="Fine.")

    talker = Talker(answer)
    agent = open_talker(talker)

    first, second = agent.send("Call it"), agent.send("And now?")

    assert (first.text, second.text) == ("Fine.", "Fine.")
    (result,) = [one for one in talker.requests[-1].messages if one.role is Role.TOOL]
    assert f"no tool '{UNNAMED}'" in result.text
    names = [call.name for one in talker.requests[-1].messages for call in one.tool_calls]
    assert names == [UNNAMED]
