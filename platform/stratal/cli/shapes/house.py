"""Settings and health."""

from pathlib import Path

from pydantic import JsonValue

from stratal.cli.shapes.base import Shape


class Pulled(Shape):
    """Where the embedding model lies now."""

    path: Path


class SettingShape(Shape):
    """One setting in force and where it was set."""

    name: str
    value: JsonValue
    origin: str


class SettingList(Shape):
    """The settings in force; keys never appear."""

    settings: tuple[SettingShape, ...]


class CheckShape(Shape):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    hint: str


class Checks(Shape):
    """The health of the house."""

    checks: tuple[CheckShape, ...]
