"""The commands by name, each loaded from its module when it is invoked and not before."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from stratal.cli.options import shared_options

if TYPE_CHECKING:  # typer ships its own click, and its types have no public name
    from typer._click import Command, Context


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command lies: `command` in the module is one function, `app` a group of several."""

    module: str
    help: str
    attribute: str = "app"


COMMANDS: dict[str, Entry] = {
    "demo": Entry("stratal.cli.demo", "The whole way on the bundled samples.", "command"),
    "chat": Entry("stratal.cli.chat", "Talk, or send one message with -m.", "command"),
    "ingest": Entry("stratal.cli.ingest", "Read documents into memory.", "command"),
    "documents": Entry("stratal.cli.documents", "What was understood of documents."),
    "memory": Entry("stratal.cli.memory", "Add, search, list and explain memories."),
    "context": Entry("stratal.cli.context", "What the model is shown, and why.", "command"),
    "compact": Entry("stratal.cli.compact", "Summarise older messages.", "command"),
    "consolidate": Entry("stratal.cli.consolidate", "Settle conversations into memory.", "command"),
    "scope": Entry("stratal.cli.scope", "Who may use a project or org."),
    "session": Entry("stratal.cli.session", "Past conversations."),
    "skills": Entry("stratal.cli.skills", "Procedures, and which one fits a message."),
    "tools": Entry("stratal.cli.tools", "What the model may call, MCP servers among it."),
    "models": Entry("stratal.cli.models", "Known models; `pull` gets the embedding model."),
    "config": Entry("stratal.cli.config", "The settings in force."),
    "eval": Entry("stratal.cli.eval", "Measure how good memory is."),
    "doctor": Entry(
        "stratal.cli.doctor", "The health of the data and the installation.", "command"
    ),
    "jobs": Entry("stratal.cli.jobs", "Consolidation on a schedule."),
}


class LazyGroup(TyperGroup):
    """A group that knows its commands' names and help, and imports one when it is invoked."""

    def list_commands(self, ctx: "Context") -> list[str]:
        """Every name, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: "Context", cmd_name: str) -> "Command | None":
        """What help shows of a command; `resolve_command` gives the one that runs."""
        entry = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=entry.help) if entry else None

    def resolve_command(
        self, ctx: "Context", args: list[str]
    ) -> "tuple[str | None, Command | None, list[str]]":
        """The command the arguments name, loaded."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, loaded(name) if name and found else found, rest


@cache
def loaded(name: str) -> "Command":
    """The command of that name with the options every command takes."""
    entry = COMMANDS[name]
    held = getattr(import_module(entry.module), entry.attribute)
    app = held if isinstance(held, typer.Typer) else _alone(cast("Callable[..., None]", held))
    command = get_command(app)
    command.name = name
    return _with_everywhere(command)


def _alone(function: "Callable[..., None]") -> typer.Typer:
    app = typer.Typer(add_completion=False)
    app.command()(function)
    return app


def _with_everywhere(command: "Command") -> "Command":
    """The same command; an option of its own goes before a shared one of that name."""
    own = {option for parameter in command.params for option in parameter.opts}
    command.params.extend(p for p in shared_options() if not own.intersection(p.opts))
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            _with_everywhere(below)
    return command


def root() -> TyperGroup:
    """The `stratal` command."""
    return LazyGroup(
        name="stratal",
        # The names alone, for "did you mean".
        commands={name: TyperCommand(name) for name in COMMANDS},
        help="Persistent agents whose memory lies in tiers.",
        params=shared_options(completion=True),
        epilog="Begin with `stratal demo`, then `stratal chat`.",
    )
