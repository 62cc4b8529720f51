"""The loop of a conversation, with a reader and a model of the test's own."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.cli import talk as talking
from stratal.cli.options import Common
from stratal.cli.repl import converse
from stratal.cli.talk import Talk
from stratal.cli.terminal import Terminal
from stratal.context.request import Request
from stratal.options import Options
from stratal.providers.models import ModelString
from stratal.providers.provider import Completion, StreamItem, TextDelta
from stratal.settings import load_settings
from stratal.tool_settings import McpServerSettings, ToolsPart


class Typed:
    """A person who types these lines; an exception is a key."""

    interactive = True

    def __init__(self, *lines: str | type[BaseException]) -> None:
        self.lines = list(lines)

    def read(self, prompt: str) -> str:
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        if isinstance(line, str):
            return line
        raise line

    def ask(self, question: str) -> str:
        return self.read(question)


class Interrupted:
    """A model whose answer is interrupted after its first word."""

    name = "offline"

    def stream(self, request: Request) -> Iterator[StreamItem]:
        yield TextDelta(text="Well")
        raise KeyboardInterrupt

    def close(self) -> None:
        """It holds nothing."""


class Closing:
    """A model that says one word, and counts how often it was closed."""

    name = "offline"

    def __init__(self) -> None:
        self.closed = 0

    def stream(self, request: Request) -> Iterator[StreamItem]:
        assert not self.closed
        yield Completion(text="Well")

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    settings = load_settings(
        {"data": tmp_path},
        environment={"STRATAL_EMBEDDING__MODEL": "none", "STRATAL_MODEL": "offline:"},
    )
    with Agent.open_with(Options(user="alice"), settings) as opened:
        yield opened


def typed(agent: Agent, lines: Sequence[str | type[BaseException]]) -> Talk:
    talk = Talk(agent, Terminal(Common()))
    assert converse(talk, Typed(*lines)) == 0
    return talk


def test_ctrl_d_leaves(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    typed(agent, [])

    assert "alice with offline: (a new conversation)" in capsys.readouterr().err
    assert agent.sessions() == []


def test_quit_leaves_without_reading_on(agent: Agent) -> None:
    talk = typed(agent, ["/quit", "never said"])

    assert talk.leaving
    assert agent.sessions() == []


def test_ctrl_c_at_the_prompt_drops_the_line_alone(agent: Agent) -> None:
    typed(agent, [KeyboardInterrupt, "Hello there"])

    assert agent.messages(agent.session())[0].text == "Hello there"


def test_ctrl_c_in_an_answer_cancels_it_and_keeps_what_was_said(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted = Agent(
        agent.options, settings=agent.settings, store=agent.store, provider=Interrupted()
    )

    typed(interrupted, ["Hello there"])

    said = capsys.readouterr()
    assert (said.out, "cancelled" in said.err) == ("Well\n", True)
    assert [message.text for message in agent.messages(agent.session())] == ["Hello there"]


def test_an_error_is_shown_and_the_conversation_goes_on(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = typed(agent, ["/remembr x", "/model nope:x", "/remember", "Hello there"])

    err = capsys.readouterr().err
    assert "hint: Did you mean /remember?" in err
    assert "'nope:x' names no provider" in err
    assert "the text is empty" in err
    assert talk.last is not None


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("/context", "PEAK"),
        ("/context What about kiwi?", "kiwi"),
        ("/memory", "allergic to kiwi"),
        ("/memory kiwi", "allergic to kiwi"),
        ("/remember My bicycle is red", "added: My bicycle is red"),
        ("/why", "said by the user"),
        ("/profile", "the profile is empty"),
        ("/skills", "write-skill"),
        ("/model", "offline:, window 100,000 tokens"),
        ("/mode", "agent"),
        ("/mode ask", "ask"),
        ("/resume", "last active"),
        ("/help", "/remember TEXT"),
    ],
)
def test_a_slash_command_shows_its_part(
    agent: Agent, capsys: pytest.CaptureFixture[str], line: str, shown: str
) -> None:
    typed(agent, ["I'm allergic to kiwi.", "What am I allergic to?"])
    agent.facts.add("The user is allergic to kiwi")
    talk = Talk(agent, Terminal(Common()))
    talk.say("Am I allergic to kiwi?")
    capsys.readouterr()

    converse(talk, Typed(line))

    assert shown in capsys.readouterr().out


def test_why_follows_a_memory_to_its_events(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = agent.facts.add("My bicycle is red").memory

    typed(agent, [f"/why {memory.id}"])

    assert "memory.added" in capsys.readouterr().out


def test_a_memory_is_forgotten_in_the_conversation(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = agent.facts.add("My bicycle is red").memory

    typed(agent, ["/forget", f"/forget {memory.id}"])

    said = capsys.readouterr()
    assert "forget what?" in said.err
    assert "forgotten by hand" in said.out
    assert agent.facts.known() == []


def test_nothing_was_said_yet_is_said(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    typed(agent, ["/why", "/context"])

    err = capsys.readouterr().err
    assert "nothing was answered yet" in err
    assert "nothing was said yet" in err


def test_a_mode_or_model_is_changed_within_the_conversation(agent: Agent) -> None:
    typed(agent, ["Hello there"])
    before = agent.session().id

    talk = typed(agent, ["/mode plan", "/model offline:", "And again"])

    assert talk.agent.session().id == before
    assert talk.agent.options.mode == "plan"
    assert len(talk.agent.messages(talk.agent.session())) == 4


def test_another_model_takes_over_the_servers_and_is_let_go_at_the_end(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Closing] = []

    def open_provider(model: ModelString, *, keys: object, circuits: object) -> Closing:
        opened.append(Closing())
        return opened[-1]

    monkeypatch.setattr(talking, "open_provider", open_provider)
    servers, background = agent.servers, agent.conversation(agent.session()).background

    talk = typed(agent, ["/model offline:", "/mode plan", "/model offline:", "Hello there"])

    assert talk.agent.servers is servers
    assert [one.closed for one in opened] == [1, 1]
    assert not background.start("late", lambda: None)
    last = talk.agent.conversation(talk.agent.session()).background
    assert last is not background
    assert not last.start("late", lambda: None)


def test_a_server_of_tools_is_started_once_whatever_the_model(tmp_path: Path) -> None:
    started = tmp_path / "started"
    program = f"open({str(started)!r}, 'a').write('x')"
    settings = load_settings(
        {"data": tmp_path / "data", "model": "offline:"},
        environment={"STRATAL_EMBEDDING__MODEL": "none"},
    )
    tools = ToolsPart(mcp={"t": McpServerSettings(command=[sys.executable, "-c", program])})
    with_server = settings.model_copy(update={"tools": tools})

    with Agent.open_with(Options(user="alice"), with_server) as opened:
        typed(opened, ["Hello", "/model offline:", "Hello", "/model offline:", "Hello"])

    assert started.read_text() == "x"


def test_an_old_conversation_is_resumed_after_a_new_one(agent: Agent) -> None:
    typed(agent, ["Hello there"])
    first = agent.session().id
    talk = typed(agent, ["/new", "Something else", f"/resume {first}", "Back again"])

    texts = [message.text for message in talk.agent.messages(talk.agent.session())]
    assert talk.agent.session().id == first
    assert [text for text in texts if text in ("Hello there", "Something else", "Back again")] == [
        "Hello there",
        "Back again",
    ]
    assert len(agent.sessions()) == 2


def test_a_conversation_that_is_not_there_leaves_the_present_one(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = typed(agent, ["/resume ses_0", "Hello there"])

    assert "no session 'ses_0' of yours" in capsys.readouterr().err
    assert talk.last is not None
