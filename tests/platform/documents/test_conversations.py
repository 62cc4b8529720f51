"""What the documents say of a conversation as it grows, with a real one on real SQLite."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.compaction import current_cut
from stratal.context.request import Request
from stratal.context.sections import SUMMARY_HEAD
from stratal.desk import SUMMARISER
from stratal.errors import ContextOverflow
from stratal.options import Options
from stratal.providers.provider import Completion, StopReason
from stratal.providers.scripted import ScriptedProvider
from stratal.settings import Settings, load_settings
from stratal.tools.tool import tool
from stratal_memory.records import Role, ToolCall
from tests.platform.conftest import OpenAgent

NOTE = "[Emergency compression dropped {} oldest messages due to context limit]"
Made = Callable[..., Settings]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Settings of a preset; nothing is recalled, so that requests can be read by eye."""

    def made(preset: str, *, model: str = "openai:gpt-5", window: int = 0) -> Settings:
        environment = {"STRATAL_EMBEDDING__MODEL": "none", "STRATAL_RECALL__TOP_K": "0"}
        environment |= {"STRATAL_CONTEXT__EPISODES": "0", "STRATAL_CONTEXT__KNOWLEDGE": "0"}
        if window:  # and nothing is summarised in the background
            environment["STRATAL_CONTEXT__WINDOW"] = str(window)
            environment["STRATAL_SUMMARY__TRIGGER_FRACTION"] = "none"
        given: dict[str, str | Path | None] = {"preset": preset, "model": model}
        given["data"] = tmp_path / "data"
        return load_settings(given, environment=environment)

    return made


def answering(request: Request) -> Completion:
    """A summary for the summariser, an answer for everybody else."""
    summing = request.system[0].text == SUMMARISER
    return Completion(text="They greeted each other." if summing else "Hello.")


def asked(agent: Agent) -> list[Request]:
    """The requests of turns."""
    assert isinstance(agent.provider, ScriptedProvider)
    return [one for one in agent.provider.requests if one.system[0].text != SUMMARISER]


def said(request: Request) -> list[str]:
    """History and message."""
    return [one.text for one in request.messages if one.role is not Role.CONTEXT]


def summary_of(request: Request) -> str:
    texts = [*(one.text for one in request.system), *(one.text for one in request.messages)]
    return next((text for text in texts if text.startswith(SUMMARY_HEAD)), "")


def cut_of(agent: Agent) -> int:
    return current_cut(agent.conversation(agent.session())).after


def test_picoclaw_compresses_before_a_call_that_would_not_fit(
    open_agent: OpenAgent, made: Made
) -> None:
    # covers P20, P22, P24, P26, P38
    cuts: list[int] = []

    def looking(request: Request) -> Completion:
        cuts.append(cut_of(agent))
        return Completion(text="Hello.")

    agent = open_agent(
        script=[looking] * 5, with_settings=made("picoclaw", model="offline:", window=32_768)
    )
    large = "word " * 3_900  # 7,800 tokens; prompt and tools take some more

    for _ in range(4):
        agent.send(large)

    last = asked(agent)[-1]
    assert len(asked(agent)) == 4  # no call was made for nothing
    assert said(last) == [large, "Hello.", large, "Hello.", large]
    assert summary_of(last).endswith(NOTE.format(2))
    assert not any(NOTE[:20] in text for text in said(last))
    assert cuts[-1] == cut_of(agent) > 0  # the session was changed before the call


def test_picoclaw_compresses_when_the_provider_refuses_and_tries_again(
    open_agent: OpenAgent, made: Made
) -> None:
    # covers P15, P23, P24, P26
    refused = ContextOverflow("prompt is too long")
    script = [*[answering] * 4, refused, answering]
    agent = open_agent(script=script, with_settings=made("picoclaw"))
    for number in range(4):
        agent.send(f"hello {number} " + "word " * 200)

    reply = agent.send("bye")

    assert reply.text == "Hello."
    first, second = asked(agent)[-2:]
    assert len(said(second)) < len(said(first))
    assert said(second)[-1] == "bye"
    assert "oldest messages due to context limit]" in summary_of(second)
    assert len(agent.messages(agent.session())) == 10


def test_looking_at_a_request_changes_nothing(open_agent: OpenAgent, made: Made) -> None:
    # covers P36, P37
    agent = open_agent(
        script=[answering] * 4, with_settings=made("picoclaw", model="offline:", window=32_768)
    )
    for _ in range(3):
        agent.send("word " * 3_900)

    agent.preview("word " * 3_900)

    assert cut_of(agent) == 0


def test_zeus_keeps_what_it_no_longer_shows(open_agent: OpenAgent, made: Made) -> None:
    # covers Z14, Z15, Z16
    agent = open_agent(script=[answering] * 21, with_settings=made("zeus", model="openai:gpt-4o"))
    for number in range(20):
        agent.send(f"hello {number}")

    agent.send("bye")

    # A reader in the background may have asked since.
    shown = next(one for one in map(said, reversed(asked(agent))) if one[-1] == "bye")
    assert shown == [text for n in range(5, 20) for text in (f"hello {n}", "Hello.")] + ["bye"]
    assert len(agent.messages(agent.session())) == 42


def test_a_conversation_is_there_again_when_the_agent_is_opened_anew(
    open_agent: OpenAgent, made: Made
) -> None:
    # covers Os8, Z1
    settings = made("octopus", model="openai:gpt-4o")
    agent = open_agent(script=[answering] * 2, with_settings=settings)
    agent.send("hello")
    agent.send("are you there")
    agent.close()

    again = open_agent(script=[answering], with_settings=settings, options=Options(user="alice"))
    again.send("bye")

    assert said(asked(again)[0]) == ["hello", "Hello.", "are you there", "Hello.", "bye"]


def calling(name: str, arguments: str) -> Completion:
    call = ToolCall(id=f"call-{name}", name=name, arguments=arguments)
    return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)


def read_log() -> str:
    """Read the log."""
    return "line " * 1_000 + "the end"


def test_octo_saves_an_old_result_before_it_shows_a_part_and_the_agent_can_have_the_whole(
    open_agent: OpenAgent, made: Made
) -> None:
    # covers C2, C3, C4, C5, C24, Cs2
    settings = made("octo", model="openai:gpt-4o")
    expand: list[Callable[[Request], Completion]] = [
        lambda request: calling("expand_result", f'{{"digest": "{digest_in(request)}"}}'),
        answering,
    ]
    agent = open_agent(
        script=[calling("read_log", "{}"), *[answering] * 5, *expand],
        with_settings=settings,
        options=Options(user="alice", tools=(tool(read_log, writes=False),)),
    )

    for _ in range(5):  # with the next message the result is the eleventh from the end
        agent.send("hello")
    early = result_in(asked(agent)[-1])
    agent.send("show me that log again")

    aged = result_in(asked(agent)[-2])
    path = aged.rpartition("saved to: ")[2].rstrip("]")
    assert early == read_log()
    name = r"tool-result-read_log-\d+-[0-9a-f]{12}\.md"
    assert re.fullmatch(rf"\.octo/workspace/\d{{4}}-\d\d-\d\d/{name}", path)
    (file,) = settings.data.rglob(path.rpartition("/")[2])
    assert file.as_posix().endswith(path)
    assert file.read_text(encoding="utf-8") == read_log()
    assert aged.startswith(read_log()[:3_800] + "\n... [truncated - full result (5,007 characters")
    assert asked(agent)[-1].messages[-1].text.startswith(read_log())


def result_in(request: Request) -> str:
    return next(one.text for one in request.messages if one.role is Role.TOOL)


def digest_in(request: Request) -> str:
    found = re.search(r'expand_result\("(\w+)"\)', result_in(request))
    return found[1] if found else ""


def test_octopus_shows_ten_turns_where_its_window_slides(open_agent: OpenAgent, made: Made) -> None:
    # covers Os1, Os4
    plain = made("octopus", model="openai:gpt-4o")
    sliding = plain.model_copy(
        update={"history": plain.history.model_copy(update={"sliding_turns": 10})}
    )
    agent = open_agent(script=[answering] * 13, with_settings=sliding)

    for number in range(13):
        agent.send(f"hello {number}")

    shown = said(asked(agent)[-1])
    assert shown == [text for n in range(2, 12) for text in (f"hello {n}", "Hello.")] + ["hello 12"]
