"""200 turns and one tool result larger than the window: shortened, not dropped with the rest."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from stratal.context.assembler import Assembled, Rendering, assemble
from stratal.context.budget import Budget
from stratal.context.compression.results import ResultRules, digest_of
from stratal.context.history import HistoryRules, Past, newest_turns
from stratal.context.validator import validate
from stratal.tokens.auto import auto_counter
from stratal_memory.records import Message
from tests.platform.context import referee
from tests.platform.context.making import assistant, everything, tool, user

COUNTER = auto_counter("claude")
BUDGET = Budget(window=9_000, output_reserve=1_000)  # 8,000 for the input
GIANT = "".join(f"row {number}: forty-two loaves to Ghent\n" for number in range(600))
LOOKED = (user("How many loaves?"), assistant("", "big"), tool(GIANT, "big"))


def talk(*last: Message) -> list[Message]:
    """200 turns, and `last` as they end."""
    said = [
        one
        for number in range(200)
        for one in (user(f"Question {number} about the oven?"), assistant("It is warm. " * 8))
    ]
    return [replace(one, seq=row) for row, one in enumerate((*said, *last), 1)]


def sent(
    history: Sequence[Message], *, rules: HistoryRules, tail: Sequence[Message] = ()
) -> Assembled:
    return assemble(
        everything(),
        Past(turns=newest_turns(history), rules=rules),
        user("And how many to Bruges?"),
        tail=tail,
        budget=BUDGET,
        counter=COUNTER,
        rendering=Rendering(model="m"),
    )


def check(made: Assembled) -> None:
    """It holds, with everything recalled, and the result can be had whole."""
    request = made.request
    validate(request, provider="anthropic")
    assert referee.overrun(request, BUDGET, COUNTER) <= 0
    assert len(request.recalled) == 6
    (shown,) = (one for one in request.messages if one.tool_call_id == "big")
    assert f'expand_result("{digest_of(GIANT)}")' in shown.text
    assert shown.text.startswith("row 0: forty-two")


WHOLE = HistoryRules(results=ResultRules(limit=None, age_after=None))
CAPPED = HistoryRules(results=ResultRules().within(window=9_000, share=0.15))


def test_the_result_alone_is_over_the_window() -> None:
    assert COUNTER.count(GIANT) > 12_000


@pytest.mark.parametrize("rules", [WHOLE, CAPPED])
def test_in_the_tool_loop_it_is_shortened_and_the_history_stays(rules: HistoryRules) -> None:
    made = sent(talk(), rules=rules, tail=LOOKED[1:])

    check(made)
    assert sum(one.text.startswith("Question") for one in made.request.messages) > 25


def test_in_the_history_it_is_shortened_and_the_older_turns_stay() -> None:
    made = sent(talk(*LOOKED, assistant("Forty-two.")), rules=CAPPED)

    check(made)
    assert sum(one.text.startswith("Question") for one in made.request.messages) > 25


def test_in_the_history_it_is_shortened_even_where_nothing_caps_it() -> None:
    made = sent(talk(*LOOKED, assistant("Forty-two.")), rules=WHOLE)

    check(made)
    assert made.ledger.used > 5_000


def test_it_is_not_dropped_with_the_turns_that_follow_it() -> None:
    later = [user("Thanks."), assistant("You are welcome.")] * 3

    check(sent(talk(*LOOKED, assistant("Forty-two."), *later), rules=CAPPED))


def test_the_stored_result_is_whole() -> None:
    history = talk(*LOOKED, assistant("Forty-two."))
    before = list(history)

    sent(history, rules=CAPPED)

    assert history == before
    assert history[402].text == GIANT
