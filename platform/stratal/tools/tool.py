"""A tool: a typed function with a docstring, and the schema the model sees of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from inspect import getdoc
from typing import cast

from pydantic import TypeAdapter, ValidationError, validate_call

from stratal.context.request import ToolSpec
from stratal.errors import InputError
from stratal.prompt.modes import Area

MALFORMED = "the arguments are not a JSON object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function the model may call. `run` takes the JSON text of its arguments."""

    spec: ToolSpec
    run: Callable[[str], str]
    writes: bool  # whether it changes anything
    area: Area = Area.OTHER  # what it is about; the mode decides by both


def tool(function: Callable[..., str], *, writes: bool, area: Area = Area.OTHER) -> Tool:
    """`function` as a tool: name, docstring and signature become what the model sees.

    `run` raises `InputError` for arguments that don't fit the signature, so that the model can
    mend them.
    """
    checked = validate_call(function)
    schema = TypeAdapter(cast("type[object]", function)).json_schema()
    schema.pop("title", None)

    def run(arguments: str) -> str:
        try:
            given = json.loads(arguments or "{}")
        except json.JSONDecodeError as error:
            raise InputError(f"{MALFORMED}: {error}") from error
        if not isinstance(given, dict):
            raise InputError(f"{MALFORMED}: it is a {type(given).__name__}")
        try:
            return checked(**given)
        except ValidationError as error:
            raise InputError(_complaint(error)) from error

    return Tool(
        spec=ToolSpec(
            name=getattr(function, "__name__", "tool"),
            description=getdoc(function) or "",
            schema=json.dumps(schema, sort_keys=True, separators=(",", ":")),
        ),
        run=run,
        writes=writes,
        area=area,
    )


def _complaint(error: ValidationError) -> str:
    parts = [f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors()]
    return f"the arguments don't fit: {'; '.join(parts)}"
