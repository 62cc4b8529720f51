"""The schema of a foreign tool, made into one that every provider takes, or refused."""

import json
import re
from collections.abc import Mapping
from typing import cast

from stratal.errors import InputError
from stratal_memory.learning.visible import seen

MOST = 16_000  # characters of one schema; a larger one would cost more than most conversations
MOST_WORDS = 300  # characters of one description inside it
DEEPEST = 32  # levels; deeper ones are nobody's parameters

# Both makers refuse a request whose tool has one of these at its root (PROVIDERS, "Tools").
_NOT_AT_ROOT = frozenset(
    {"$schema", "$id", "oneOf", "anyOf", "allOf", "not", "enum", "if", "then", "else", "title"}
)
_UNUSED = frozenset({"$comment", "examples"})
_WORDS = frozenset({"title", "description"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")  # what Anthropic takes

Node = dict[str, object]


def fitted(schema: Mapping[str, object]) -> str:
    """`schema` as canonical JSON with short, visible words; without any where it is too long.

    Raises `InputError` for one that some provider refuses: it would fail every request, not only
    this tool.
    """
    root = _node({key: value for key, value in schema.items() if key not in _NOT_AT_ROOT}, depth=0)
    _check_root(root)
    _check_references(root, root)
    for made in (root, cast("Node", _wordless(root))):
        text = json.dumps(made, sort_keys=True, separators=(",", ":"))
        if len(text) <= MOST:
            return text
    raise InputError(f"its schema has {len(text):,} characters, {MOST:,} are allowed")


def _check_root(root: Node) -> None:
    if root.setdefault("type", "object") != "object":
        raise InputError(f"its arguments are no object but {str(root['type'])[:40]!r}")
    properties = root.setdefault("properties", {})
    if not isinstance(properties, dict):
        raise InputError("its schema names no properties in `properties`")
    wrong = next((name for name in properties if not _PROPERTY.fullmatch(name)), None)
    if wrong is not None:
        raise InputError(f"no provider takes a parameter called {wrong[:64]!r}")


def _node(node: Mapping[str, object], *, depth: int) -> Node:
    """One schema with its words cleaned; names of properties are no keywords."""
    if depth > DEEPEST:
        raise InputError(f"its schema is nested more than {DEEPEST} deep")
    made: Node = {}
    for key, value in node.items():
        if key in _UNUSED:
            continue
        if key in _WORDS and isinstance(value, str):
            made[key] = cleaned(value, most=MOST_WORDS)
        elif key in _NAMED and isinstance(value, dict):
            made[key] = {name: _value(below, depth=depth + 1) for name, below in value.items()}
        else:
            made[key] = _value(value, depth=depth + 1)
    return made


def _value(value: object, *, depth: int) -> object:
    if isinstance(value, dict):
        return _node(cast("Node", value), depth=depth)
    if isinstance(value, list):
        return [_value(one, depth=depth + 1) for one in value]
    return value


def _wordless(value: object) -> object:
    """`value` without titles and descriptions; a property of that name stays, being no text."""
    if isinstance(value, dict):
        return {
            key: _wordless(below)
            for key, below in value.items()
            if not (key in _WORDS and isinstance(below, str))
        }
    return [_wordless(one) for one in value] if isinstance(value, list) else value


def _check_references(value: object, root: Node) -> None:
    """A reference leads to a place in the same schema, never to an address."""
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and not _leads(target, root):
            raise InputError(f"its schema refers to {target[:80]!r}, which is not in it")
        for below in value.values():
            _check_references(below, root)
    elif isinstance(value, list):
        for one in value:
            _check_references(one, root)


def _leads(target: str, root: Node) -> bool:
    here: object = root
    if target != "#" and not target.startswith("#/"):
        return False
    for part in target.removeprefix("#").removeprefix("/").split("/"):
        if not part and target in ("#", "#/"):
            break
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(here, dict) or name not in here:
            return False
        here = here[name]
    return True


def cleaned(text: str, *, most: int) -> str:
    r"""What is seen of `text` on one line, at most `most` characters.

    >>> cleaned("Reads\u200b a  file.", most=8)
    'Reads a…'
    """
    line = " ".join(seen(text).split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
