"""A tool: a typed function with a docstring, and the schema the model sees of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, Protocol, overload

from pydantic import ValidationError
from pydantic_core import to_json

from stratal.context.request import ToolSpec
from stratal.errors import ConfigError, InputError
from stratal.prompt.modes import Area
from stratal.tools.invocation import Effect, Invocation
from stratal.tools.signature import Typed, typed

__all__ = ["Effect", "Invocation", "Tool", "tool"]

MALFORMED = "the arguments are not a JSON object"
PATIENCE = 120.0  # seconds a tool may take that says nothing else
NOBODY = Invocation()  # where a tool is run by hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function the model may call. `runs` takes the JSON text of its arguments, and the call.

    With a `timeout` it runs in a thread of its own, which is left behind when the time is up;
    without one it runs in the thread that asks, for as long as it takes.
    """

    spec: ToolSpec
    runs: Callable[[str, Invocation], str]
    writes: bool  # whether it changes anything
    area: Area = Area.OTHER  # what it is about; the mode decides by both
    effect: Effect = Effect.NONE  # what a second call would do again
    timeout: float | None = None  # seconds
    guarded: bool = False  # minds by itself what was read: nobody is asked before it runs

    def __post_init__(self) -> None:
        """Raises `ConfigError` for one that acts outside and says that it changes nothing.

        The modes that only look would offer it.
        """
        if self.effect is Effect.OUTSIDE and not self.writes:
            raise ConfigError(
                f"the tool {self.spec.name} has an effect outside and says it does not write",
                hint="Say writes=True, or leave the effect out if it only looks.",
            )

    def run(self, arguments: str, invocation: Invocation = NOBODY) -> str:
        """What the function says to these arguments; raises `InputError` where they don't fit."""
        return self.runs(arguments, invocation)


class UnfitArguments(InputError):
    """The arguments don't fit, so the function was not called."""


class _Makes(Protocol):
    def __call__(self, function: Callable[..., object], /) -> Tool: ...


@overload
def tool(
    function: Callable[..., object],
    *,
    writes: bool = True,
    area: Area = Area.OTHER,
    effect: Effect | None = None,
    timeout: float | None = PATIENCE,
) -> Tool: ...
@overload
def tool(
    *,
    writes: bool = True,
    area: Area = Area.OTHER,
    effect: Effect | None = None,
    timeout: float | None = PATIENCE,
) -> _Makes: ...
def tool(
    function: Callable[..., object] | None = None,
    *,
    writes: bool = True,
    area: Area = Area.OTHER,
    effect: Effect | None = None,
    timeout: float | None = PATIENCE,
) -> Tool | _Makes:
    """`function` as a tool: name, docstring and signature become what the model sees.

    A decorator as well, `@tool` or `@tool(writes=False)`. Who says nothing is taken to write, and
    a tool that `writes` and does not say how to have an effect outside: a person is asked once
    untrusted text was read. `timeout` is in seconds; with one the function runs in a thread of
    its own, several of those that only look at the same time.

    What it gives back is told as text: anything but a string as JSON, None as nothing. Raises
    `ConfigError` for an async function, `*args`, `**kwargs`, a type that has no schema, a name
    that no provider takes, or an effect outside of what does not write. `run` raises
    `InputError` for arguments that don't fit the signature, so that the model can mend them.
    """
    does = effect or (Effect.OUTSIDE if writes else Effect.NONE)

    def make(function: Callable[..., object], /) -> Tool:
        made = typed(function)
        return Tool(
            spec=made.shape.spec,
            runs=lambda arguments, invocation: _called(made, arguments, invocation),
            writes=writes,
            area=area,
            effect=does,
            timeout=_checked_timeout(timeout, made.shape.spec.name),
        )

    return make if function is None else make(function)


def _checked_timeout(timeout: float | None, name: str) -> float | None:
    if timeout is not None and not 0 < timeout < float("inf"):
        raise ConfigError(
            f"the timeout of the tool {name} is {timeout} seconds",
            hint="Give more than 0, or None for no limit.",
        )
    return timeout


def _called(made: Typed, arguments: str, invocation: Invocation) -> str:
    given = arguments_of(arguments)
    try:
        bound = made.shape.bind(given)
    except ValidationError as error:
        raise UnfitArguments(_complaint(error)) from error
    return _told(made.call(bound, invocation))


def arguments_of(arguments: str) -> dict[str, object]:
    """The object in this JSON; nothing, and `null`, are an empty one. Raises `UnfitArguments`."""
    try:
        given = json.loads(arguments.strip() or "{}", parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UnfitArguments(f"{MALFORMED}: {error}") from error
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise UnfitArguments(f"{MALFORMED}: it is a {type(given).__name__}")
    return given


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _told(result: object) -> str:
    if isinstance(result, str):
        return result
    return "" if result is None else to_json(result, fallback=str).decode()


def _complaint(error: ValidationError) -> str:
    parts = [f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors()]
    return f"the arguments don't fit: {'; '.join(parts)}"
