"""Where lines come from: a prompt with editing, history and completion, or a pipe."""

import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from stratal_memory.learning.redaction import redact
from stratal_memory.text import storable

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
        """The answer to a question of ours: one line, which is no message and is kept nowhere."""
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
        """What was typed, with nothing completed or brought back."""
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import DummyHistory

        asking: PromptSession[str] = PromptSession(history=DummyHistory())
        return asking.prompt(question)


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
