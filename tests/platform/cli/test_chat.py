from pathlib import Path

import pytest

from stratal.cli.shapes.talk import Answered
from tests.platform.cli.running import Run


def test_one_message_is_answered_and_what_was_learned_is_said(stratal: Run) -> None:
    ran = stratal("chat", "-m", "My name is Alice Moreau.")

    assert ran.code == 0
    assert "No model is connected" in ran.out
    assert "remembered: " in ran.out
    assert "Alice Moreau" in ran.out


def test_a_fact_of_one_conversation_is_quoted_with_its_source_in_the_next(stratal: Run) -> None:
    stratal("chat", "-m", "I'm allergic to kiwi.")

    ran = stratal("chat", "--new", "-m", "What am I allergic to?")

    assert "kiwi" in ran.out
    assert "sources: said by the user" in ran.out


def test_bob_is_told_nothing_of_alice(stratal: Run) -> None:
    stratal("chat", "--user", "alice", "-m", "I'm allergic to kiwi.")

    ran = stratal("chat", "--user", "bob", "-m", "What is Alice allergic to?", "--json")

    assert "kiwi" not in ran.out
    assert ran.json["ledger"]["candidates"] == []


def test_json_has_the_documented_shape(stratal: Run) -> None:
    ran = stratal("chat", "-m", "I'm allergic to kiwi.", "--json")

    answered = Answered.model_validate_json(ran.out)
    assert answered.model == "offline:"
    assert [decision.fate for decision in answered.learned] == ["learned"]
    assert {"reply", "session", "turn", "citations", "usage", "ledger"} <= ran.json.keys()


def test_a_session_is_continued_by_its_id(stratal: Run) -> None:
    first = stratal("chat", "-m", "Hello there", "--json").json
    stratal("chat", "--new", "-m", "Something else", "--json")

    third = stratal("chat", "--session", first["session"], "-m", "Hello again", "--json").json

    assert third["session"] == first["session"]


def test_quiet_prints_the_reply_alone(stratal: Run) -> None:
    ran = stratal("chat", "-m", "I'm allergic to kiwi.", "--quiet")

    assert "remembered" not in ran.out
    assert len(ran.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--session", "ses_0", "--new", "-m", "hi"), "--session goes on, --new begins"),
        (("--json",), "--json needs a message"),
        (("-m", "hi", "--mode", "dream"), "dream"),
    ],
)
def test_options_that_contradict_each_other_are_usage_errors(
    stratal: Run, args: tuple[str, ...], said: str
) -> None:
    ran = stratal("chat", *args)

    assert ran.code == 2
    assert said in ran.err + ran.out


@pytest.mark.parametrize(
    ("args", "type", "said"),
    [
        (("--model", "nope:x"), "UnknownModel", "nope"),
        (("--model", "ollama:llama3"), "ConfigError", "window"),
        (("--model", "anthropic:claude-sonnet-5-5"), "MissingKey", "ANTHROPIC_API_KEY"),
        (("--session", "ses_0"), "NotFound", "ses_0"),
        (("--session", "\udcff"), "NotFound", "session"),
    ],
)
def test_what_can_not_be_opened_is_a_typed_error_with_a_hint(
    stratal: Run, args: tuple[str, ...], type: str, said: str
) -> None:
    ran = stratal("chat", "-m", "hi", *args, "--json")

    error = ran.json["error"]
    assert (ran.code, error["type"]) == (1, type)
    assert said in error["message"]
    assert error["hint"]


@pytest.mark.parametrize("message", ["", "  \n", "\0"[:0]])
def test_an_empty_message_is_refused(stratal: Run, message: str) -> None:
    ran = stratal("chat", "-m", message)

    assert ran.code == 1
    assert ran.err.splitlines()[-2:] == [
        "error: the message is empty",
        "hint: Write something, or /quit to leave.",
    ]


@pytest.mark.parametrize("message", ["tea \0 time", "tea \udcff time"])
def test_a_message_no_database_can_hold_is_kept_with_a_mark_in_its_place(
    stratal: Run, message: str
) -> None:
    ran = stratal("chat", "-m", message, "--json")

    shown = stratal("session", "show", ran.json["session"], "--json").json
    assert (ran.code, shown["messages"][0]["text"]) == (0, "tea � time")


def test_a_message_over_the_limit_is_refused_with_both_numbers(
    stratal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAL_TURN__LONGEST_MESSAGE", "10")

    ran = stratal("chat", "-m", "eleven char")

    assert "the message has 11 characters, 10 are allowed" in ran.err


def test_lines_of_a_pipe_are_messages(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lines").write_text("I'm allergic to kiwi.\nWhat am I allergic to?\n/profile\n")
    with (tmp_path / "lines").open() as lines:
        monkeypatch.setattr("sys.stdin", lines)

        ran = stratal("chat")

    assert ran.code == 0
    assert "allergic to kiwi" in ran.out


def test_a_piped_line_that_fails_fails_the_command_and_the_rest_is_still_done(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lines").write_text("/nope\nI'm allergic to kiwi.\n")
    with (tmp_path / "lines").open() as lines:
        monkeypatch.setattr("sys.stdin", lines)

        ran = stratal("chat")

    assert ran.code == 1
    assert "there is no /nope" in ran.err
    assert "remembered: " in ran.out
