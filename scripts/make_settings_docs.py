"""Writes docs/settings.md from the fields of the settings; a test checks that it is current.

.venv/bin/python scripts/make_settings_docs.py
"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from stratal.settings import Settings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
HEAD = """# Settings

Written by `scripts/make_settings_docs.py`; `make docs` writes it anew.

A value is taken from the first of: the command's option, the environment, `./stratal.toml`, the
user's settings file (`settings.toml` in the user's configuration folder), the preset, the default.
An unknown key is an error. `stratal config show --origin` says which place won.

In a file a section is a table, in the environment a prefix:

```toml
[recall]
top_k = 8
```

```sh
STRATAL_RECALL__TOP_K=8 stratal chat
```

API keys stand in the environment alone, never in a file of settings.
"""


def page() -> str:
    """The whole page."""
    top = {name: field for name, field in Settings.model_fields.items() if _section(field) is None}
    parts = [HEAD, _table("General", "", top)]
    for name, field in Settings.model_fields.items():
        section = _section(field)
        if section is not None:
            parts.append(_table(f"[{name}]", section.__doc__ or "", section.model_fields))
            parts.extend(_named_tables(name, section))
    return "\n".join(parts)


def _named_tables(section: str, kind: type[BaseModel]) -> Iterator[str]:
    """The tables inside a section that bear names of the user's choice."""
    for name, field in kind.model_fields.items():
        held = get_args(field.annotation)[-1:]
        if held and isinstance(held[0], type) and issubclass(held[0], BaseModel):
            about = inspect.cleandoc(held[0].__doc__ or "")
            yield _table(f"[{section}.{name}.NAME]", about, held[0].model_fields)


def _section(field: FieldInfo) -> type[BaseModel] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _table(title: str, about: str, fields: dict[str, FieldInfo]) -> str:
    rows = [
        f"| `{name}` | {_values(field)} | {_default(field)} | {_text(name, field)} |"
        for name, field in fields.items()
    ]
    told = f"{about.strip()}\n\n" if about else ""
    head = "| name | values | default | what it does |\n|---|---|---|---|\n"
    return f"## {title}\n\n{told}{head}" + "\n".join(rows) + "\n"


def _text(name: str, field: FieldInfo) -> str:
    if not field.description:
        raise SystemExit(f"the setting {name} says nothing of itself: add a line under its field")
    return " ".join(field.description.split())


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return ""  # depends on the machine, or is an empty list
    value = field.default
    if value is None or value == "":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _values(field: FieldInfo) -> str:
    kinds = [kind for kind in _options(field.annotation) if kind is not NoneType]
    return ", ".join(_name(kind) for kind in kinds)


def _options(kind: object) -> tuple[object, ...]:
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


def _name(kind: object) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    if kind is SecretStr:
        return "key"
    if get_origin(kind) is list:
        return "paths" if get_args(kind) == (Path,) else "list of texts"
    if get_origin(kind) is dict:
        return "table of names"
    names = {int: "whole number", float: "number", bool: "`true`, `false`", str: "text"}
    if isinstance(kind, type) and kind in names:
        return names[kind]
    members = getattr(kind, "__members__", None)
    return ", ".join(f"`{value}`" for value in members.values()) if members else "path"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(Path.cwd())} is written\n")
