"""A command that fails in ways no command should."""

from typing import Annotated

import typer

from stratal.cli.opening import settings_of
from stratal.cli.options import common_of


def command(ctx: typer.Context, how: Annotated[str, typer.Argument()]) -> None:
    """Fail."""
    settings_of(common_of(ctx))
    raise {"crash": RuntimeError("a bug"), "interrupt": KeyboardInterrupt()}[how]
