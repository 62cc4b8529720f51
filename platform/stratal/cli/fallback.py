"""A group whose first word may be a command or the argument of its usual one."""

from typing import TYPE_CHECKING

from typer.core import TyperGroup

if TYPE_CHECKING:  # typer ships its own click, and its types have no public name
    from typer._click import Command, Context


def fallback_group(usual: str) -> type[TyperGroup]:
    """A group that runs its command `usual` when the first word names none: `models X`."""

    class Fallback(TyperGroup):
        def resolve_command(
            self, ctx: "Context", args: list[str]
        ) -> "tuple[str | None, Command | None, list[str]]":
            named = args[0] in self.commands
            return super().resolve_command(ctx, args if named else [usual, *args])

    return Fallback
