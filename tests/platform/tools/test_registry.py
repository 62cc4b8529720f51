"""The toolbox: what a mode allows, and that every call gets an answer."""

import pytest

from stratal.errors import ConfigError
from stratal.prompt.sections import Mode
from stratal.tools.registry import RESULT_LIMIT, Toolbox
from stratal.tools.tool import Tool, tool
from stratal_memory.errors import NotFound
from stratal_memory.records import Role, ToolCall


def look() -> str:
    """Look."""
    return "seen"


def change() -> str:
    """Change."""
    return "changed"


LOOK, CHANGE = tool(look, writes=False), tool(change, writes=True)


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(id="c1", name=name, arguments=arguments)


def saying(text: str) -> Tool:
    def speak() -> str:
        """Speak."""
        return text

    return tool(speak, writes=False)


def failing(error: Exception) -> Tool:
    def fail() -> str:
        """Fail."""
        raise error

    return tool(fail, writes=False)


@pytest.mark.parametrize(
    ("mode", "names"),
    [(Mode.AGENT, ["change", "look"]), (Mode.ASK, ["look"]), (Mode.PLAN, ["look"])],
)
def test_only_agent_mode_has_tools_that_write(mode: Mode, names: list[str]) -> None:
    # covers Z26
    toolbox = Toolbox.of((LOOK, CHANGE), mode=mode)

    assert [spec.name for spec in toolbox.specs()] == names


def test_a_tool_the_mode_leaves_out_can_not_be_called_either() -> None:
    # covers Z26
    result = Toolbox.of((LOOK, CHANGE), mode=Mode.ASK).run(call("change"))

    assert result.tool_failed
    assert result.text.startswith("change is not available in ask mode; nothing was done")


def test_the_specs_have_one_order_whatever_the_tools_came_in() -> None:
    one = Toolbox.of((LOOK, CHANGE), mode=Mode.AGENT)
    other = Toolbox.of((CHANGE, LOOK), mode=Mode.AGENT)

    assert one.specs() == other.specs()


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="two tools are called look"):
        Toolbox.of((LOOK, CHANGE, tool(look, writes=True)), mode=Mode.AGENT)


def test_a_result_answers_its_call() -> None:
    result = Toolbox.of((LOOK,), mode=Mode.AGENT).run(call("look"))

    assert (result.role, result.tool_call_id, result.text) == (Role.TOOL, "c1", "seen")
    assert not result.tool_failed


def test_a_result_is_stored_whole_up_to_two_million_characters() -> None:
    fits = Toolbox.of((saying("x" * RESULT_LIMIT),), mode=Mode.AGENT).run(call("speak"))
    over = Toolbox.of((saying("x" * (RESULT_LIMIT + 1)),), mode=Mode.AGENT).run(call("speak"))

    assert RESULT_LIMIT == 2_000_000
    assert fits.text == "x" * RESULT_LIMIT
    assert len(over.text) <= RESULT_LIMIT


def test_a_cut_result_says_how_much_there_was_and_what_to_do() -> None:
    result = Toolbox.of((saying("x" * 3_000_000),), mode=Mode.AGENT).run(call("speak"))

    head, notice = result.text.split("\n")
    assert f"[3,000,000 characters, the first {len(head):,} are shown" in notice
    assert "ask for less" in notice


def test_a_tool_that_says_nothing_is_said_to_say_nothing() -> None:
    result = Toolbox.of((saying("  \n"),), mode=Mode.AGENT).run(call("speak"))

    assert result.text == "(the tool gave no output)"
    assert not result.tool_failed


def test_our_own_error_is_told_with_its_hint() -> None:
    error = NotFound("no such page", hint="Try page 2.")

    result = Toolbox.of((failing(error),), mode=Mode.AGENT).run(call("fail"))

    assert (result.text, result.tool_failed) == ("no such page Try page 2.", True)


def test_any_other_error_is_told_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    toolbox = Toolbox.of((failing(ZeroDivisionError("by zero")),), mode=Mode.AGENT)

    result = toolbox.run(call("fail"))

    assert (result.text, result.tool_failed) == (
        "the tool failed: ZeroDivisionError: by zero",
        True,
    )
    assert "tool fail failed" in caplog.text


def test_deeply_nested_arguments_are_a_failed_call_and_nothing_more() -> None:
    result = Toolbox.of((LOOK,), mode=Mode.AGENT).run(call("look", "[" * 100_000))

    assert result.tool_failed
