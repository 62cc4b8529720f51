"""Where lines come from: a prompt with editing, history and completion, or a pipe."""

import hashlib
import os
import sys
import termios
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from stratal_memory.learning.redaction import redact
from stratal_memory.text import storable

if TYPE_CHECKING:  # loaded where somebody types
    from prompt_toolkit.input import Input

FOLDER = "history"


class Reader(Protocol):
    """Gives one line after the other; `EOFError` at the end, `KeyboardInterrupt` on Ctrl-C."""

    @property
    def interactive(self) -> bool:
        """Whether a person is typing."""
        ...

    def read(self, prompt: str) -> str:
        """The next line, which may hold line ends."""
        ...

    def ask(self, question: str) -> str:
        """The answer to a question of ours: one line, which is no message and is kept nowhere.

        A person's answer is what was typed with the question in sight; nothing typed before.
        """
        ...


class Piped:
    """Lines of a file or pipe; a line is a message."""

    interactive = False

    def __init__(self, source: Iterable[str]) -> None:
        self._lines = iter(source)

    def read(self, prompt: str) -> str:
        """The next line without its end."""
        for line in self._lines:
            return line.rstrip("\r\n")
        raise EOFError

    def ask(self, question: str) -> str:
        """The next line without its end."""
        return self.read(question)


class Prompted:
    """A prompt: arrows through history, Alt-Enter for a new line, Tab completes commands."""

    interactive = True

    def __init__(self, history: Path, commands: Sequence[str]) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

        class Redacted(FileHistory):
            """A history file without secrets, and without what UTF-8 can't hold."""

            def store_string(self, string: str) -> None:
                super().store_string(redact(storable(string)).text)

        keys = KeyBindings()

        @keys.add("enter")
        def _send(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add("escape", "enter")
        def _new_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        self._session: PromptSession[str] = PromptSession(
            history=Redacted(str(history)),
            completer=WordCompleter(list(commands), sentence=True),
            complete_while_typing=True,
            key_bindings=keys,
            multiline=True,
            prompt_continuation="… ",
        )

    def read(self, prompt: str) -> str:
        """What was typed."""
        return self._session.prompt(prompt)

    def ask(self, question: str) -> str:
        """What was typed since the question stands there, with nothing completed or brought back.

        A yes that was typed ahead was meant for something else.
        """
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import DummyHistory

        asking: PromptSession[str] = PromptSession(history=DummyHistory())
        return asking.prompt(question, pre_run=lambda: _drop_typed(asking.input))


def confirm(question: str) -> None:
    """Returns on a yes that was typed with the question in sight; raises `typer.Abort` else."""
    _forget_keys(sys.stdin.fileno())
    typer.confirm(question, abort=True)


def _drop_typed(keyboard: "Input") -> None:
    """Forget the keys that wait: those the terminal holds, and those that were read too early."""
    from prompt_toolkit.input.typeahead import clear_typeahead

    _forget_keys(keyboard.fileno())
    clear_typeahead(keyboard)


def _forget_keys(keyboard: int) -> None:
    """What a pipe holds stays: nobody types it."""
    if os.isatty(keyboard):
        termios.tcflush(keyboard, termios.TCIFLUSH)


def reader_for(data: Path, *, user: str, commands: Sequence[str]) -> Reader:
    """A prompt when a person sits there, else the lines of standard input."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return Prompted(history_file(data, user=user), commands)
    return Piped(sys.stdin)


def history_file(data: Path, *, user: str) -> Path:
    """The file with what a user typed, which its owner alone may read."""
    name = hashlib.sha256(user.encode()).hexdigest()[:32]
    path = data / FOLDER / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    return path
