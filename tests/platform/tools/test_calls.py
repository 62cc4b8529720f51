"""Tool calls as they are stored: whatever a model writes can be answered and sent again."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.request import Request
from stratal.context.validator import validate
from stratal.providers.anthropic_wire import sound_id
from stratal.providers.provider import Completion, StopReason
from stratal.tools.calls import LONGEST_ID, LONGEST_NAME, UNNAMED, distinct_calls
from stratal.tools.tool import tool
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


UNSOUND = ("a\ud800", "\udfff", "a\0b", "c\n1", "\x1b[2J", " ", "x" * 10_000)


@pytest.mark.parametrize("id", UNSOUND)
def test_an_id_that_can_not_be_kept_or_sent_is_drawn_anew(id: str) -> None:
    (one, other) = distinct_calls([called("look", id), called("look", id)], used=[])

    assert one.id != other.id
    assert all(sound_id(call.id) == call.id for call in (one, other))


@pytest.mark.parametrize("id", ["0", "functions.look:0", "100%_é", "x" * LONGEST_ID])
def test_an_id_that_can_be_kept_and_sent_stays(id: str) -> None:
    """Some servers read their own ids again, and one that is long may hold a signature."""
    (made,) = distinct_calls([called("look", id)], used=[])

    assert made.id == id


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("look\ud800", "look_"),
        ("a\0b", "a_b"),
        ("functions.look", "functions_look"),
        ("look up", "look_up"),
        ("x" * 10_000, "x" * LONGEST_NAME),
        ("\ud800\0", UNNAMED),
        ("搜索", UNNAMED),
    ],
)
def test_a_name_is_made_fit_to_be_sent(name: str, kept: str) -> None:
    (made,) = distinct_calls([called(name)], used=[])

    assert made.name == kept


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=8))
def test_whatever_calls_are_called_they_are_told_apart_and_can_be_sent(
    said: list[tuple[str, str]],
) -> None:
    made = distinct_calls([called(name, id) for id, name in said], used=["0"])

    assert len({"0", *(call.id for call in made)}) == len(made) + 1
    for call in made:
        f"{call.id}{call.name}".encode()
        assert call.name.replace("-", "a").replace("_", "a").isalnum()
        assert call.name.isascii()


@pytest.mark.parametrize("odd", ["a\ud800", "a\0b", "x" * 10_000])
def test_a_turn_with_an_odd_id_and_an_odd_name_goes_on_with_its_pairs_together(
    open_talker: OpenTalker, odd: str
) -> None:
    def look() -> str:
        """Looks."""
        return "seen"

    def answer(request: Request) -> Completion:
        if request.messages[-1].text != "Look":
            return Completion(text="Fine.")
        calls = (called("look", odd), called("look", odd), called(odd, "c9"))
        return Completion(text="", tool_calls=calls, stop=StopReason.TOOLS)

    talker = Talker(answer)
    agent = open_talker(talker, tools=(tool(look, writes=False),))

    first, second = agent.send("Look"), agent.send("And now?")

    assert (first.text, second.text) == ("Fine.", "Fine.")
    sent = talker.requests[-1]
    validate(sent, provider="anthropic")
    calls = [call for one in sent.messages for call in one.tool_calls]
    assert [sound_id(call.id) for call in calls] == [call.id for call in calls]
    assert [sound_id(call.name) for call in calls] == [call.name for call in calls]
    assert texts_by_call(sent)[:2] == ["seen", "seen"]
    assert "there is no tool" in texts_by_call(sent)[2]


def texts_by_call(request: Request) -> Sequence[str]:
    """The result of each call, in the order of the calls."""
    results = {one.tool_call_id: one.text for one in request.messages if one.role is Role.TOOL}
    return [results[call.id] for one in request.messages for call in one.tool_calls]
