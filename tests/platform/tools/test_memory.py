"""The memory tools, and whose word a saved fact is."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from stratal.agent import Agent, Options
from stratal.errors import InputError
from stratal.prompt.sections import Mode
from stratal.providers.provider import Completion, StopReason
from stratal.reply import ToolRan
from stratal.tools.memory import Reading, memory_tools
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Status, ToolCall, Trust
from tests.platform.conftest import OpenAgent

NUMBERS = count()  # a call id is used once
MENU = "# Menu\n\nThe soup of the day is leek and potato soup with rye bread.\n"


def calls(*asked: tuple[str, str]) -> Completion:
    """One step of a script in which the model calls tools with one text each."""
    argument = {"memory_save": "text", "forecast": "town"}
    made = tuple(
        ToolCall(
            id=f"c{next(NUMBERS)}",
            name=name,
            arguments=json.dumps({argument.get(name, "query"): text}),
        )
        for name, text in asked
    )
    return Completion(text="", tool_calls=made, stop=StopReason.TOOLS)


def saved(agent: Agent) -> dict[str, Trust]:
    """Every fact with its trust, those held apart too."""
    known = agent.facts.known(statuses=(Status.ACTIVE, Status.QUARANTINED))
    return {fact.text: fact.trust for fact in known}


def recallable(agent: Agent) -> set[str]:
    return {fact.text for fact in agent.facts.known()}


def forecast(town: str) -> str:
    """The weather in a town."""
    return f"Rain in {town}; the user loves rain."


@pytest.fixture
def menu(tmp_path: Path) -> Path:
    path = tmp_path / "menu.md"
    path.write_text(MENU)
    return path


@pytest.fixture
def tools(open_agent: OpenAgent) -> Callable[[Trust], dict[str, Tool]]:
    agent = open_agent()
    settings = agent.settings.recall.for_recall(agent.settings.context)

    def make(read: Trust) -> dict[str, Tool]:
        made = memory_tools(agent.store, settings=settings, reading=Reading(read))
        return {one.spec.name: one for one in made}

    return make


@pytest.mark.parametrize(
    ("read", "trust"),
    [
        (Trust.USER, Trust.ASSISTANT),
        (Trust.ASSISTANT, Trust.ASSISTANT),
        (Trust.DOCUMENT, Trust.DOCUMENT),
        (Trust.WEB, Trust.WEB),
    ],
)
def test_what_is_saved_has_the_lowest_trust_of_what_was_read(
    tools: Callable[[Trust], dict[str, Tool]], open_agent: OpenAgent, read: Trust, trust: Trust
) -> None:
    said = tools(read)["memory_save"].run('{"text": "The user likes tea."}')

    own_word = trust is Trust.ASSISTANT
    assert said.startswith("added: The user likes tea." if own_word else "held back")
    assert saved(open_agent()) == {"The user likes tea.": trust}
    assert recallable(open_agent()) == ({"The user likes tea."} if own_word else set())


def test_a_document_found_in_the_same_turn_lowers_it(open_agent: OpenAgent, menu: Path) -> None:
    script = [
        calls(("memory_save", "The user asked for lunch.")),
        calls(("search_knowledge", "soup of the day")),
        calls(("memory_save", "The user wants leek soup every day.")),
        Completion(text="Done."),
    ]
    agent = open_agent(script=script)
    agent.ingest(menu)

    agent.send("Zzz?")  # recalls nothing by itself

    assert saved(agent) == {
        "The user asked for lunch.": Trust.ASSISTANT,
        "The user wants leek soup every day.": Trust.DOCUMENT,
    }


def test_a_document_found_in_an_earlier_turn_lowers_it_still(
    open_agent: OpenAgent, menu: Path
) -> None:
    script = [
        calls(("search_knowledge", "soup of the day")),
        Completion(text="Leek."),
        calls(("memory_save", "The user wants leek soup every day.")),
        Completion(text="Done."),
    ]
    agent = open_agent(script=script)
    agent.ingest(menu)
    agent.send("Zzz?")

    agent.send("Keep what it says")

    assert set(saved(agent).values()) == {Trust.DOCUMENT}


def test_a_tool_of_the_callers_lowers_it_to_a_tools_word(open_agent: OpenAgent) -> None:
    script = [
        calls(("forecast", "Graz"), ("memory_save", "The user loves rain.")),
        Completion(text="Done."),
    ]
    options = Options(user="alice", tools=(tool(forecast, writes=False),))
    agent = open_agent(script=script, options=options)

    agent.send("Weather?")

    assert saved(agent) == {"The user loves rain.": Trust.TOOL}


def test_what_a_tool_saved_never_reaches_the_profile(open_agent: OpenAgent) -> None:
    # promise 7
    script = [calls(("memory_save", "The user's name is Mallory.")), Completion(text="Done.")]
    agent = open_agent(script=script)
    agent.send("Hello")

    agent.consolidate()

    assert "Mallory" not in agent.profile.render()


def test_memory_is_not_searched_for_documents_nor_documents_for_memory(
    open_agent: OpenAgent, menu: Path
) -> None:
    script = [
        calls(("memory_search", "leek potato soup"), ("search_knowledge", "leek potato soup")),
        Completion(text="Done."),
    ]
    agent = open_agent(script=script)
    agent.ingest(menu)

    ran = [event for event in agent.stream("Zzz?") if isinstance(event, ToolRan)]

    assert ran[0].result == "Nothing relevant is remembered."
    assert "leek and potato" in ran[1].result
    assert ran[1].result.startswith("Source: Menu")


@pytest.mark.parametrize("limit", [0, 21])
def test_a_limit_out_of_range_is_told(
    tools: Callable[[Trust], dict[str, Tool]], limit: int
) -> None:
    with pytest.raises(InputError, match="limit"):
        tools(Trust.USER)["memory_search"].run(json.dumps({"query": "tea", "limit": limit}))


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.PLAN])
def test_nothing_is_saved_in_ask_and_plan_mode(open_agent: OpenAgent, mode: Mode) -> None:
    # covers Z26
    script = [calls(("memory_save", "The user likes tea.")), Completion(text="I can't.")]
    agent = open_agent(script=script, options=Options(user="alice", mode=mode))

    (ran,) = [event for event in agent.stream("Note it") if isinstance(event, ToolRan)]

    assert "memory_save is not available" in ran.result
    assert saved(agent) == {}


def test_somebody_elses_memory_is_not_found_by_a_tool(open_agent: OpenAgent) -> None:
    # promise 3
    open_agent("alice").send("Remember that the spare key is under the blue pot.")
    bob = open_agent(
        "bob", script=[calls(("memory_search", "spare key blue pot")), Completion(text="No.")]
    )

    (ran,) = [event for event in bob.stream("Zzz?") if isinstance(event, ToolRan)]

    assert ran.result == "Nothing relevant is remembered."
