import io
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from stratal.cli.lines import Piped, Prompted, history_file


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
