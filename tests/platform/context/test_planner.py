from collections.abc import Sequence
from dataclasses import replace

import pytest

from stratal.context.budget import Budget
from stratal.context.history import HistoryRules, Past, newest_turns
from stratal.context.planner import Plan, plan
from stratal.context.sections import Layout, Parts
from stratal.errors import ContextBudgetError
from stratal_memory.records import Media, Message
from tests.platform.context.making import BARE, Words, assistant, block, tool, user

TIGHT = Budget(window=110, output_reserve=10, min_history=0)  # 100 for the input, 3 for BARE
CALLS = [str(number) for number in range(120)]
LOOP = [assistant("", *CALLS), *(tool("ok", call) for call in CALLS)]  # nothing to shorten in it


def planned(
    *turn: Message,
    parts: Parts = BARE,
    history: Sequence[Message] = (),
    budget: Budget = TIGHT,
    rules: HistoryRules | None = None,
) -> Plan:
    return plan(
        parts,
        Past(turns=newest_turns(history), rules=rules or HistoryRules()),
        turn or (user("go"),),
        budget=budget,
        counter=Words(),
        layout=Layout.CACHE_FRIENDLY,
    )


def test_a_tool_loop_that_can_not_be_shortened_enough_is_refused() -> None:  # covers Ps4
    with pytest.raises(ContextBudgetError):
        planned(user("go"), *LOOP)


def test_or_only_its_message_is_kept_where_the_rules_say_so() -> None:  # covers P25
    made = planned(user("go"), *LOOP, rules=HistoryRules(keep_last_user=True))

    assert made.tail == ()
    assert (made.shortened[0].call, made.shortened[0].tokens) == ("0", 240)
    assert made.shortened[0].reason.endswith("only its message was sent")


def test_the_last_resort_is_not_taken_while_shortening_is_enough() -> None:  # covers P25
    loop = [assistant("", "1"), tool("word " * 500, "1")]

    made = planned(user("go"), *loop, rules=HistoryRules(keep_last_user=True))

    assert len(made.tail) == 2
    assert "expand_result" in made.tail[1].text


def test_a_message_alone_over_the_window_is_refused_all_the_same() -> None:  # covers P25
    with pytest.raises(ContextBudgetError):
        planned(user("word " * 98), *LOOP, rules=HistoryRules(keep_last_user=True))


def test_a_tool_loop_that_is_shortened_keeps_its_pictures() -> None:  # covers P41
    picture = Media(source="https://example.org/a.png")
    loop = [assistant("", "1"), replace(tool("word " * 500, "1"), media=(picture,))]

    assert planned(user("go"), *loop).tail[1].media == (picture,)


def history(turns: int) -> list[Message]:
    """Turns of ten words each."""
    return [replace(user("word " * 10), seq=row) for row in range(1, turns + 1)]


def test_history_is_cut_above_the_share_of_the_window_it_may_fill() -> None:  # covers C9, C10
    fifty = replace(TIGHT, compress_at=0.5)  # of 110: 55, of which 4 are taken

    assert planned(history=history(5), budget=fifty).history.tokens == 50
    assert planned(history=history(6), budget=fifty).history.tokens <= 51 * 0.7


def test_the_margin_and_what_the_provider_adds_are_held_back() -> None:  # covers P40
    budget = replace(TIGHT, margin=0.1, overhead=15)

    made = planned(history=history(20), budget=budget)

    used = 3 + 1 + made.history.tokens
    assert (used + 15) * 1.1 <= 100
    assert planned(history=history(7), budget=budget).history.tokens == 70


def test_a_margin_may_make_a_message_too_long() -> None:
    message = user("word " * 95)

    assert planned(message).history.tokens == 0
    with pytest.raises(ContextBudgetError):
        planned(message, budget=replace(TIGHT, margin=0.05))
    with pytest.raises(ContextBudgetError):
        planned(message, budget=replace(TIGHT, overhead=3))


def test_optional_sections_leave_history_the_turns_it_demands() -> None:  # covers Os5
    parts = replace(BARE, blocks=(block("knowledge", "word " * 40, "word " * 40),))

    made = planned(parts=parts, history=history(9), rules=HistoryRules(min_turns=3))

    assert made.history.tokens >= 30
    assert len(made.parts.blocks[0].items) == 1


def test_what_does_not_fit_is_told_with_the_window_and_what_is_held_back() -> None:  # covers P40
    with pytest.raises(ContextBudgetError) as caught:
        planned(user("word " * 95), budget=replace(TIGHT, margin=0.25))

    error = caught.value
    assert (error.fixed, error.reserve, error.window, error.margin) == (98, 10, 110, 20)
    assert "98 tokens" in str(error)
    assert "the window has 110, of which 20 are held back" in str(error)


def test_nothing_is_said_of_a_margin_where_none_is_held_back() -> None:
    with pytest.raises(ContextBudgetError, match=r"the window has 60$") as caught:
        planned(user("word " * 95), budget=replace(TIGHT, max_input=50))

    assert (caught.value.window, caught.value.margin) == (60, 0)


def test_a_bill_below_the_count_is_no_room() -> None:  # covers P40
    cheap = replace(TIGHT, overhead=-50)

    with pytest.raises(ContextBudgetError):
        planned(user("word " * 98), budget=cheap)
    assert planned(history=history(20), budget=cheap).history.tokens <= 96
