import io
import os
import pty
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.output import DummyOutput

from stratal.cli.lines import Piped, Prompted, confirm, history_file


def typed(keys: str, history: Path) -> str:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        return Prompted(history, ["/help", "/memory"]).read("› ")


def test_enter_sends(tmp_path: Path) -> None:
    assert typed("hello\r", tmp_path / "history") == "hello"


def test_alt_enter_begins_a_new_line(tmp_path: Path) -> None:
    assert typed("one\x1b\rtwo\r", tmp_path / "history") == "one\ntwo"


def test_ctrl_c_and_ctrl_d_are_what_the_loop_expects(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        typed("half\x03", tmp_path / "history")
    with pytest.raises(EOFError):
        typed("\x04", tmp_path / "history")


def test_the_arrow_brings_back_what_was_typed_before(tmp_path: Path) -> None:
    typed("hello\r", tmp_path / "history")

    assert typed("\x1b[A\r", tmp_path / "history") == "hello"


def test_the_answer_to_a_question_is_no_message_and_is_not_kept(tmp_path: Path) -> None:
    history = tmp_path / "history"
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        prompted = Prompted(history, [])
        pipe.send_text("hello\r")
        assert prompted.read("› ") == "hello"
        before = history.read_text()
        pipe.send_text("yes\r")
        assert prompted.ask("Run it? ") == "yes"
        pipe.send_text("\x1b[A\r")
        assert prompted.ask("Run it? ") == ""
        pipe.send_text("\x1b[A\r")
        assert prompted.read("› ") == "hello"

    assert "yes" not in history.read_text()
    assert history.read_text() == before


class Screen(DummyOutput):
    """Does something once, as soon as a text is in sight."""

    def __init__(self, text: str, then: Callable[[], object]) -> None:
        self.text, self.then, self.shown = text, then, ""

    def write(self, data: str) -> None:
        self.shown += data

    def flush(self) -> None:
        if self.text and self.text in self.shown:
            self.text = ""
            self.then()


@pytest.fixture
def keyboard() -> Iterator[tuple[int, Vt100Input]]:
    """A terminal: what is written to the number is typed, and is read from the other."""
    typing, reading = pty.openpty()
    with os.fdopen(reading) as read:
        yield typing, Vt100Input(read)
    os.close(typing)


@pytest.mark.parametrize("early", [b"y\r", b"y\ry\r", b"y"])
def test_what_is_typed_before_the_question_is_in_sight_answers_nothing(
    tmp_path: Path, keyboard: tuple[int, Vt100Input], early: bytes
) -> None:
    typing, read = keyboard
    screen = Screen("Run it?", lambda: os.write(typing, b"n\r"))
    with create_app_session(input=read, output=screen):
        prompted = Prompted(tmp_path / "history", [])
        os.write(typing, early)

        assert prompted.ask("Run it? ") == "n"


def test_no_more_does_it_confirm_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    typing, reading = pty.openpty()
    answers: list[str] = []

    def shown(question: str, *, abort: bool) -> None:
        os.write(typing, b"n\n")
        answers.append(sys.stdin.readline())

    with os.fdopen(reading) as read:
        monkeypatch.setattr("typer.confirm", shown)
        monkeypatch.setattr("sys.stdin", read)
        os.write(typing, b"y\n")

        confirm("Erase this? ")

    os.close(typing)
    assert answers == ["n\n"]


def test_what_was_typed_together_with_the_message_answers_nothing(tmp_path: Path) -> None:
    with create_pipe_input() as pipe:
        screen = Screen("Run it?", lambda: pipe.send_text("n\r"))
        with create_app_session(input=pipe, output=screen):
            prompted = Prompted(tmp_path / "history", [])
            pipe.send_text("pay bob\ry\r")
            assert prompted.read("› ") == "pay bob"

            assert prompted.ask("Run it? ") == "n"


def test_what_is_typed_ahead_is_the_next_message(tmp_path: Path) -> None:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        prompted = Prompted(tmp_path / "history", [])
        pipe.send_text("one\rtwo\r")

        assert [prompted.read("› "), prompted.read("› ")] == ["one", "two"]


def test_a_secret_is_not_kept_in_the_history(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "a1B2c3D4" * 10

    typed(f"my key is {key}\r", tmp_path / "history")

    assert key not in (tmp_path / "history").read_text()
    assert "my key is" in (tmp_path / "history").read_text()


def test_the_history_file_is_the_users_alone_and_does_not_name_them(tmp_path: Path) -> None:
    alice = history_file(tmp_path, user="alice@example.com")
    bob = history_file(tmp_path, user="bob")

    assert alice != bob
    assert "alice" not in alice.name
    assert alice.stat().st_mode & 0o777 == 0o600
    assert alice.parent.stat().st_mode & 0o777 == 0o700


def test_a_pipe_gives_its_lines_and_ends() -> None:
    piped = Piped(io.StringIO("one\r\ntwo"))

    assert [piped.read(""), piped.read("")] == ["one", "two"]
    with pytest.raises(EOFError):
        piped.read("")
