"""A function as a tool: what the model sees of it, and what it is told about wrong arguments."""

import json
from dataclasses import replace
from typing import Annotated

import pytest
from pydantic import Field

from stratal.errors import ConfigError, InputError
from stratal.tools.approval import needs_approval
from stratal.tools.tool import PATIENCE, Effect, Invocation, Tool, tool
from stratal_memory.records import Trust


def weather(
    town: Annotated[str, Field(description="Where.")],
    days: Annotated[int, Field(ge=1, le=7, description="How many.")] = 1,
) -> str:
    """The weather of the next days.

    In words.
    """
    return f"{town}, {days} days"


def nothing() -> str:
    """Say hello."""
    return "hello"


def test_name_docstring_and_signature_become_what_the_model_sees() -> None:
    spec = tool(weather, writes=False).spec

    schema = json.loads(spec.schema)
    assert spec.name == "weather"
    assert spec.description == "The weather of the next days.\n\nIn words."
    assert schema["type"] == "object"
    assert schema["required"] == ["town"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["town"]["description"] == "Where."
    assert (schema["properties"]["days"]["minimum"], schema["properties"]["days"]["maximum"]) == (
        1,
        7,
    )


def test_the_schema_is_the_same_text_every_time() -> None:
    assert tool(weather, writes=False).spec == tool(weather, writes=True).spec


def test_a_tool_runs_on_the_json_of_its_arguments() -> None:
    made = tool(weather, writes=False)

    assert made.run('{"town": "Graz", "days": 3}') == "Graz, 3 days"
    assert made.run('{"town": "Graz"}') == "Graz, 1 days"


@pytest.mark.parametrize("arguments", ["", "{}", " \n", "null"])
def test_no_arguments_are_no_arguments(arguments: str) -> None:
    assert tool(nothing, writes=False).run(arguments) == "hello"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("{", "not a JSON object"),
        ("[1]", "it is a list"),
        ('"Graz"', "it is a str"),
        ("{}", "town: Missing required argument"),
        ('{"town": "Graz", "days": 9}', "days: Input should be less than or equal to 7"),
        ('{"town": "Graz", "when": "now"}', "when: Unexpected keyword argument"),
        ('{"town": null}', "town: Input should be a valid string"),
        ('{"town": "Graz", "days": NaN}', "NaN is no JSON"),
        ('{"town": "Graz", "days": ' + "1" * 5_000 + "}", "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ("\ud800", "not a JSON object"),
    ],
)
def test_what_does_not_fit_is_told_by_name(arguments: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        tool(weather, writes=False).run(arguments)


def test_a_tool_that_writes_has_an_effect_outside_unless_it_says_otherwise() -> None:
    assert tool(nothing, writes=False).effect is Effect.NONE
    assert tool(nothing, writes=True).effect is Effect.OUTSIDE
    assert tool(nothing, writes=True, effect=Effect.LOCAL).effect is Effect.LOCAL


def test_what_acts_outside_can_not_say_that_it_writes_nothing() -> None:
    # covers Z26
    with pytest.raises(ConfigError, match="nothing has an effect outside") as refused:
        tool(nothing, writes=False, effect=Effect.OUTSIDE)

    assert "writes=True" in refused.value.hint
    with pytest.raises(ConfigError, match="nothing has an effect outside"):
        replace(tool(nothing, writes=True), writes=False)


def test_without_a_function_it_is_a_decorator() -> None:
    @tool(writes=True, timeout=3.0)
    def ring(times: int) -> str:
        """Ring."""
        return "ding " * times

    assert (ring.spec.name, ring.timeout, ring.writes) == ("ring", 3.0, True)
    assert ring.run('{"times": 2}') == "ding ding "
    assert tool(nothing, writes=False).timeout == PATIENCE


def test_a_tool_that_says_nothing_of_itself_is_taken_to_act_outside() -> None:
    @tool
    def send(text: str) -> str:
        """Send a text."""
        return f"sent {text}"

    assert isinstance(send, Tool)
    assert (send.writes, send.effect, send.timeout) == (True, Effect.OUTSIDE, PATIENCE)
    assert needs_approval(send, Trust.TOOL)
    assert tool(timeout=3.0)(nothing).writes
    assert tool(nothing).run("{}") == "hello"


@pytest.mark.parametrize("timeout", [0, -1.0, float("inf"), float("nan")])
def test_a_timeout_that_is_none_is_refused(timeout: float) -> None:
    with pytest.raises(ConfigError, match="timeout of the tool nothing"):
        tool(nothing, writes=False, timeout=timeout)


@pytest.mark.parametrize(
    ("result", "text"),
    [("plain", "plain"), (None, ""), (3, "3"), ({"a": [1, True]}, '{"a":[1,true]}')],
)
def test_what_a_function_gives_back_is_told_as_text(result: object, text: str) -> None:
    def look() -> object:
        """Look."""
        return result

    assert tool(look, writes=False).run("{}") == text


def test_a_function_run_by_hand_is_asked_by_nobody() -> None:
    seen: list[Invocation] = []

    def look(call: Invocation) -> None:
        """Look."""
        seen.append(call)

    tool(look, writes=False).run("{}")

    assert (seen[0].id, seen[0].approved, seen[0].cancelled()) == ("", False, False)
