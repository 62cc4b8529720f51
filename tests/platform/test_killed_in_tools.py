"""A process that is killed anywhere between a call and its result leaves a sound history."""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.context.repair import CUT_OFF
from stratal.context.request import Request
from stratal.context.validator import validate
from stratal.options import Options
from stratal.providers.provider import Completion, StopReason
from stratal.providers.scripted import ScriptedProvider
from stratal.settings import Settings
from stratal.tools.approval import Approve, PendingCall, refuse
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Message, Role, ToolCall

KILLED = '''
import os, signal, sys
from pathlib import Path

from stratal.agent import Agent
from stratal.options import Options
from stratal.providers.provider import Completion, StopReason
from stratal.providers.scripted import ScriptedProvider
from stratal.recording import Record
from stratal.reply import ToolRan, ToolStarted
from stratal.settings import load_settings
from stratal.tools.tool import tool
from stratal_memory.records import ToolCall

data, effects, point, which = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]

def reached(here, call):
    if (here, call) == (point, which):
        os.kill(os.getpid(), signal.SIGKILL)

def note(name):
    with effects.open("a") as file:
        file.write(name + "\\n")

def look(id: str) -> str:
    """Looks."""
    reached("in it, before the effect", id)
    note(id)
    reached("in it, after the effect", id)
    return "seen"

def pay(id: str) -> str:
    """Pays."""
    return "paid" if look(id) else ""

keep = Record.result
def result(self, message, reading):
    reached("before the result is stored", message.tool_call_id[:1])
    keep(self, message, reading)
Record.result = result

CALLS = tuple(
    ToolCall(id=id * 20, name=name, arguments='{"id": "%s"}' % id)
    for id, name in (("a", "look"), ("b", "look"), ("c", "pay"), ("d", "pay"), ("e", "look"))
    if id in sys.argv[5]
)
settings = load_settings(
    {"data": data, "model": "offline:"}, environment={"STRATAL_EMBEDDING__MODEL": "none"}
)
options = Options(
    user="alice",
    tools=(tool(look, writes=False), tool(pay, writes=True)),
    approve=lambda _: True,
)
provider = ScriptedProvider([Completion(text="", tool_calls=CALLS, stop=StopReason.TOOLS)])
agent = Agent.open_with(options, settings, provider=provider)
for event in agent.stream("Do it all", request_id="r1"):
    if isinstance(event, ToolStarted):
        reached("before it", event.id[:1])
    if isinstance(event, ToolRan):
        reached("after its result is stored", event.id[:1])
'''
POINTS = (
    "before it",
    "in it, before the effect",
    "in it, after the effect",
    "before the result is stored",
    "after its result is stored",
)


def killed(tmp_path: Path, *, point: str, call: str, of: str = "abcde") -> tuple[Path, Path]:
    """A data directory, and a file of effects, as the killed process left them."""
    data, effects = tmp_path / "data", tmp_path / "effects"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(data), str(effects), point, call, of],
        capture_output=True,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    return data, effects


def counted(effects: Path) -> Counter[str]:
    return Counter(effects.read_text().split()) if effects.exists() else Counter()


def reopened(
    settings: Settings,
    data: Path,
    effects: Path,
    *,
    script: Sequence[Completion] = (Completion(text="Here."),),
    approve: Approve = lambda _: True,
) -> tuple[Agent, ScriptedProvider]:
    """An agent of a new process on that directory."""

    def note(id: str) -> str:
        with effects.open("a") as file:
            file.write(f"{id}\n")
        return "seen again"

    def look(id: str) -> str:
        """Looks."""
        return note(id)

    def pay(id: str) -> str:
        """Pays."""
        return note(id)

    tools: tuple[Tool, ...] = (tool(look, writes=False), tool(pay, writes=True))
    provider = ScriptedProvider(script)
    options = Options(user="alice", tools=tools, approve=approve)
    chosen = settings.model_copy(update={"data": data})
    return Agent.open_with(options, chosen, provider=provider), provider


def results_in(request: Request) -> dict[str, str]:
    return {m.tool_call_id[:1]: m.text for m in request.messages if m.role is Role.TOOL}


def stored(agent: Agent) -> list[Message]:
    return [m for s in agent.sessions() for m in agent.messages(s)]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("call", ["b", "c"])
def test_after_a_kill_in_the_tool_loop_nothing_is_done_twice_and_talk_goes_on(
    settings: Settings, tmp_path: Path, point: str, call: str
) -> None:
    # covers D1, D3
    # and RELIABILITY C5
    data, effects = killed(tmp_path, point=point, call=call)
    before = counted(effects)
    assert all(times == 1 for times in before.values())
    other = shutil.copytree(data, tmp_path / "other")

    agent, provider = reopened(settings, data, tmp_path / "new")  # a new message
    with agent:
        reply = agent.send("What now?")
        asked = provider.requests[0]
    for name in ("anthropic", "openai"):
        validate(asked, provider=name)
    assert reply.text == "Here."
    assert counted(tmp_path / "new") == {}  # nothing of the other turn was run
    assert set(results_in(asked)) == set("abcde")
    known = {one for one, text in results_in(asked).items() if text != CUT_OFF}
    assert known <= set(before)

    agent, provider = reopened(settings, other, effects)  # the same request again
    with agent:
        assert agent.send("Do it all", request_id="r1").text == "Here."
        history = stored(agent)
        asked = provider.requests[0]
    for name in ("anthropic", "openai"):
        validate(asked, provider=name)
    after = counted(effects)
    assert [m.text for m in history if m.role is Role.USER] == ["Do it all"]
    assert {one: times for one, times in after.items() if one in "cd" and times > 1} == {}
    assert [m.tool_call_id[:1] for m in history if m.role is Role.TOOL] == list("abcde")
    for one, text in results_in(asked).items():
        if one in "cd" and one not in known:
            assert text == CUT_OFF  # and so it stays: it may have been paid
        if one in "abe" and one not in known:
            assert text == "seen again"


AGAIN = Completion(
    text="",
    tool_calls=(ToolCall(id="z" * 20, name="pay", arguments='{"id": "c"}'),),
    stop=StopReason.TOOLS,
)


@pytest.mark.parametrize(("request_id", "message"), [("r1", "Do it all"), ("r2", "What now?")])
@pytest.mark.parametrize("says", [True, False])
def test_a_model_that_repeats_a_call_cut_off_needs_a_persons_word(
    settings: Settings, tmp_path: Path, request_id: str, message: str, says: bool
) -> None:
    # covers D3
    data, effects = killed(tmp_path, point="in it, after the effect", call="c", of="c")
    asked: list[PendingCall] = []

    def approve(pending: PendingCall) -> bool:
        asked.append(pending)
        return says

    script = [AGAIN, Completion(text="Here.")]
    agent, provider = reopened(settings, data, effects, script=script, approve=approve)
    with agent:
        agent.send(message, request_id=request_id)

    assert [one.call.name for one in asked] == ["pay"]
    assert counted(effects) == {"c": 2 if says else 1}
    assert "Don't call it again" in results_in(provider.requests[0])["c"]


def test_without_anybody_to_ask_a_call_cut_off_is_not_repeated(
    settings: Settings, tmp_path: Path
) -> None:
    data, effects = killed(tmp_path, point="in it, after the effect", call="c", of="c")
    script = [AGAIN, Completion(text="Here."), AGAIN, Completion(text="Here.")]

    agent, _ = reopened(settings, data, effects, script=script, approve=refuse)
    with agent:
        agent.send("Do it all", request_id="r1")
        agent.send("Try again")

    assert counted(effects) == {"c": 1}
