"""The tool that shows what a shortened tool result left out."""

import json
import re
from collections.abc import Callable

import pytest

from stratal.agent import Agent
from stratal.context.compression.results import digest_of
from stratal.context.request import Request
from stratal.errors import NotFound
from stratal.options import Options
from stratal.providers.provider import Completion, StopReason
from stratal.providers.scripted import Step
from stratal.tools.results import MOST_TOKENS, NAME, result_tools
from stratal.tools.tool import tool
from stratal_memory.records import ToolCall
from tests.platform.conftest import OpenAgent, OpenTalker
from tests.platform.talking import Talker

LONG = "".join(f"row {number}: forty-two loaves\n" for number in range(3_000))


def export(name: str) -> str:
    """Everything in a table."""
    return LONG if name == "orders" else f"nothing in {name}"


def asked(tool_name: str, arguments: str, id: str = "c1") -> Completion:
    call = ToolCall(id=id, name=tool_name, arguments=arguments)
    return Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS)


def quarter(text: str) -> int:
    return len(text) // 4


def open_with_export(open_agent: OpenAgent, *script: Step, user: str = "alice") -> Agent:
    options = Options(user=user, tools=(tool(export, writes=False),))
    return open_agent(script=list(script), options=options)


@pytest.fixture
def agent(open_agent: OpenAgent) -> Agent:
    """One that has the orders in its conversation."""
    made = open_with_export(
        open_agent, asked("export", '{"name": "orders"}'), Completion(text="Done.")
    )
    made.send("Export the orders")
    return made


def expand(agent: Agent, session: str | None = None) -> Callable[[str, int], str]:
    (made,) = result_tools(
        agent.store, session=session or agent.session().id, count=quarter, shown=None
    )
    return lambda digest, start: made.run(json.dumps({"digest": digest, "start": start}))


def test_a_shortened_result_is_had_whole_page_by_page(agent: Agent) -> None:  # covers Ps11
    pages: list[str] = []
    found: re.Match[str] | None = None
    while not pages or found:
        page = expand(agent)(digest_of(LONG), int(found[1]) if found else 0)
        text, _, note = page.rpartition("\n[characters ")
        assert 0 < quarter(text) <= MOST_TOKENS == 4_000
        pages.append(text)
        found = re.search(r"go on with start=(\d+)", note)

    assert "".join(pages) == LONG
    assert len(pages) > 4


def test_a_page_holds_by_a_counter_that_counts_more(agent: Agent) -> None:  # covers Ps11
    (made,) = result_tools(agent.store, session=agent.session().id, count=len, shown=None)

    text, _, _ = made.run(json.dumps({"digest": digest_of(LONG)})).rpartition("\n[characters ")

    assert 2_000 < len(text) <= MOST_TOKENS


def test_behind_the_end_there_is_nothing(agent: Agent) -> None:
    told = expand(agent)(digest_of(LONG), 10**9)

    assert told == f"[the result ends at character {len(LONG):,}]"


@pytest.mark.parametrize("digest", ["0123456789ab", "", "*", "%", "x" * 500, "833ede41\n"])
def test_an_invented_digest_is_not_found(agent: Agent, digest: str) -> None:
    with pytest.raises(NotFound) as caught:
        expand(agent)(digest, 0)

    assert "note" in caught.value.hint


def test_results_of_another_conversation_are_not_found(agent: Agent) -> None:
    agent.start_session()

    with pytest.raises(NotFound):
        expand(agent)(digest_of(LONG), 0)


def test_results_of_somebody_else_are_not_found(agent: Agent, open_agent: OpenAgent) -> None:
    bob = open_with_export(open_agent, user="bob")

    with pytest.raises(NotFound):
        expand(bob)(digest_of(LONG), 0)


def test_what_was_said_is_no_result(agent: Agent) -> None:
    with pytest.raises(NotFound):
        expand(agent)(digest_of("Export the orders"), 0)


def test_a_model_reads_the_rest_by_the_note_it_was_shown(open_agent: OpenAgent) -> None:
    def reads_on(request: Request) -> Completion:
        digest = re.search(rf'{NAME}\("(\w+)"\)', request.messages[-1].text)
        assert digest is not None
        return asked(NAME, json.dumps({"digest": digest[1], "start": 40_000}), id="c2")

    seen: list[str] = []

    def answers(request: Request) -> Completion:
        seen.append(request.messages[-1].text)
        return Completion(text="Forty-two.")

    export_orders = asked("export", '{"name": "orders"}')
    agent = open_with_export(open_agent, export_orders, reads_on, answers)

    agent.send("How many loaves are in row 1500?")

    assert LONG[40_000:41_000] in seen[0]


def test_a_piece_is_no_longer_than_a_result_may_show(agent: Agent) -> None:
    (made,) = result_tools(agent.store, session=agent.session().id, count=quarter, shown=1_000)

    piece = made.run(json.dumps({"digest": digest_of(LONG)}))

    assert len(piece) <= 1_000
    assert "go on with start=900" in piece


def test_in_a_small_window_every_page_is_shown_whole_and_together_they_are_the_result(
    open_talker: OpenTalker,
) -> None:
    # covers Ps11, Cs1
    table = "".join(f"row {number}: forty-two loaves\n" for number in range(400))

    def rows() -> str:
        """A table that takes more than a result may."""
        return table

    def reads_on(request: Request) -> Completion:
        newest = request.messages[-1].text
        first = re.search(rf'{NAME}\("(\w+)"\)', newest)
        start = re.search(r"go on with start=(\d+)\]$", newest)
        if newest == "Read it":
            return asked("rows", "{}")
        if not (first or start):
            return Completion(text="Read.")
        at = int(start[1]) if start else 0
        arguments = json.dumps({"digest": digest_of(table), "start": at})
        return asked(NAME, arguments, id=f"at{at}")

    environment = {
        "STRATAL_CONTEXT__WINDOW": "12000",
        "STRATAL_CONTEXT__OUTPUT_RESERVE": "500",
        "STRATAL_TURN__MAX_STEPS": "20",
        "STRATAL_TOOL_RESULTS__WINDOW_SHARE": "0.05",
    }
    talker = Talker(reads_on)
    agent = open_talker(talker, environment, tools=(tool(rows, writes=False),))
    limit = agent.conversation(agent.session()).rules.results.limit

    reply = agent.send("Read it")

    assert limit == 2_400
    assert reply.text == "Read."
    shown = [request.messages[-1].text for request in talker.requests[2:]]
    assert all(len(text) <= limit and "shortened to" not in text for text in shown)
    assert "".join(text.rpartition("\n[characters ")[0] for text in shown) == table
