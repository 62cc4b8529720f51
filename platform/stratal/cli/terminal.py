"""Where answers go: tables and bars for people, JSON for programs, notices beside them."""

import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Literal, TextIO, TypeVar

from pydantic import BaseModel
from rich.console import Console, Group, RenderableType
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from stratal.cli.options import Common
from stratal.cli.streams import printable
from stratal.cli.wrapping import Wrapper

S = TypeVar("S", bound=BaseModel)
Advance = Callable[[int, int, str], None]  # (done, total, what is being worked on)

SHOWN = 160  # characters of a memory in a table
PIPE_WIDTH = 160  # characters a line where nobody says how wide the reader is


def cell(text: object, style: str = "") -> Text:
    """A value as a table shows it."""
    return Text(printable(str(text)), style=style)


def brief(text: str, *, longest: int = SHOWN) -> str:
    """`text` on one line, cut where it gets too long for a table.

    >>> brief("one  two  three", longest=8)
    'one two…'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def table(*columns: str, title: str = "", right: tuple[str, ...] = ()) -> Table:
    """An empty table; the columns in `right` hold numbers."""
    made = Table(
        title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False
    )
    for name in columns:
        whole = name in right or name == "id"  # numbers and ids are never broken
        side: Literal["left", "right"] = "right" if name in right else "left"
        made.add_column(name, justify=side, no_wrap=whole, overflow="fold")
    return made


class Terminal:
    """The two streams of one invocation."""

    def __init__(self, common: Common) -> None:
        self._json = common.json
        self._silent = common.quiet or common.json
        self.console = _console(sys.stdout)
        self._beside = _console(sys.stderr)
        self._wrapper = Wrapper(self.console.width)
        self._line_begun = False

    def show(self, shape: S, view: Callable[[S], RenderableType], *, in_line: bool = False) -> None:
        """The result: as JSON when it was asked for (on one line, for one of several), or drawn."""
        if self._json:
            self.console.file.write(f"{as_json(shape, indent=None if in_line else 2)}\n")
            self.console.file.flush()
        else:
            self.print(view(shape))

    def show_json(self, shape: BaseModel) -> None:
        """The result as JSON."""
        self.console.file.write(f"{as_json(shape)}\n")

    def print(self, drawn: RenderableType) -> None:
        """Something drawn, for people."""
        self.console.print(drawn)

    def complain(self, message: str, hint: str) -> None:
        """An error that does not end the program."""
        _print(self._beside, cell(f"error: {message}", "red"))
        if hint:
            _print(self._beside, cell(f"hint: {hint}", "yellow"))

    def aside(self, text: str) -> None:
        """A dim line after the result; nothing with --quiet."""
        if not self._silent:
            _print(self.console, cell(text, "dim"))

    def say(self, text: str) -> None:
        """A piece of an answer, at once and without a line end."""
        shown = printable(text)
        self._write(self._wrapper.take(shown) if self.console.is_terminal else shown)

    def said(self, *, keys: bool = False) -> None:
        """That piece was the last for now: ends the line, if one was begun.

        With `keys` the person began one, of what they pressed; only a terminal shows that.
        """
        self._write(self._wrapper.flush())
        self._wrapper = Wrapper(self.console.width)
        if self._line_begun or (keys and self.console.is_terminal):
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            self._line_begun = not text.endswith("\n")
            self.console.file.write(text)
            self.console.file.flush()

    def note(self, text: str) -> None:
        """A dim line beside the result; nothing with --quiet or --json."""
        if not self._silent:
            _print(self._beside, cell(text, "dim"))

    def bar(self, *columns: ProgressColumn) -> Progress | None:
        """A bar of these columns beside the result; None where nothing may be drawn."""
        if self._silent or not self._beside.is_terminal:
            return None
        return Progress(*columns, console=self._beside, transient=True)

    @contextmanager
    def progress(self, doing: str, *, of_bytes: bool = False) -> Generator[Advance]:
        """A bar while something long goes on; nothing is drawn without a terminal."""
        if self._silent or not self._beside.is_terminal:
            yield lambda done, total, what: None
            return
        amount = DownloadColumn() if of_bytes else MofNCompleteColumn()
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), amount)
        bar = Progress(*columns, TimeElapsedColumn(), console=self._beside, transient=True)
        with bar:
            task = bar.add_task(doing, total=None)

            def advance(done: int, total: int, what: str) -> None:
                label = f"{doing} {printable(what)}".strip()
                bar.update(task, completed=done, total=total, description=label[-50:])

            yield advance


def as_json(shape: BaseModel, *, indent: int | None = 2) -> str:
    """The JSON text of a shape; ASCII, so that it survives any terminal and pipe."""
    return json.dumps(shape.model_dump(mode="json"), indent=indent)


def lines(*parts: RenderableType | None) -> Group:
    """Parts below one another; those that are None are left out."""
    return Group(*(part for part in parts if part is not None))


def _print(console: Console, line: Text) -> None:
    """A line wrapped at words on a terminal, and left whole for a program to read."""
    console.print(line, soft_wrap=not console.is_terminal)


def _console(stream: TextIO) -> Console:
    console = Console(file=stream, markup=False, highlight=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console
