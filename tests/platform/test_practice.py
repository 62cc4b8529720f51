"""Through a real agent: what was done three times is drafted, approved, used and judged."""

from collections.abc import Callable

import pytest

from stratal import practice
from stratal.agent import Agent
from stratal_memory.truth.procedures import State
from stratal_procedures import shelf
from stratal_procedures.library import Library
from tests.fakes.clock import FakeClock
from tests.platform.ordering import GOODS, TOOLS, order, order_and_leave, works
from tests.platform.talking import Talker

OpenTalker = Callable[..., Agent]


@pytest.fixture
def agent(open_talker: OpenTalker) -> Agent:
    return open_talker(Talker(works), tools=TOOLS)


def unasked() -> Library:
    raise AssertionError("nobody's skills need to be read")


def test_what_was_done_three_times_is_a_draft_and_approved_it_is_used(agent: Agent) -> None:
    # covers Os17, Os18, Os19
    before = [order(agent, product) for product in GOODS]
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
    for product in GOODS:
        order(agent, product)
    [draft] = shelf.list_drafts(agent.store)
    shelf.approve(agent.store, draft.key, draft.digest)
    used = [order(agent, "salt", after="No, that's wrong") for _ in range(3)]

    told = shelf.history(agent.store, draft.key)
    assert used == [draft.name, draft.name, ""]
    assert [one.why for one in told.used] == ["the user took it back"] * 2
    assert told.versions[-1].state is State.DEMOTED


def test_silence_ends_a_turn_after_an_hour_and_not_before(agent: Agent, clock: FakeClock) -> None:
    order_and_leave(agent)
    early = practice.settle_idle(agent.store, unasked)
    clock.pass_(minutes=61)

    [draft] = practice.settle_idle(agent.store, lambda: agent.library)
    again = practice.settle_idle(agent.store, unasked)

    assert early == again == ()
    assert draft.state is State.DRAFT


def test_a_new_conversation_settles_what_silence_ended(agent: Agent, clock: FakeClock) -> None:
    order_and_leave(agent)
    agent.session()
    before = shelf.list_drafts(agent.store)
    clock.pass_(minutes=61)
    agent.start_session()

    agent.session()

    assert before == ()
    assert len(shelf.list_drafts(agent.store)) == 1


def test_consolidating_settles_what_silence_ended_and_its_preview_does_not(
    agent: Agent, clock: FakeClock
) -> None:
    order_and_leave(agent)
    clock.pass_(minutes=61)

    agent.consolidate(dry_run=True)
    before = shelf.list_drafts(agent.store)
    agent.consolidate()

    assert before == ()
    assert len(shelf.list_drafts(agent.store)) == 1


def test_learning_can_be_switched_off(open_talker: OpenTalker, clock: FakeClock) -> None:
    # covers Os19
    agent = open_talker(Talker(works), {"STRATAL_SKILLS__LEARN": "false"}, tools=TOOLS)
    for product in GOODS:
        order(agent, product)
    order_and_leave(agent)
    clock.pass_(minutes=61)
    agent.consolidate()

    assert shelf.list_stored(agent.store) == ()


def test_what_was_learned_before_is_judged_with_learning_off(
    agent: Agent, open_talker: OpenTalker, clock: FakeClock
) -> None:
    for product in GOODS:
        order(agent, product)
    [draft] = shelf.list_drafts(agent.store)
    shelf.approve(agent.store, draft.key, draft.digest)
    off = open_talker(Talker(works), {"STRATAL_SKILLS__LEARN": "false"}, tools=TOOLS)

    order(off, "salt")
    order(off, "milk", after="")
    clock.pass_(minutes=61)
    off.consolidate()

    assert shelf.history(off.store, draft.key).score.successes == 2


def test_a_failing_store_costs_the_turn_nothing(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    reply = agent.send("Hello")
    desk = agent.conversation(agent.session())
    with agent.store.write() as journal:
        journal.connection.exec_driver_sql("ALTER TABLE procedure_episodes RENAME TO gone")

    assert practice.after_turn(desk, reply.turn) == ()
    assert "was not learned from" in caplog.text


def test_a_failing_store_keeps_no_conversation_from_beginning(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    with agent.store.write() as journal:
        journal.connection.exec_driver_sql("ALTER TABLE procedure_episodes RENAME TO gone")

    session = agent.session()

    assert agent.current_session() == session
    assert "what silence ended was not learned from" in caplog.text
