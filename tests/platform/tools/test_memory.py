"""The memory tools, and whose word a saved fact is."""

import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.errors import AccessDenied, InputError, NotFound
from stratal.options import Options
from stratal.prompt.sections import Mode
from stratal.providers.provider import Completion, StopReason
from stratal.reply import ToolRan
from stratal.tools.memory import Reading, memory_tools, mending_tools
from stratal.tools.tool import Effect, Invocation, Tool, tool
from stratal_memory.records import ScopeKind, Status, ToolCall, Trust
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
        reading = Reading(read)
        made = (
            *memory_tools(agent.store, settings=settings, reading=reading),
            *mending_tools(agent.store, reading=reading),
        )
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


def of_user(open_agent: OpenAgent, text: str = "The user lives in Porto.") -> str:
    """The id of a fact of alice's."""
    return open_agent().facts.add(text).memory.id


def test_a_search_shows_the_ids_of_the_users_own_facts(
    tools: Callable[[Trust], dict[str, Tool]], open_agent: OpenAgent
) -> None:
    id = of_user(open_agent)

    found = tools(Trust.USER)["memory_search"].run('{"query": "Where does the user live? Porto"}')

    assert f"The user lives in Porto. [{id}]" in found


def test_a_fact_is_corrected_on_the_assistants_word_and_can_be_put_back(
    tools: Callable[[Trust], dict[str, Tool]], open_agent: OpenAgent
) -> None:
    agent, id = open_agent(), of_user(open_agent)
    arguments = json.dumps({"id": id, "text": "The user lives in Lisbon."})

    said = tools(Trust.USER)["memory_correct"].run(arguments)

    assert said.startswith("corrected: The user lives in Lisbon.")
    assert saved(agent) == {"The user lives in Lisbon.": Trust.ASSISTANT}
    (event,) = re.findall(r"stratal memory undo (\w+)", said)
    agent.undo(event)
    assert saved(agent) == {"The user lives in Porto.": Trust.USER}


def test_a_fact_is_forgotten_and_can_be_brought_back(
    tools: Callable[[Trust], dict[str, Tool]], open_agent: OpenAgent
) -> None:
    agent, id = open_agent(), of_user(open_agent)

    said = tools(Trust.USER)["memory_forget"].run(json.dumps({"id": id}))

    assert said.startswith("forgotten: The user lives in Porto.")
    assert saved(agent) == {}
    (event,) = re.findall(r"stratal memory undo (\w+)", said)
    agent.undo(event)
    assert saved(agent) == {"The user lives in Porto.": Trust.USER}


@pytest.mark.parametrize("read", [Trust.TOOL, Trust.DOCUMENT, Trust.WEB])
@pytest.mark.parametrize("name", ["memory_correct", "memory_forget"])
def test_nothing_is_changed_once_untrusted_text_was_read_but_on_a_persons_word(
    tools: Callable[[Trust], dict[str, Tool]], open_agent: OpenAgent, read: Trust, name: str
) -> None:
    # promise 7
    agent, id = open_agent(), of_user(open_agent)
    given = {"id": id, "text": "The user lives in Lisbon."}
    arguments = json.dumps(given if name == "memory_correct" else {"id": id})
    made = tools(read)[name]

    with pytest.raises(AccessDenied, match="the user decides"):
        made.run(arguments)
    assert saved(agent) == {"The user lives in Porto.": Trust.USER}

    made.run(arguments, Invocation(approved=True))
    assert saved(agent) == ({"The user lives in Lisbon.": read} if "text" in arguments else {})


@pytest.mark.parametrize("name", ["memory_correct", "memory_forget"])
def test_only_the_users_own_facts_can_be_changed(
    tools: Callable[[Trust], dict[str, Tool]], open_agent: OpenAgent, name: str
) -> None:
    theirs = open_agent("bob").facts.add("The user keeps bees.").memory.id
    made = tools(Trust.USER)[name]
    rest = {"text": "x"} if name == "memory_correct" else {}

    for id in (theirs, "mem_unknown", "*", "%", ""):
        with pytest.raises(NotFound):
            made.run(json.dumps({"id": id, **rest}))
    assert saved(open_agent("bob")) == {"The user keeps bees.": Trust.USER}


def test_a_fact_of_a_project_is_not_the_users_own(open_agent: OpenAgent) -> None:
    options = Options(user="alice", project="harbour")
    agent = open_agent(options=options)
    shared = agent.facts.add("The gate opens at six.", scope=ScopeKind.PROJECT).memory
    made = {one.spec.name: one for one in mending_tools(agent.store, reading=Reading())}

    with pytest.raises(InputError, match="no fact of the user's own"):
        made["memory_forget"].run(json.dumps({"id": shared.id}))
    with pytest.raises(InputError, match="no fact of the user's own"):
        made["memory_correct"].run(json.dumps({"id": shared.key, "text": "It opens at seven."}))

    assert recallable(agent) == {"The gate opens at six."}


def test_the_tools_that_change_memory_say_so(tools: Callable[[Trust], dict[str, Tool]]) -> None:
    changing = {name for name, one in tools(Trust.USER).items() if one.writes}

    assert changing == {"memory_save", "memory_correct", "memory_forget"}
    assert {tools(Trust.USER)[name].effect for name in changing} == {Effect.LOCAL}


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.PLAN])
def test_nothing_is_forgotten_in_ask_and_plan_mode(open_agent: OpenAgent, mode: Mode) -> None:
    # covers Z26
    agent = open_agent(options=Options(user="alice", mode=mode))

    assert {"memory_forget", "memory_correct", "memory_save"} <= set(agent.toolbox().closed)
    assert "memory_search" in {spec.name for spec in agent.toolbox().specs()}
