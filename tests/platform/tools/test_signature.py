"""The signature of a function as a tool: every kind of function, and what is refused."""

import functools
import json
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, JsonValue

from stratal.errors import ConfigError, InputError
from stratal.tools.tool import Invocation, Tool, tool


class Sky(StrEnum):
    CLEAR = "clear"
    GREY = "grey"


class Place(BaseModel):
    title: str
    height: int = 0


def forecast(places: list[Place], sky: Sky = Sky.CLEAR, note: str | None = None) -> str:
    """Foretell.

    Args:
        places: Where.
        sky: As it looks.
    """
    return f"{[place.title for place in places]} {sky.value} {note}"


def placed(town: str, /, days: int = 1, *, loud: bool = False) -> str:
    """Say it."""
    return f"{town} {days} {loud}"


def told(call: Invocation, town: str, maybe: Invocation | None = None) -> str:
    """Say who asks."""
    return f"{town} {call.id} {maybe.idempotency_key if maybe else ''}"


class Station:
    """A station that can be asked."""

    def ask(self, town: str) -> str:
        """Ask the station."""
        return f"{town}: rain"

    def __call__(self, town: str) -> str:
        return self.ask(town)


async def later(town: str) -> str:
    """Wait."""
    return town


def many(*towns: str) -> str:
    """Many."""
    return " ".join(towns)


def any_names(**towns: str) -> str:
    """Many."""
    return " ".join(towns)


def odd(town: Callable[[], "Nothing"]) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Unreadable."""
    return str(town)


class Opaque:
    """No schema."""


def opaque(town: Opaque) -> str:
    """Unreadable."""
    return str(town)


def shape(made: Tool) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = json.loads(made.spec.schema)
    return found


def properties(made: Tool) -> dict[str, dict[str, JsonValue]]:
    found = shape(made)["properties"]
    assert isinstance(found, dict)
    return {name: one for name, one in found.items() if isinstance(one, dict)}


def test_enums_models_defaults_and_descriptions_stand_in_the_schema() -> None:
    made = tool(forecast, writes=False)

    found = properties(made)
    assert shape(made)["required"] == ["places"]
    assert found["places"]["description"] == "Where."
    assert (found["sky"]["default"], found["sky"]["description"]) == ("clear", "As it looks.")
    assert '"Sky":{"enum":["clear","grey"],"type":"string"}' in made.spec.schema
    assert '"title":{"type":"string"}' in made.spec.schema  # a field of that name, not a title
    assert '"Title"' not in made.spec.schema
    assert made.spec.description == "Foretell."
    arguments = '{"places": [{"title": "Graz"}], "sky": "grey"}'
    assert made.run(arguments) == "['Graz'] grey None"


def test_an_annotated_description_goes_before_that_of_the_docstring() -> None:
    def look(town: Annotated[str, Field(description="Annotated.")]) -> str:
        """Look.

        :param town: From the docstring.
        """
        return town

    assert properties(tool(look, writes=False))["town"]["description"] == "Annotated."


def test_parameters_given_by_place_or_by_name_alone_are_all_given_by_name() -> None:
    made = tool(placed, writes=False)

    assert made.run('{"loud": true, "town": "Graz"}') == "Graz 1 True"


def test_an_invocation_is_given_and_not_shown() -> None:
    made = tool(told, writes=False)

    assert set(properties(made)) == {"town"}
    call = Invocation(id="c1", idempotency_key="k1")
    assert made.run('{"town": "Graz"}', call) == "Graz c1 k1"
    with pytest.raises(InputError, match="call: Unexpected keyword argument"):
        made.run('{"town": "Graz", "call": {}}')


def test_methods_and_objects_that_are_called_are_tools() -> None:
    asked, called = tool(Station().ask, writes=False), tool(Station(), writes=False)

    assert (asked.spec.name, asked.spec.description) == ("ask", "Ask the station.")
    assert asked.run('{"town": "Graz"}') == "Graz: rain"
    assert called.spec.description == "A station that can be asked."
    assert called.run('{"town": "Graz"}') == "Graz: rain"


def test_what_a_partial_has_bound_is_neither_shown_nor_taken() -> None:
    made = tool(functools.partial(placed, "Graz", loud=True), writes=False)

    assert (made.spec.name, set(properties(made))) == ("placed", {"days"})
    assert made.run('{"days": 3}') == "Graz 3 True"
    with pytest.raises(InputError, match="loud: Unexpected keyword argument"):
        made.run('{"loud": false}')


def test_functions_of_one_wrapper_keep_their_own_parameters() -> None:
    def loud(function: Callable[..., str]) -> Callable[..., str]:
        @functools.wraps(function)
        def inner(*given: str, **named: str) -> str:
            return function(*given, **named).upper()

        return inner

    def one(town: str) -> str:
        return town

    def two(river: str) -> str:
        return river

    first, second = tool(loud(one), writes=False), tool(loud(two), writes=False)

    assert (set(properties(first)), set(properties(second))) == ({"town"}, {"river"})
    assert second.run('{"river": "Mur"}') == "MUR"


def test_functions_of_one_definition_with_other_types_keep_their_own_types() -> None:
    def choosing(most: int) -> Tool:
        def choose(number: Annotated[int, Field(le=most)]) -> int:
            """Choose."""
            return number

        return tool(choose, writes=False)

    first, second = choosing(9), choosing(5)

    assert first.run('{"number": 9}') == "9"
    with pytest.raises(InputError, match="less than or equal to 5"):
        second.run('{"number": 9}')


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (later, "later is an async function"),
        (functools.partial(later, "Graz"), "later is an async function"),
        (many, r"many takes \*towns"),
        (any_names, r"any_names takes \*\*towns"),
        (odd, "signature of the tool odd can't be read"),
        (opaque, "a parameter of the tool opaque has a type that has no schema"),
        (lambda: "x", "'<lambda>' can't be the name of a tool"),
    ],
)
def test_what_no_model_could_call_is_refused(
    function: Callable[..., object], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        tool(function, writes=False)


def test_a_function_that_gives_back_something_to_await_is_refused_when_it_runs() -> None:
    def hidden() -> object:
        """Wait."""
        return later("Graz")

    with pytest.raises(ConfigError, match="async"):
        tool(hidden, writes=False).run("{}")
