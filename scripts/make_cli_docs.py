"""Write docs/cli.md from the commands themselves and the JSON shapes they print.

Run it after a command, an option or a shape changed; a test compares the file with what it writes.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel
from typer.core import TyperArgument, TyperGroup, TyperOption

from stratal.cli.catalogue import PRINTED
from stratal.cli.options import PANEL, shared_options
from stratal.cli.root import COMMANDS, loaded
from stratal.cli.shapes.base import Failed

if TYPE_CHECKING:  # typer ships its own click, and its types have no public name
    from typer._click import Command, Parameter

TARGET = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """\
# The command line

This page is written by `scripts/make_cli_docs.py`: change the commands, not the page.

Every command takes the options of this table, before its name or after it; the last one given wins.
"""
CODES = """
Exit codes: 0 done, 1 failed, 2 usage, 3 partly failed, 130 interrupted. An error is a sentence and
a hint on standard error; with `--json` it is a [Failed](#failed) on standard output. `NO_COLOR` is
honoured, and bars are drawn only on a terminal.
"""
OBJECTS = """
## JSON objects

A field that may be absent stands in parentheses. Times are ISO 8601 in UTC.
"""

Schema = Mapping[str, object]  # a JSON schema, as pydantic writes it


def page() -> str:
    """The whole page."""
    parts = [HEAD, *_options(shared_options()), CODES]
    for name in COMMANDS:
        parts += _command(loaded(name), name)
    return "\n".join([*parts, OBJECTS, *_objects()]) + "\n"


def _command(command: "Command", path: str) -> Iterator[str]:
    text = inspect.cleandoc(command.help or "")
    if isinstance(command, TyperGroup):
        yield f"## stratal {path}\n\n{text}\n"
        for name, below in command.commands.items():
            yield from _command(below, f"{path} {name}")
        return
    arguments = [p for p in command.params if isinstance(p, TyperArgument)]
    usage = " ".join(["stratal", path, *(_usage(argument) for argument in arguments)])
    yield f"{'###' if ' ' in path else '##'} stratal {path}\n\n`{usage}`\n\n{text}\n"
    own = [p for p in command.params if getattr(p, "rich_help_panel", None) != PANEL]
    yield from _options(own)
    shapes = " or ".join(_link(shape.__name__) for shape in PRINTED[path])
    yield f"JSON: {shapes}\n"


def _usage(argument: TyperArgument) -> str:
    name = argument.metavar or str(argument.name).upper()
    return name if argument.required else f"[{name}]"


def _options(options: "Sequence[Parameter]") -> list[str]:
    found = [option for option in options if isinstance(option, TyperOption)]
    rows = [f"| {_names(option)} | {option.help or ''} |" for option in found]
    return ["| option | does |", "|---|---|", *rows, ""] if rows else []


def _names(option: TyperOption) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return f"{names} {option.metavar}" if option.metavar else names


def _objects() -> Iterator[str]:
    """Every object that a command prints or that stands in one, by name."""
    printed: list[type[BaseModel]] = [Failed]
    for shapes in PRINTED.values():
        printed.extend(shapes)
    found: dict[str, Schema] = {}
    for shape in printed:
        found.update(_schemas(shape))
    for name in sorted(found):
        yield _object(name, found[name])


def _schemas(shape: type[BaseModel]) -> dict[str, Schema]:
    schema: Schema = shape.model_json_schema(mode="serialization")
    inner = cast("dict[str, Schema]", schema.get("$defs", {}))
    return {**inner, shape.__name__: schema}


def _object(name: str, schema: Schema) -> str:
    about = str(schema.get("description", "")).strip()
    head = f"### {name}\n\n{about}\n"
    if "enum" in schema or "$ref" in schema:
        return f"{head}\n{_type(schema)}\n"
    fields = cast("dict[str, Schema]", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    rows = [
        f"| {f'`{field}`' if field in required else f'(`{field}`)'} | {_type(inner)} |"
        for field, inner in fields.items()
    ]
    return "\n".join([head, "| field | |", "|---|---|", *rows, ""])


def _type(schema: Schema) -> str:
    """A type in words."""
    if "$ref" in schema:
        return _link(str(schema["$ref"]).rpartition("/")[2])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in cast("list[str]", schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in cast("list[Schema]", schema["anyOf"]))
    kind = str(schema.get("format") or schema.get("const") or schema.get("type", "any JSON"))
    for key in ("items", "additionalProperties"):
        inside = schema.get(key)
        if isinstance(inside, dict):
            return f"{kind} of {_type(cast('Schema', inside))}"
    return {"date-time": "time"}.get(kind, kind)


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(page(), encoding="utf-8")
    print(f"wrote {TARGET}")
