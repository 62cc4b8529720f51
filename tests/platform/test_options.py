"""What can be chosen when an agent is opened, and how it may be said."""

from pathlib import Path

import pytest

import stratal
from stratal.agent import Agent
from stratal.errors import ConfigError
from stratal.options import mode_of, tools_of, with_overrides
from stratal.prompt.sections import Mode
from stratal.settings import Settings
from stratal.tools.approval import PendingCall, refuse
from stratal.tools.tool import Effect, tool


def note(text: str) -> str:
    """Write a note."""
    return text


def look(text: str) -> str:
    """Look something up."""
    return text


def agree(pending: PendingCall) -> bool:
    return True


def test_an_agent_is_opened_with_a_mode_tools_and_somebody_to_ask(settings: Settings) -> None:
    looks = tool(look, writes=False)

    with Agent.open(
        "alice", mode="ask", tools=[note, looks], approve=agree, settings=settings
    ) as agent:
        names = {one.spec.name for one in agent.toolbox().tools}

    assert agent.options.mode is Mode.ASK
    assert agent.options.approve is agree
    assert [one.spec.name for one in agent.options.tools] == ["note", "look"]
    assert "look" in names
    assert "note" not in names  # it may write, as far as anybody knows


def test_an_agent_that_is_opened_plainly_may_do_all_and_asks_nobody(settings: Settings) -> None:
    with Agent.open("alice", settings=settings) as agent:
        assert agent.options == stratal.Options(user="alice", mode=stratal.Mode.AGENT)
        assert agent.options.approve is refuse


def test_a_bare_function_may_be_added_later(settings: Settings) -> None:
    with Agent.open("alice", settings=settings) as agent:
        agent.add_tools(note, tool(look, writes=False))
        found = {one.spec.name: one for one in agent.toolbox().tools}

    assert found["note"].effect is Effect.OUTSIDE
    assert not found["look"].writes


@pytest.mark.parametrize("mode", list(Mode))
def test_a_mode_goes_by_its_name(mode: Mode) -> None:
    assert mode_of(mode.value) is mode


@pytest.mark.parametrize("name", ["", "Agent", "do anything", "\ud800"])
def test_an_unknown_mode_names_those_there_are(name: str) -> None:
    with pytest.raises(ConfigError, match="there is no mode") as refused:
        mode_of(name)

    assert "agent, ask, plan" in refused.value.hint


@pytest.mark.parametrize("wrong", ["look", 3, None])
def test_what_can_not_be_called_is_no_tool(wrong: object) -> None:
    with pytest.raises(ConfigError, match="is no tool"):
        tools_of([look, wrong])  # type: ignore[list-item]


def test_what_is_given_goes_before_the_settings_and_nothing_changes_nothing(
    settings: Settings, tmp_path: Path
) -> None:
    assert with_overrides(settings, model=None, data=None) == settings

    other = with_overrides(settings, model="ollama:llama3", data=str(tmp_path / "other"))

    assert (other.model, other.data) == ("ollama:llama3", tmp_path / "other")
