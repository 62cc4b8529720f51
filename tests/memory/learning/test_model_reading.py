"""With a model: what the rules know is known at once, the rest when the model has read it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratal_memory.errors import StratalError
from stratal_memory.learning.deciding import REFUSED, Fate
from stratal_memory.learning.gate import take_in
from stratal_memory.learning.model_reading import due, read_waiting
from stratal_memory.learning.review import to_review
from stratal_memory.learning.settings import GateSettings
from stratal_memory.records import Session, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import events
from tests.memory.learning.answering import Scripted, answer, fact
from tests.memory.worlds import World, begin, say, texts

TEA = "give me tea over coffee whenever I look sleepy"


class Down(StratalError):
    """The provider is down."""


def tell(store: Store, session: Session, text: str) -> None:
    take_in(store, session, say(store, session, text), waits=True)


def test_the_rules_learn_at_once_and_the_model_adds_what_they_miss(world: World) -> None:
    store = world.store()
    tell(store, begin(store), f"I live in Porto. {TEA}")
    before = texts(Facts(store).known())

    done = read_waiting(store, Scripted(answer([fact()])))

    assert before == ["The user lives in Porto."]
    assert (done.read, done.pending, done.failure) == (1, 0, "")
    assert [one.fate for one in done.decisions] == [Fate.LEARNED]
    [tea] = [one for one in Facts(store).known() if one.value == "tea"]
    assert (tea.trust, tea.status, tea.evidence[0].quote) == (
        Trust.USER,
        Status.ACTIVE,
        "tea over coffee",
    )


def test_what_the_rules_found_already_is_not_doubled(world: World) -> None:
    store = world.store()
    tell(store, begin(store), "I live in Porto.")
    home = fact(
        evidence="I live in Porto", text="The user lives in Porto.", facet="home", value="Porto"
    )

    read_waiting(store, Scripted(answer([home])))

    assert texts(Facts(store).known()) == ["The user lives in Porto."]


@pytest.mark.parametrize("trouble", [Down("503"), TimeoutError("slow"), "nonsense", '{"facts": 1}'])
def test_an_outage_or_a_broken_answer_leaves_the_messages_pending(
    world: World, trouble: str | Exception
) -> None:
    store = world.store()
    tell(store, begin(store), TEA)

    failed = read_waiting(store, Scripted(trouble))
    waits = to_review(store).pending
    later = read_waiting(store, Scripted(answer([fact()])))

    assert (failed.read, failed.pending, failed.decisions) == (0, 1, ())
    assert failed.failure
    assert [one.text for one in waits] == [TEA]
    assert waits[0].failure.startswith("still pending: ")
    assert (later.read, later.pending) == (1, 0)
    assert [one.value for one in Facts(store).known()] == ["tea"]


def test_an_outage_ends_the_run_and_costs_one_call(world: World) -> None:
    store = world.store()
    for _ in range(3):
        tell(store, begin(store), TEA)
    model = Scripted(Down("503"))

    failed = read_waiting(store, model)

    assert (len(model.prompts), failed.pending) == (1, 3)


def test_a_message_is_read_once(world: World) -> None:
    store = world.store()
    tell(store, begin(store), TEA)
    model = Scripted(answer([fact()]))

    first, second = read_waiting(store, model), read_waiting(store, model)

    assert (first.read, second.read, len(model.prompts)) == (1, 0, 1)


def test_a_rejected_fact_is_an_event_with_its_reason(world: World) -> None:
    store = world.store()
    tell(store, begin(store), TEA)

    done = read_waiting(store, Scripted(answer([fact("m7")])))

    with store.read() as connection:
        notes = [one for one in events.of_user(connection, "alice") if one.kind == REFUSED]
    assert [one.reason for one in notes] == [one.reason for one in done.decisions]
    assert "not offered" in notes[0].reason
    assert Facts(store).known() == []


def test_nobody_elses_messages_are_read(world: World) -> None:
    alice, bob = world.store(), world.store("bob")
    tell(alice, begin(alice), TEA)
    model = Scripted(answer())

    done = read_waiting(bob, model)

    assert (done.read, model.prompts, due(bob)) == (0, [], False)
    assert due(replace(alice, gate=GateSettings(buffer_idle=timedelta(0))))


def test_a_call_is_due_when_the_buffer_is_full_idle_a_new_topic_or_a_wish(world: World) -> None:
    store = world.store()
    session = begin(store)
    assert not due(store)

    tell(store, session, TEA)
    assert not due(store)
    assert due(replace(store, gate=GateSettings(buffer_tokens=5)))

    world.clock.pass_(minutes=11)
    assert due(store)

    read_waiting(store, Scripted(answer()))
    tell(store, session, "please remember that I like tea")
    assert due(store)

    read_waiting(store, Scripted(answer()))
    tell(store, session, TEA)
    tell(store, begin(store), TEA)
    assert due(store)


def test_without_a_model_nothing_waits(world: World) -> None:
    store = world.store()
    session = begin(store)

    take_in(store, session, say(store, session, TEA))

    assert to_review(store).pending == ()
