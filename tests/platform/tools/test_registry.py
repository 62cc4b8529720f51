"""The toolbox: what a mode allows, and that every call gets an answer."""

from asyncio import CancelledError
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import pytest

from stratal.context.repair import UNKNOWN
from stratal.errors import ConfigError, InputError, StratalError
from stratal.prompt.sections import Mode
from stratal.tools.registry import RESULT_LIMIT, Toolbox, key_of
from stratal.tools.tool import Effect, Invocation, Tool, tool
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


def failing(error: BaseException) -> Tool:
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


PATIENCE = 20.0  # seconds until a test that waits for another thread fails


class Hanging:
    """A tool that goes on until the test lets it go, and says then what it should never say."""

    def __init__(self) -> None:
        self.begun, self.let_go, self.ended = Event(), Event(), Event()
        self.cancelled = False

    def __call__(self, invocation: Invocation) -> str:
        """Hang."""
        self.begun.set()
        assert self.let_go.wait(PATIENCE)
        self.cancelled = invocation.cancelled()
        self.ended.set()
        return "too late"

    def tool(self, effect: Effect, *, timeout: float) -> Tool:
        return tool(self, writes=effect is not Effect.NONE, effect=effect, timeout=timeout)


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    made = Hanging()
    yield made
    made.let_go.set()
    assert made.ended.wait(PATIENCE)


def test_a_tool_that_hangs_is_answered_for_and_left_behind(hanging: Hanging) -> None:
    toolbox = Toolbox.of((hanging.tool(Effect.NONE, timeout=0.01),), mode=Mode.AGENT)

    result = toolbox.run(call("Hanging"))

    assert result.tool_failed
    assert result.text == "it was not done after 0.01 seconds and was left behind"


def test_of_one_with_an_effect_outside_nobody_knows_what_became(hanging: Hanging) -> None:
    toolbox = Toolbox.of((hanging.tool(Effect.OUTSIDE, timeout=0.01),), mode=Mode.AGENT)

    assert UNKNOWN in toolbox.run(call("Hanging")).text


def test_what_is_left_behind_is_told_so_and_says_nothing_any_more(hanging: Hanging) -> None:
    toolbox = Toolbox.of((hanging.tool(Effect.LOCAL, timeout=0.01),), mode=Mode.AGENT)

    result = toolbox.run(call("Hanging"))
    hanging.let_go.set()
    assert hanging.ended.wait(PATIENCE)

    assert hanging.cancelled
    assert "too late" not in result.text


def test_a_running_tool_is_left_behind_when_it_is_cancelled(hanging: Hanging) -> None:
    toolbox = Toolbox.of((hanging.tool(Effect.OUTSIDE, timeout=PATIENCE),), mode=Mode.AGENT)

    result = toolbox.run(call("Hanging"), Invocation(cancelled=hanging.begun.is_set))

    assert result.text.startswith("cancelled while it ran. Outcome unknown")


def test_a_call_that_is_cancelled_before_it_begins_does_nothing() -> None:
    ran: list[str] = []

    def send() -> None:
        """Send."""
        ran.append("sent")

    toolbox = Toolbox.of((tool(send, writes=True),), mode=Mode.AGENT)

    result = toolbox.run(call("send"), Invocation(cancelled=lambda: True))

    assert (ran, result.tool_failed) == ([], True)
    assert result.text == "cancelled before it began; nothing was done"


def test_a_failure_outside_may_have_come_after_the_effect() -> None:
    def send() -> None:
        """Send."""
        raise ConnectionError("reset")

    outside = Toolbox.of((tool(send, writes=True),), mode=Mode.AGENT).run(call("send"))
    local = tool(send, writes=True, effect=Effect.LOCAL)

    assert outside.text == f"the tool failed: ConnectionError: reset. {UNKNOWN}"
    assert UNKNOWN not in Toolbox.of((local,), mode=Mode.AGENT).run(call("send")).text


@pytest.mark.parametrize("error", [NotFound("no receipt."), InputError("no receipt")])
def test_an_error_of_ours_may_have_come_after_the_effect_too(error: StratalError) -> None:
    outside = replace(failing(error), writes=True, effect=Effect.OUTSIDE)

    result = Toolbox.of((outside,), mode=Mode.AGENT).run(call("fail"))

    assert result.text == f"no receipt. {UNKNOWN}"


@pytest.mark.parametrize("arguments", ["[]", "{", '{"to": 1}'])
def test_what_did_not_run_is_not_said_to_be_unknown(arguments: str) -> None:
    toolbox = Toolbox.of((CHANGE,), mode=Mode.AGENT)

    assert UNKNOWN not in toolbox.run(call("change", arguments)).text


@pytest.mark.parametrize("timeout", [None, 20.0])
@pytest.mark.parametrize(
    "error", [CancelledError("inner"), BaseExceptionGroup("several", [CancelledError()])]
)
def test_whatever_a_tool_raises_is_a_failed_call(
    error: BaseException, timeout: float | None
) -> None:
    toolbox = Toolbox.of((replace(failing(error), timeout=timeout),), mode=Mode.AGENT)

    result = toolbox.run(call("fail"))

    assert result.tool_failed
    assert result.text.startswith(f"the tool failed: {type(error).__name__}: ")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), GeneratorExit()])
def test_an_interrupt_is_no_failure_of_the_tool(error: BaseException) -> None:
    toolbox = Toolbox.of((failing(error),), mode=Mode.AGENT)

    with pytest.raises(type(error)):
        toolbox.run(call("fail"))


def test_arguments_that_do_not_fit_had_no_effect() -> None:
    result = Toolbox.of((tool(change, writes=True),), mode=Mode.AGENT).run(call("change", "[]"))

    assert result.text == "the arguments are not a JSON object: it is a list"


def test_a_tool_that_would_end_the_process_is_a_failed_call() -> None:
    def leave() -> None:
        """Leave."""
        raise SystemExit(3)

    result = Toolbox.of((tool(leave, writes=False),), mode=Mode.AGENT).run(call("leave"))

    assert (result.text, result.tool_failed) == ("the tool failed: SystemExit: 3", True)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    toolbox = Toolbox.of((LOOK, CHANGE), mode=Mode.AGENT)

    assert toolbox.run(call("loook")).text == (
        "there is no tool 'loook'; did you mean look? there are: change, look"
    )
    assert toolbox.run(call("\x1b[2J")).text == (
        "there is no tool '\\x1b[2J'; there are: change, look"
    )
    assert len(toolbox.run(call("x" * 100_000)).text) < 200


def test_a_tool_that_writes_is_never_named_in_the_place_of_another() -> None:
    toolbox = Toolbox.of((LOOK, CHANGE), mode=Mode.AGENT)

    assert toolbox.run(call("changes")).text == (
        "there is no tool 'changes'; there are: change, look"
    )


def test_a_tool_that_was_left_out_is_said_to_be() -> None:
    said = "web__look was left out: its description changed"
    toolbox = Toolbox.of((LOOK, CHANGE), mode=Mode.AGENT, left_out={"web__look": said})

    result = toolbox.run(call("web__look"))

    assert (result.text, result.tool_failed) == (said, True)


def test_only_what_looks_runs_beside_others_or_a_second_time() -> None:
    fetching = tool(failing(ValueError()).run, writes=False, effect=Effect.LOCAL)
    noting = tool(change, writes=True, effect=Effect.NONE)
    toolbox = Toolbox.of((LOOK, noting, fetching), mode=Mode.AGENT)

    found = {name: toolbox.parallel(call(name)) for name in ("look", "change", "run", "nobody")}

    assert found == {"look": True, "change": False, "run": False, "nobody": True}
    assert all(toolbox.harmless(call(name)) is may for name, may in found.items())


def test_a_tool_knows_the_id_of_its_call() -> None:
    def say(invocation: Invocation) -> str:
        """Say."""
        return f"{invocation.id} {invocation.idempotency_key}"

    toolbox = Toolbox.of((tool(say, writes=False),), mode=Mode.AGENT)

    assert toolbox.run(call("say"), Invocation(idempotency_key="k1")).text == "c1 k1"


def test_a_key_is_that_of_one_call_in_one_turn() -> None:
    one = call("look")
    keys = {
        key_of("turn_1", one),
        key_of("turn_2", one),
        key_of("turn_1", call("change")),
        key_of("turn_1", ToolCall(id="c2", name="look", arguments="{}")),
        key_of("turn_1c1", ToolCall(id="", name="look", arguments="{}")),
    }

    assert len(keys) == 5
    assert key_of("turn_1", ToolCall(id="c1", name="look", arguments='{"a": 1}')) in keys


def test_of_a_call_cut_off_only_one_that_looks_is_sure_not_to_have_acted() -> None:
    def ask() -> str:
        """Ask a sub-agent."""
        return "asked"

    local = tool(ask, writes=False, effect=Effect.LOCAL)
    toolbox = Toolbox.of((tool(look, writes=False), local), mode=Mode.AGENT)

    acted = [name for name in ("look", "ask", "gone") if toolbox.may_have_acted(call(name))]

    assert acted == ["ask", "gone"]
