"""A message that was left without an answer is named, and goes on when the person says so."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.cli import talk as talking
from stratal.cli.options import Common
from stratal.cli.repl import converse
from stratal.cli.talk import Talk
from stratal.cli.terminal import Terminal
from stratal.context.request import Request
from stratal.errors import ProviderError
from stratal.options import Options
from stratal.providers.provider import Completion, Provider, StopReason, StreamItem, TextDelta
from stratal.providers.scripted import ScriptedProvider
from stratal.settings import load_settings
from stratal.tools.tool import tool
from stratal_memory.records import ToolCall
from tests.platform.cli.running import Run
from tests.platform.cli.test_repl import Typed
from tests.platform.talking import PATIENCE
from tests.platform.test_background import Work
from tests.platform.test_killed_in_tools import killed

SAID = "“Do it all” was left without an answer"


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory of alice's, whose process was killed in the first of two payments."""
    return killed(tmp_path_factory.mktemp("left"), point="in it, after the effect", call="c")[0]


@pytest.fixture
def crashed(left: Path, tmp_path: Path) -> Path:
    """One of the test's own."""
    return shutil.copytree(left, tmp_path / "data")


def opened(data: Path, provider: Provider | None = None) -> Agent:
    settings = load_settings(
        {"data": data, "model": "offline:"}, environment={"STRATAL_EMBEDDING__MODEL": "none"}
    )
    scripted = ScriptedProvider([Completion(text="Here.")]) if provider is None else provider
    return Agent.open_with(Options(user="alice"), settings, provider=scripted)


def typed(agent: Agent, *lines: str | type[BaseException]) -> Talk:
    talk = Talk(agent, Terminal(Common()))
    assert converse(talk, Typed(*lines)) == 0
    return talk


@pytest.mark.usefixtures("crashed")
def test_a_conversation_that_a_crash_cut_off_says_so_when_it_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path / "data") as agent:
        typed(agent)

    told = capsys.readouterr().err.splitlines()[1:]
    assert told == [
        f"{SAID}.",
        '  done: look: id="a"',
        '  done: look: id="b"',
        '  outcome unknown: pay: id="c"',
        '  outcome unknown: pay: id="d"',
        '  outcome unknown: look: id="e"',
        "/continue goes on with it, and does nothing again that may have had an effect.",
    ]


@pytest.mark.usefixtures("crashed")
def test_it_goes_on_when_the_person_says_so_and_is_done_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path / "data") as agent:
        talk = typed(agent, "/continue")
        said = capsys.readouterr()
        assert said.out == "Here.\n"
        assert '[pay] id="c"\n[pay] failed: [interrupted; outcome unknown] Outcome' in said.err
        assert talk.last is not None

        typed(agent, "/continue")

    err = capsys.readouterr().err
    assert SAID not in err
    assert "no message was left without an answer" in err


@pytest.mark.usefixtures("crashed")
def test_one_message_is_told_in_a_line_what_was_left_and_how_to_go_on(stratal: Run) -> None:
    listed = stratal("session", "list", "--user", "alice", "--json").json

    ran = stratal("chat", "--user", "alice", "-m", "What now?")
    quiet = stratal("chat", "--user", "alice", "--quiet", "-m", "What now?")
    other = stratal("chat", "--user", "alice", "--new", "-m", "What now?")

    id = listed["sessions"][0]["id"]
    (line,) = (one for one in ran.err.splitlines() if "left without" in one)
    assert line == (
        f"{SAID} (outcome unknown: pay, look). "
        f"To go on with it: stratal chat --session {id}, then /continue."
    )
    assert quiet.err == ""
    assert "left without" not in other.err


@pytest.mark.usefixtures("crashed")
def test_a_later_message_does_not_hide_what_a_crash_cut_off(
    stratal: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stratal("chat", "--user", "alice", "-m", "What now?")
    (tmp_path / "lines").write_text("/continue\n")
    with (tmp_path / "lines").open() as lines:
        monkeypatch.setattr("sys.stdin", lines)
        ran = stratal("chat", "--user", "alice")

    assert ran.code == 0
    assert SAID in ran.err
    assert SAID not in stratal("chat", "--user", "alice", "-m", "And now?").err


@pytest.mark.usefixtures("crashed")
def test_bob_hears_nothing_of_alices(stratal: Run) -> None:
    assert "left without" not in stratal("chat", "--user", "bob", "-m", "Hello").err


@pytest.mark.usefixtures("crashed")
def test_a_shown_conversation_holds_the_calls_and_what_they_came_to(stratal: Run) -> None:
    id = stratal("session", "list", "--user", "alice", "--json").json["sessions"][0]["id"]
    unknown = " (no result yet; after a crash nobody knows it)"

    cut = stratal("session", "show", id, "--user", "alice").out.splitlines()
    with opened(Path("data").absolute()) as agent:
        typed(agent, "/continue")
    whole = stratal("session", "show", id, "--user", "alice").out.splitlines()

    assert 'calls look: id="a"' in cut
    assert f'calls pay: id="c"{unknown}' in cut
    assert [one.partition(",")[0] for one in cut if one.startswith("tool ")] == ["tool look"] * 2
    assert 'calls pay: id="c"' in whole
    assert sum(one.startswith("tool pay, failed, ") for one in whole) == 2
    assert sum(one.startswith("[interrupted; outcome unknown] ") for one in whole) >= 2


class Failing:
    """A model that is out at first."""

    name = "offline"

    def __init__(self) -> None:
        self.asked = 0

    def stream(self, request: Request) -> Iterator[StreamItem]:
        self.asked += 1
        if self.asked == 1:
            yield TextDelta(text="We")
            raise ProviderError("the model is out")
        yield TextDelta(text="Well")
        yield Completion(text="Well")

    def close(self) -> None:
        """It holds nothing."""


def test_after_an_error_the_same_message_is_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path, Failing()) as agent:
        typed(agent, "Hello there", "/continue")

        said = capsys.readouterr()
        assert "the model is out" in said.err
        assert "what you said is kept; /continue asks again" in said.err
        assert said.out == "We\nWell\n"
        texts = [message.text for message in agent.messages(agent.session())]
        assert texts == ["Hello there", "Well"]


def test_what_a_cancelled_call_may_have_done_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def pay(to: str) -> str:
        """Pays."""
        raise KeyboardInterrupt

    call = ToolCall(id="c" * 20, name="pay", arguments='{"to": "bob"}')
    calling = Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)
    with opened(tmp_path, ScriptedProvider([calling])) as agent:
        agent.add_tools(tool(pay, writes=True))
        typed(agent, "Pay bob")

    told = capsys.readouterr().err.splitlines()
    assert told[-2:] == [
        "cancelled; what you said is kept, and /continue goes on with it",
        '  outcome unknown: pay: to="bob"',
    ]


class Noting(Terminal):
    """Lets a piece of work end once it is said that somebody waits for it."""

    def __init__(self, work: Work) -> None:
        super().__init__(Common())
        self.work = work

    def note(self, text: str) -> None:
        super().note(text)
        if "waiting for" in text:
            self.work.let_go.set()


@pytest.mark.parametrize("line", ["/model offline:", "/quit"])
def test_waiting_for_the_background_is_said(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    line: str,
) -> None:
    monkeypatch.setattr(talking, "GRACE", 0.0)
    work = Work()
    with opened(tmp_path) as agent:
        background = agent.conversation(agent.session()).background
        background.start("summary", work)
        assert work.begun.wait(PATIENCE)

        converse(Talk(agent, Noting(work)), Typed(line))

    assert work.ended.is_set()
    assert "waiting for what is done in the background" in capsys.readouterr().err


def test_nothing_is_said_of_waiting_where_nothing_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "GRACE", 0.0)
    with opened(tmp_path) as agent:
        typed(agent, "/model offline:", "/quit")

    assert "waiting for" not in capsys.readouterr().err


def test_a_tool_call_adds_nothing_to_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def look() -> str:
        """Looks."""
        return "seen"

    calls = [
        Completion(
            text="",
            tool_calls=(ToolCall(id=id * 20, name="look", arguments="{}"),),
            stop=StopReason.TOOLS,
        )
        for id in "ab"
    ]
    with opened(tmp_path, ScriptedProvider([*calls, Completion(text="Done.")])) as agent:
        agent.add_tools(tool(look, writes=False))
        Talk(agent, Terminal(Common(quiet=True))).say("Look twice")

    assert capsys.readouterr() == ("Done.\n", "")
