"""The copies of old tool results, through whole turns on real SQLite."""

import re
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.context.compression.results import ResultRules, spill_path
from stratal.context.request import Request
from stratal.errors import StorageError
from stratal.providers.provider import Completion, StopReason
from stratal.spilling import write_once
from stratal.tools.tool import tool
from stratal_memory.erase.files import folder_of
from stratal_memory.records import Message, Role, ToolCall
from tests.platform.conftest import OpenTalker
from tests.platform.talking import Talker

LINE = "row of numbers 1, 2, 3 and a word or two\n"
LONG = LINE * 200  # some 8,000 characters: aged where 4,000 are allowed
NO_SUMMARY = {"STRATAL_SUMMARY__ENABLED": "false"}


def measure(of: str) -> str:
    """Long rows about something."""
    return f"{of}\n{LONG}"


class Measuring:
    """Calls the tool for every message that asks for it, and then answers."""

    def __init__(self, name: str = "measure") -> None:
        self.name, self.calls = name, 0

    def __call__(self, request: Request) -> Completion:
        newest = request.messages[-1]
        if newest.role is not Role.USER or not newest.text.startswith("measure"):
            return Completion(text="Fine.")
        self.calls += 1
        arguments = f'{{"of": "{newest.text}"}}'
        call = ToolCall(id=f"c{self.calls}", name=self.name, arguments=arguments)
        return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)


def files_of(agent: Agent) -> list[Path]:
    return sorted(path for path in (agent.settings.data / "users").rglob("*") if path.is_file())


def results(request: Request) -> list[str]:
    return [message.text for message in request.messages if message.role is Role.TOOL]


def measured_and_aged(open_talker: OpenTalker, talker: Talker, *, user: str = "alice") -> Agent:
    """An agent of the preset octo with one result that grew old."""
    agent = open_talker(
        talker, NO_SUMMARY, preset="octo", user=user, tools=(tool(measure, writes=False),)
    )
    agent.send("measure tea")
    for number in range(6):  # 12 messages: beyond the newest 10
        agent.send(f"Next {number}")
    return agent


def test_the_whole_result_is_in_its_file_before_it_is_shown_aged(open_talker: OpenTalker) -> None:
    # covers C2, C3, C4, C5, C24
    seen: list[tuple[str, bool]] = []
    agents: list[Agent] = []

    def answer(request: Request) -> Completion:
        for text in results(request):
            if "saved to: " in text:
                path = text.rpartition("saved to: ")[2].rstrip("]")
                file = agents[0].settings.data / "users" / "alice" / path
                seen.append((path, file.exists() and file.read_text() == f"measure tea\n{LONG}"))
        return measuring(request)

    measuring = Measuring()
    tools = (tool(measure, writes=False),)
    agents.append(open_talker(Talker(answer), NO_SUMMARY, preset="octo", tools=tools))
    agents[0].send("measure tea")
    for number in range(6):
        agents[0].send(f"Next {number}")

    path, there = seen[0]
    assert there
    assert path.startswith(".octo/workspace/2026-11-20/tool-result-measure-")
    assert path.endswith(".md")


def test_a_copy_is_its_owners_alone(open_talker: OpenTalker) -> None:
    # covers C4
    agent = measured_and_aged(open_talker, Talker(Measuring()))

    (file,) = files_of(agent)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_the_stored_result_stays_whole_and_what_is_shown_is_shorter(
    open_talker: OpenTalker,
) -> None:
    # covers C5, Cs2, C24
    talker = Talker(Measuring())
    agent = measured_and_aged(open_talker, talker)

    (stored,) = [one for one in agent.messages(agent.session()) if one.role is Role.TOOL]
    (shown,) = results(talker.requests[-1])
    assert stored.text == f"measure tea\n{LONG}"
    assert len(shown) < 4_200
    assert shown.startswith("measure tea\n")
    assert "[truncated - full result" in shown


def test_a_result_is_copied_once(open_talker: OpenTalker) -> None:
    agent = measured_and_aged(open_talker, Talker(Measuring()))
    (file,) = files_of(agent)
    before = file.stat().st_mtime_ns

    agent.send("And now?")

    assert [one.stat().st_mtime_ns for one in files_of(agent)] == [before]


def test_a_fresh_result_is_not_copied(open_talker: OpenTalker) -> None:
    # covers C2
    tools = (tool(measure, writes=False),)
    agent = open_talker(Talker(Measuring()), NO_SUMMARY, preset="octo", tools=tools)

    agent.send("measure tea")
    agent.send("Next")

    assert files_of(agent) == []


def test_the_default_preset_writes_no_files(open_talker: OpenTalker) -> None:
    tools = (tool(measure, writes=False),)
    agent = open_talker(Talker(Measuring()), NO_SUMMARY, tools=tools)
    agent.send("measure tea")
    for number in range(6):
        agent.send(f"Next {number}")

    assert not (agent.settings.data / "users").exists()


def test_another_users_folder_is_untouched(open_talker: OpenTalker) -> None:
    # covers C4
    alice = measured_and_aged(open_talker, Talker(Measuring()))
    before = {file: file.read_bytes() for file in files_of(alice)}

    bob = measured_and_aged(open_talker, Talker(Measuring()), user="bob")

    both = {file: file.read_bytes() for file in files_of(bob)}
    own = [file for file in both if file.is_relative_to(bob.settings.data / "users" / "bob")]
    assert {file: both[file] for file in both if file not in own} == before
    assert len(own) == 1


@pytest.mark.parametrize(
    "user", ["../bob", "a/../../b", "..a", "/etc/passwd", "a\\b", "Анна" * 40, "x" * 200, "👩‍🍳"]
)
def test_no_user_id_leads_out_of_the_users_folders(open_talker: OpenTalker, user: str) -> None:
    agent = measured_and_aged(open_talker, Talker(Measuring()), user=user)

    (file,) = files_of(agent)
    inside = file.relative_to(agent.settings.data / "users").parts
    outside = [one for one in agent.settings.data.parent.iterdir() if one.name != "data"]
    assert inside[0] == folder_of(user)
    assert inside[1:3] == (".octo", "workspace")
    assert outside == []


@pytest.mark.parametrize("name", ["../../evil", "/abs", "a.b", "..", "sp ace", "名前", "x" * 300])
def test_no_tool_name_leads_out_of_the_days_folder(name: str) -> None:
    rules = ResultRules(spill=".octo/workspace")
    at = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    result = Message(role=Role.TOOL, text=LONG, tool_call_id="c1", created=at)

    *folders, file = spill_path(result, rules, name=name).split("/")

    assert folders == [".octo", "workspace", "2026-11-20"]
    assert re.fullmatch(r"tool-result-[A-Za-z0-9-]{1,64}-090000000000-[0-9a-f]{12}\.md", file)


@pytest.mark.parametrize("name", ["../../evil", "sp ace", "x" * 300])
def test_a_model_that_calls_a_tool_of_an_impossible_name_is_answered_and_goes_on(
    open_talker: OpenTalker, name: str
) -> None:
    agent = open_talker(Talker(Measuring(name)), NO_SUMMARY, preset="octo")

    first = agent.send("measure tea")
    second = agent.send("Next")

    assert (first.text, second.text) == ("Fine.", "Fine.")
    assert files_of(agent) == []


def test_no_two_users_share_a_folder() -> None:
    long = "Анна" * 40
    ids = ["a/b", "a%2Fb", "a b", "a+b", "A", "a", long, long + "x", folder_of(long)]

    assert len({folder_of(one) for one in ids}) == len(ids)
    assert all(len(folder_of(one).encode()) <= 200 for one in ids)


def test_a_folder_that_cant_be_written_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "users").write_text("a file, not a folder")

    with pytest.raises(StorageError, match="could not be saved") as caught:
        write_once(tmp_path / "users" / "alice" / "result.md", "text")

    assert caught.value.hint


def test_what_was_left_half_written_is_written_again(tmp_path: Path) -> None:
    (tmp_path / ".result.md.part").write_text("hal")

    write_once(tmp_path / "result.md", "half and the other half")

    assert (tmp_path / "result.md").read_text() == "half and the other half"
    assert [one.name for one in tmp_path.iterdir()] == ["result.md"]
