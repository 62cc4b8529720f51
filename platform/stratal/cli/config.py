"""`stratal config`: the settings in force."""

from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.opening import overrides_of, settings_of
from stratal.cli.options import common_of
from stratal.cli.shapes.house import SettingList, SettingShape
from stratal.cli.terminal import Terminal, cell, table
from stratal.settings import in_force

app = typer.Typer(help="The settings in force.", add_completion=False)


@app.callback()
def group() -> None:
    """The settings in force."""


@app.command()
def show(
    ctx: typer.Context,
    origin: Annotated[bool, typer.Option("--origin", help="Where each was set.")] = False,
) -> None:
    """Every setting; API keys are never shown."""
    common = common_of(ctx)
    overrides = overrides_of(common)
    settings = settings_of(common)
    found = in_force(settings, overrides, file=common.config)
    rows = tuple(SettingShape.of(setting) for setting in found)
    view = _with_origin if origin else _plain
    Terminal(common).show(SettingList(settings=rows), view)


def _plain(found: SettingList) -> RenderableType:
    made = table("setting", "value")
    for setting in found.settings:
        made.add_row(cell(setting.name), cell(_value(setting)))
    return made


def _with_origin(found: SettingList) -> RenderableType:
    made = table("setting", "value", "from")
    for setting in found.settings:
        made.add_row(cell(setting.name), cell(_value(setting)), cell(setting.origin, "dim"))
    return made


def _value(setting: SettingShape) -> str:
    return "" if setting.value is None else str(setting.value)
