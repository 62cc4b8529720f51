"""The tools of a turn: what is there, what a mode opens, and what they take of the window."""

from pathlib import Path

import pytest

import stratal
from stratal.agent import Agent
from stratal.errors import ConfigError
from stratal.options import Options
from stratal.prompt.sections import Mode
from stratal.toolbox import purse_of
from stratal.tools.tool import Tool, tool
from tests.platform.conftest import OpenAgent, OpenTalker
from tests.platform.talking import Talker

LOOKING = {"memory_search", "expand_result", "load_skill", "file_list", "file_read", "file_search"}
CHANGING = {"memory_save", "memory_correct", "memory_forget", "file_write", "file_edit"}
ALWAYS = {"todo_write", "delegate"}
MOST_TOKENS = 1_300  # of all built-in schemas, at four characters a token


def names(agent: Agent) -> set[str]:
    return {spec.name for spec in agent.toolbox().specs()} - {"read_skill_file"}


def opened(open_agent: OpenAgent, mode: Mode) -> Agent:
    return open_agent(options=Options(user="alice", mode=mode))


def forecast(town: str) -> str:
    """The weather."""
    return f"Rain in {town}."


@pytest.mark.parametrize("mode", Mode)
def test_every_built_in_tool_goes_by_the_table_of_modes(open_agent: OpenAgent, mode: Mode) -> None:
    # covers Z8, Z26, Zs5
    agent = opened(open_agent, mode)

    changing = CHANGING if mode is Mode.AGENT else set[str]()
    assert names(agent) == LOOKING | ALWAYS | changing
    assert set(agent.toolbox().closed) == CHANGING - changing


def test_documents_are_searched_once_there_are_some(open_agent: OpenAgent, tmp_path: Path) -> None:
    # covers Z8
    agent = open_agent()
    (tmp_path / "menu.md").write_text("# Menu\n\nLeek soup with rye bread.\n")
    assert "search_knowledge" not in names(agent)

    agent.ingest(tmp_path / "menu.md")

    assert "search_knowledge" in names(agent)
    assert "search_knowledge" not in names(open_agent("bob"))


def test_the_schemas_take_little_of_a_window(open_agent: OpenAgent) -> None:
    specs = open_agent().toolbox().specs()

    characters = sum(len(one.name) + len(one.description) + len(one.schema) for one in specs)
    assert 500 < characters / 4 < MOST_TOKENS


def test_a_small_window_has_the_tools_it_needs_most(open_talker: OpenTalker) -> None:
    environment = {"STRATAL_CONTEXT__WINDOW": "6000", "STRATAL_CONTEXT__OUTPUT_RESERVE": "500"}
    agent = open_talker(Talker(), environment, tools=(tool(forecast, writes=False),))

    found = names(agent)

    assert {"memory_save", "memory_search", "expand_result", "load_skill", "forecast"} <= found
    assert not found & {"delegate", "file_write", "todo_write"}


def test_a_tool_that_was_given_or_added_is_there_from_the_next_message_on(
    open_agent: OpenAgent,
) -> None:
    @stratal.tool(writes=True, effect=stratal.Effect.LOCAL)
    def ring(times: int) -> str:
        """Ring."""
        return "ding " * times

    agent = open_agent(options=Options(user="alice", tools=(tool(forecast, writes=False),)))
    assert isinstance(ring, Tool)
    assert "ring" not in names(agent)

    agent.add_tools(ring)

    assert {"forecast", "ring"} <= names(agent)


def test_a_tool_with_the_name_of_a_built_in_one_is_refused(open_agent: OpenAgent) -> None:
    def file_read() -> str:
        """Read."""
        return ""

    agent = open_agent(options=Options(user="alice", tools=(tool(file_read, writes=False),)))

    with pytest.raises(ConfigError, match="two tools are called file_read"):
        agent.send("Hello")


def test_sub_agents_share_as_many_steps_as_the_turn_and_half_its_tokens(
    open_talker: OpenTalker,
) -> None:
    limited = open_talker(Talker(), {"STRATAL_TURN__MAX_TOKENS": "9000"})
    free = open_talker(Talker(), {"STRATAL_TURN__MAX_STEPS": "4"})

    few = purse_of(limited.conversation(limited.session()))
    desk = free.conversation(free.session())

    assert (few.steps, few.tokens) == (8, 4_500)
    assert (purse_of(desk).steps, purse_of(desk).tokens) == (4, 2 * desk.budget.effective)
