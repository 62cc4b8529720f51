"""Some of the 100,000 conversations of `make bench`, in every test run."""

import pytest

from stratal_memory.records import Message, Role
from tests.platform.context import referee
from tests.platform.context.driving import Tally, drive
from tests.platform.context.generated import conversation
from tests.platform.context.making import assistant, tool, user
from tests.platform.context.test_assembler import built

EACH = 250
PARTS = 6


@pytest.mark.parametrize("part", range(PARTS))
def test_no_conversation_is_sent_too_large_torn_or_changed(part: int) -> None:
    # covers O21, O22, P12, P15, P22, P25, P36, P37, P38, P40, Z16
    found = drive(range(part * EACH, (part + 1) * EACH))

    assert found.examples == []
    assert found.faults == 0
    assert found.histories == EACH
    assert found.worst_fill <= 1


def test_what_is_generated_is_what_conversations_meet() -> None:
    """Or nothing would be proven."""
    turns = [said for seed in range(400) for said in conversation(seed)]
    rounds = [one for said in turns for one in said.rounds]
    results = [len(one.text) for each in rounds for one in each.results]

    assert min(said.setup.budget.window for said in turns) < 400
    assert max(results) > 100_000
    assert any(len(each.asked.tool_calls) > 2 for each in rounds)
    assert any(len(each.results) < len(each.asked.tool_calls) for each in rounds)
    assert any(len(each.results) > len(each.asked.tool_calls) for each in rounds)
    assert any(said.message.media for said in turns)
    assert any(said.answer is None for said in turns)
    assert any(said.answer and not said.answer.text.strip() for said in turns)
    assert any(said.overflows for said in turns)
    assert len({said.setup.layout for said in turns}) == 4
    assert len({said.setup.counter.name for said in turns}) == 5


def test_the_same_seed_makes_the_same_conversation() -> None:
    assert list(conversation(7)) == list(conversation(7))


def test_the_cut_moves_and_turns_are_refused_or_nothing_would_be_proven() -> None:
    found = drive(range(100))

    assert found.moves > 50
    assert found.refused > 10
    assert found.worst_fill > 0.95


def test_tallies_add_up() -> None:
    one, other = Tally(histories=1, overruns=2, worst_fill=0.5), Tally(histories=2, worst_fill=0.9)

    one.add(other)

    assert (one.histories, one.overruns, one.faults, one.worst_fill) == (3, 2, 2, 0.9)


BAD = {
    "a call without its result": [assistant("", "1"), user("go")],
    "a result without its call": [tool("found", "1"), user("go")],
    "results in another order": [assistant("", "1", "2"), tool("b", "2"), tool("a", "1")],
    "a result twice": [assistant("", "1"), tool("a", "1"), tool("a", "1")],
    "a call twice": [*[assistant("", "1"), tool("a", "1")] * 2],
    "an answer at the end": [assistant("done")],
    "an empty message": [user(" "), assistant("done"), user("go")],
}


@pytest.mark.parametrize("messages", BAD.values(), ids=BAD)
def test_the_referee_sees(messages: list[Message]) -> None:
    request = built(history=[]).request
    bad = type(request)(
        model="m", system=request.system, messages=(user("first"), *messages), tools=()
    )

    assert list(referee.misplaced(bad))


def test_the_referee_sees_what_is_missing_altered_or_out_of_order() -> None:
    one, two, three = (
        Message(role=Role.USER, text=text, id=text, seq=row)
        for row, text in enumerate(("one", "two", "three"), 1)
    )
    stored = [[one], [two], [three]]
    request = built().request

    def sent(*messages: Message) -> list[str]:
        made = type(request)(model="m", system=(), messages=messages)
        return list(referee.misremembered(made, stored))

    assert sent(one, two, three) == sent(two, three) == sent(three) == []
    assert sent(one, three)
    assert sent(two, one, three)
    assert sent(two, two, three)
    assert sent(two, Message(role=Role.USER, text="3", id="three"))
