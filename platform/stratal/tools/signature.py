"""The signature of a function, as the schema of a tool and as the check of what a model gives."""

import functools
import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from types import FunctionType
from typing import Annotated, cast, get_args, get_origin, get_type_hints

from pydantic import JsonValue, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import ArgsKwargs

from stratal.context.request import ToolSpec
from stratal.errors import ConfigError
from stratal.tools.docstrings import described
from stratal.tools.invocation import Invocation

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")  # what every provider takes
_VALUES = ("default", "const", "enum", "examples")  # what stands there is no schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a function takes: as the model sees it, and as it is checked."""

    spec: ToolSpec
    bind: Callable[[Mapping[str, object]], Mapping[str, object]]  # raises `ValidationError`
    ahead: tuple[str, ...]  # parameters that are given by place
    called: tuple[str, ...]  # parameters that get the `Invocation`


@dataclass(frozen=True, slots=True)
class Typed:
    """A function ready to be called by a model."""

    function: Callable[..., object]
    shape: Shape

    def call(self, given: Mapping[str, object], invocation: Invocation) -> object:
        """What the function gives back; raises what it raises."""
        every = {**given, **dict.fromkeys(self.shape.called, invocation)}
        places = [every.pop(name) for name in self.shape.ahead if name in every]
        made = self.function(*places, **every)
        if inspect.iscoroutine(made):
            made.close()
            raise _asynchronous(self.shape.spec.name)
        return made


def typed(function: Callable[..., object]) -> Typed:
    """`function`, a method, a partial or a callable object, with the schema of its parameters.

    What a partial has bound by name is neither shown nor taken. Raises `ConfigError`.
    """
    if inspect.isfunction(function) and not hasattr(function, "__wrapped__"):
        return Typed(function, _known_shape(_Same(function)))
    return Typed(function, _shape(function))


class _Same:
    """A function, equal to another that the same `def` made with the very same types.

    The built-in tools are made anew for every turn; pydantic takes 1 ms for each.
    """

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        # Kept, so that no other object can have their identities.
        self.parts = (
            function.__code__,
            function.__name__,
            function.__doc__,
            *function.__annotations__.keys(),
            *function.__annotations__.values(),
            *(function.__defaults__ or ()),
            *(function.__kwdefaults__ or {}).values(),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._ids() == other._ids()

    def __hash__(self) -> int:
        return hash(self._ids())

    def _ids(self) -> tuple[int, ...]:
        return tuple(map(id, self.parts))


@functools.lru_cache(maxsize=256)
def _known_shape(same: _Same) -> Shape:
    return _shape(same.function)


def _shape(function: Callable[..., object]) -> Shape:
    name = _name_of(function)
    if _is_async(function):
        raise _asynchronous(name)
    signature, hints = _signature(function, name)
    own = {one.name for one in signature if _is_invocation(hints.get(one.name))}
    bound = function.keywords if isinstance(function, functools.partial) else {}
    shown = [one for one in signature if one.name not in own and one.name not in bound]
    said = described(_documented(function))
    adapter = _adapter(shown, hints, name=name)
    return Shape(
        spec=ToolSpec(
            name=name,
            description=said.text,
            schema=_schema(adapter.json_schema(), said.parameters),
        ),
        bind=lambda given: adapter.validate_python(ArgsKwargs((), dict(given))),
        ahead=tuple(one.name for one in signature if one.kind is Parameter.POSITIONAL_ONLY),
        called=tuple(sorted(own)),
    )


def _inner(function: Callable[..., object]) -> Callable[..., object]:
    """What has the annotations and the docstring."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return type(function).__call__


def _documented(function: Callable[..., object]) -> object:
    """What has the docstring: an object that is called, where its way to be called has none."""
    inner = _inner(function)
    called = inner.__name__ == "__call__" and not inspect.isfunction(function)
    return function if called and not inner.__doc__ else inner


def _name_of(function: Callable[..., object]) -> str:
    bare = function
    while isinstance(bare, functools.partial):
        bare = bare.func
    name = str(getattr(bare, "__name__", type(bare).__name__))
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name[:80]!r} can't be the name of a tool",
            hint="Write a function with def, of at most 64 letters, digits and underscores.",
        )
    return name


def _is_async(function: Callable[..., object]) -> bool:
    bare = _inner(function)
    return inspect.iscoroutinefunction(bare) or inspect.isasyncgenfunction(bare)


def _asynchronous(name: str) -> ConfigError:
    return ConfigError(
        f"the tool {name} is an async function, and tools are called without an event loop",
        hint="Wrap it in a function that says `return asyncio.run(...)`.",
    )


def _signature(
    function: Callable[..., object], name: str
) -> tuple[list[Parameter], dict[str, object]]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
        hints = get_type_hints(_inner(function), include_extras=True)
    except (NameError, TypeError, ValueError) as error:
        raise ConfigError(
            f"the signature of the tool {name} can't be read: {error}",
            hint="Use types that are known where the function is written.",
        ) from error
    for one in parameters:
        if one.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            raise ConfigError(
                f"the tool {name} takes {str(one).partition(':')[0]}",
                hint="Name every parameter: the model sees only what has a name.",
            )
    return parameters, hints


def _is_invocation(hint: object) -> bool:
    return hint is Invocation or any(_is_invocation(part) for part in _alternatives(hint))


def _alternatives(hint: object) -> tuple[object, ...]:
    """The types of a union, or the type that is annotated."""
    if get_origin(hint) is Annotated:
        return get_args(hint)[:1]
    return tuple(one for one in get_args(hint) if one is Invocation)


def _adapter(
    shown: list[Parameter], hints: Mapping[str, object], *, name: str
) -> TypeAdapter[dict[str, object]]:
    """Checks arguments by name and gives them back, for the shown parameters."""

    def bind(**given: object) -> dict[str, object]:  # its signature is set below
        return given

    types = {one.name: hints.get(one.name, object) for one in shown}
    by_name = [
        one.replace(kind=Parameter.POSITIONAL_OR_KEYWORD, annotation=types[one.name])
        for one in sorted(shown, key=lambda one: one.default is not Parameter.empty)
    ]
    bind.__name__ = bind.__qualname__ = name
    bind.__annotations__ = types
    vars(bind)["__signature__"] = Signature(by_name)
    try:
        adapter = TypeAdapter[dict[str, object]](cast("type[dict[str, object]]", bind))
        adapter.json_schema()
    except PydanticUserError as error:
        raise ConfigError(
            f"a parameter of the tool {name} has a type that has no schema: {error.message}",
            hint="Use plain types, enums, dataclasses or pydantic models.",
        ) from error
    return adapter


def _schema(schema: JsonValue, said: Mapping[str, str]) -> str:
    """The JSON Schema as canonical text, each parameter with what the docstring says of it."""
    slim = cast("dict[str, JsonValue]", _without_titles(schema))
    shown = cast("dict[str, JsonValue]", slim.get("properties") or {})
    for parameter, text in said.items():
        one = shown.get(parameter)
        if isinstance(one, dict):
            one.setdefault("description", text)
    return json.dumps(slim, sort_keys=True, separators=(",", ":"))


def _without_titles(value: JsonValue) -> JsonValue:
    """The schema without the names that pydantic repeats in capitals: the model pays for them."""
    if isinstance(value, list):
        return [_without_titles(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: one if name in _VALUES else _without_titles(one)
        for name, one in value.items()
        if not (name == "title" and isinstance(one, str))
    }
