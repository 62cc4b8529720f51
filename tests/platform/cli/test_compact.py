"""`stratal compact` and `/compact`, on real data and without a model."""

import re
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.cli.options import Common
from stratal.cli.shapes.talk import Compacted
from stratal.cli.slash import run_slash
from stratal.cli.talk import Talk
from stratal.cli.terminal import Terminal
from stratal.errors import InputError
from stratal.options import Options
from tests.platform.cli.running import Run
from tests.platform.talking import configured

SAID = "In {year} we lived in City{number}, Mill Lane 12, and the rent was {number}00 euros. " * 3


@pytest.fixture
def talked(stratal: Run) -> Run:
    """A conversation of five turns."""
    for number in range(5):
        assert stratal("chat", "-m", SAID.format(year=1990 + number, number=number)).code == 0
    return stratal


def test_before_and_after_are_told_in_tokens_and_the_summary_is_shown(talked: Run) -> None:
    # covers C19, Cs6
    ran = talked("compact")

    found = re.search(r"([\d,]+) -> ([\d,]+) tokens; 3 turns summarised", ran.out)
    assert ran.code == 0
    assert found
    before, after = (int(one.replace(",", "")) for one in found.groups())
    assert after < before
    assert "City0" in ran.out


def test_the_json_is_the_shape_that_is_documented(talked: Run) -> None:
    ran = talked("compact", "--json")

    done = Compacted.model_validate_json(ran.out)
    assert set(ran.json) == set(Compacted.model_fields)
    assert (done.turns, done.method) == (3, "extractive")  # 10 messages, 4 stay
    assert done.after < done.before
    assert "City2" in done.summary
    assert "City3" not in done.summary


def test_a_second_compact_builds_on_the_first(talked: Run) -> None:
    # covers C19
    first = talked("compact", "--json").json
    for number in range(5, 8):
        talked("chat", "-m", SAID.format(year=1990 + number, number=number))

    second = talked("compact", "--json").json

    assert "City0" in first["summary"]
    assert "City0" in second["summary"]
    assert "City5" in second["summary"]
    assert second["turns"] == 3  # the two that stayed and one of the three new ones


def test_a_conversation_that_is_too_short_is_an_error_with_what_it_takes(stratal: Run) -> None:
    # covers Cs6
    stratal("chat", "-m", "Hello")

    ran = stratal("compact")

    assert ran.code == 1
    assert ran.out == ""
    assert "nothing to compact: 2 messages in 1 turns" in ran.err
    assert "6 messages" in ran.err


def test_without_any_conversation_there_is_nothing_to_compact(stratal: Run) -> None:
    ran = stratal("compact")

    assert ran.code == 1
    assert "no conversation to compact" in ran.err


def test_a_conversation_can_be_named(talked: Run) -> None:
    (session,) = talked("session", "list", "--json").json["sessions"]

    assert talked("compact", "--session", session["id"], "--json").json["turns"] == 3


def test_somebody_elses_conversation_is_not_found(talked: Run) -> None:
    (session,) = talked("session", "list", "--json").json["sessions"]

    ran = talked("--user", "bob", "compact", "--session", session["id"])

    assert ran.code != 0
    assert session["id"] in ran.err
    assert "City0" not in ran.out + ran.err


def test_the_messages_of_a_compacted_conversation_stay(talked: Run) -> None:
    # covers P37
    (session,) = talked("session", "list", "--json").json["sessions"]
    before = talked("session", "show", session["id"], "--json").json

    talked("compact")

    assert talked("session", "show", session["id"], "--json").json == before


def test_the_slash_command_does_the_same_for_the_conversation_one_is_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # covers C19
    settings = configured(tmp_path, model="offline:")
    with Agent.open_with(Options(user="alice"), settings) as agent:
        talk = Talk(agent, Terminal(Common()))
        for number in range(5):
            agent.send(SAID.format(year=1990 + number, number=number))

        run_slash(talk, "/compact")

        assert re.search(r"[\d,]+ -> [\d,]+ tokens; 3 turns summarised", capsys.readouterr().out)
        assert "City0" in agent.preview("And now?").to_json()


def test_the_slash_command_says_when_there_is_nothing_to_do(tmp_path: Path) -> None:
    # covers Cs6
    settings = configured(tmp_path, model="offline:")
    with Agent.open_with(Options(user="alice"), settings) as agent:
        agent.send("Hello")

        with pytest.raises(InputError, match="nothing to compact"):
            run_slash(Talk(agent, Terminal(Common())), "/compact")
