"""Through a real agent: what was done three times is drafted, approved, used and judged."""

import json
from collections.abc import Callable

import pytest

from stratal import practice
from stratal.agent import Agent
from stratal.context.request import Request
from stratal.providers.provider import Completion
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Role, ToolCall
from stratal_memory.truth.procedures import State
from stratal_procedures import shelf
from tests.fakes.clock import FakeClock
from tests.platform.talking import Talker

OpenTalker = Callable[..., Agent]
PLAN = (
    ("find_price", ("product",)),
    ("check_stock", ("product",)),
    ("note_line", ("product", "sheet")),
)


def find_price(product: str) -> str:
    """The price of a product."""
    return f"{product}: 2 euros"


def check_stock(product: str) -> str:
    """How much there is of a product."""
    return f"{product}: low"


def note_line(product: str, sheet: str) -> str:
    """Note a line."""
    return "noted"


TOOLS: tuple[Tool, ...] = tuple(
    tool(function, writes=False) for function in (find_price, check_stock, note_line)
)


def works(request: Request) -> Completion:
    """Three calls for every message that says `order`, then an answer."""
    last = max(at for at, one in enumerate(request.messages) if one.role is Role.USER)
    asked = request.messages[last].text.rpartition("order ")[2].split()
    done = sum(len(one.tool_calls) for one in request.messages[last:])
    if "order " not in request.messages[last].text or done == len(PLAN):
        return Completion(text="Fine.")
    name, parameters = PLAN[done]
    values = {"product": asked[0], "sheet": "supplies"}
    arguments = json.dumps({key: values[key] for key in parameters})
    call = ToolCall(id=f"call_{asked[0]}_{done}_of_this_turn", name=name, arguments=arguments)
    return Completion(text="", tool_calls=(call,))


@pytest.fixture
def agent(open_talker: OpenTalker) -> Agent:
    return open_talker(Talker(works), tools=TOOLS)


def order(agent: Agent, product: str, after: str = "thanks, that is all") -> str:
    """The procedure that was put into an order of its own conversation."""
    agent.start_session()
    reply = agent.send(f"Please order {product} for the shop")
    agent.send(after)
    return reply.procedure


def test_what_was_done_three_times_is_a_draft_and_approved_it_is_used(agent: Agent) -> None:
    # covers Os17, Os18, Os19
    before = [order(agent, product) for product in ("flour", "butter", "yeast")]
    [draft] = shelf.list_drafts(agent.store)
    unread = order(agent, "milk")
    shelf.approve(agent.store, draft.key, draft.digest)
    used = [order(agent, f"salt{number}") for number in range(5)]

    told = shelf.history(agent.store, draft.key)
    assert (*before, unread) == ("", "", "", "")
    assert set(used) == {draft.name}
    assert (told.score.successes, told.score.failures) == (5, 0)
    assert told.versions[-1].state is State.ACTIVE


def test_a_correction_in_the_next_message_counts_against_the_procedure(agent: Agent) -> None:
    for product in ("flour", "butter", "yeast"):
        order(agent, product)
    [draft] = shelf.list_drafts(agent.store)
    shelf.approve(agent.store, draft.key, draft.digest)
    used = [order(agent, "salt", after="No, that's wrong") for _ in range(3)]

    told = shelf.history(agent.store, draft.key)
    assert used == [draft.name, draft.name, ""]
    assert [one.why for one in told.used] == ["the user took it back"] * 2
    assert told.versions[-1].state is State.DEMOTED


def test_silence_is_settled_before_drafts_are_listed(agent: Agent, clock: FakeClock) -> None:
    for product in ("flour", "butter", "yeast"):
        agent.start_session()
        agent.send(f"Please order {product} for the shop")
    early = practice.settle_idle(agent.store)
    clock.pass_(minutes=61)

    [draft] = practice.settle_idle(agent.store)
    assert early == ()
    assert draft.state is State.DRAFT


def test_learning_can_be_switched_off(agent: Agent) -> None:
    # covers Os19
    reply = agent.send("Hello")
    desk = agent.conversation(agent.session())

    assert practice.after_turn(desk, reply.turn, learn=False) == ()


def test_a_failing_store_costs_the_turn_nothing(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    reply = agent.send("Hello")
    desk = agent.conversation(agent.session())
    with agent.store.write() as journal:
        journal.connection.exec_driver_sql("ALTER TABLE procedure_episodes RENAME TO gone")

    assert practice.after_turn(desk, reply.turn) == ()
    assert "was not learned from" in caplog.text
