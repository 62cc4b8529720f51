from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.assembler import Assembled, Rendering, assemble
from stratal.context.budget import Budget
from stratal.context.compression.strategies import Overflow
from stratal.context.history import HistoryRules, Past, newest_turns
from stratal.context.ledger import Ledger
from stratal.context.repair import repaired
from stratal.context.request import Request, SystemBlock
from stratal.context.sections import Layout, Parts, Procedure
from stratal.context.turns import turns
from stratal.context.validator import validate
from stratal.errors import ConfigError, ContextBudgetError, InvalidRequest
from stratal.tokens.approximate import OctopusCounter, PicoclawCounter
from stratal.tokens.counter import Counter
from stratal_memory.recall.candidates import Verdict
from stratal_memory.records import Message, Role
from tests.platform.context.making import (
    BARE,
    Words,
    assistant,
    block,
    candidate,
    everything,
    histories,
    rounds,
    some_parts,
    spoken,
    tool,
    user,
)

ROOMY = Budget(window=1_000, output_reserve=100, min_history=0)
FIFO = HistoryRules(overflow=Overflow.FIFO)
PAST = [user("one two three"), assistant("four"), user("five"), assistant("six")]


def built(
    parts: Parts = BARE,
    history: list[Message] | None = None,
    *,
    message: str = "go",
    tail: list[Message] | None = None,
    budget: Budget = ROOMY,
    layout: Layout = Layout.CACHE_FRIENDLY,
    rules: HistoryRules = FIFO,
) -> Assembled:
    return assemble(
        parts,
        Past(turns=newest_turns(history or []), rules=rules),
        user(message),
        tail=tail or [],
        budget=budget,
        counter=Words(),
        rendering=Rendering(model="m", layout=layout),
    )


def shape(messages: tuple[Message, ...]) -> list[tuple[str, ...]]:
    """Everything but the text of tool results, which may be shortened."""
    return [(one.role, one.text if one.role != Role.TOOL else one.tool_call_id) for one in messages]


def granted(ledger: Ledger) -> dict[str, int]:
    return {one.name: one.granted for one in ledger.sections}


def tight(room: int, *, min_history: int = 0) -> Budget:
    """Ten tokens for the answer and `room` for the input."""
    return Budget(window=room + 10, output_reserve=10, min_history=min_history)


def test_the_default_layout_keeps_what_changes_beside_the_message() -> None:  # covers Cs5
    result = built(everything(), PAST)

    assert spoken(result.request) == [
        ("system", "you are brief"),
        ("system", "name: Alice\nhome: Ghent"),
        (
            "context",
            "[Summary of the earlier conversation: approximate, for reference only]\n"
            "they spoke of leave",
        ),
        ("user", "one two three"),
        ("assistant", "four"),
        ("user", "five"),
        ("assistant", "six"),
        (
            "context",
            "[Procedure: onboard]\n1 ask\n2 write\n\n"
            "<memories>\nlikes tea\nhas a cat\n</memories>\n\n"
            "<knowledge>\nleave is thirty days\nthe office opens at nine\n</knowledge>\n\n"
            "<episodes>\nasked about leave\nasked about the office\n</episodes>\n\n"
            "today is Friday",
        ),
        ("user", "go"),
    ]


def test_cache_marks_end_the_prompt_the_profile_and_the_history() -> None:  # covers C12
    result = built(everything(), PAST).request

    assert [one.cached for one in result.system] == [True, True]
    assert [result.messages[mark].text for mark in result.cached_messages] == ["six"]


def test_only_the_last_static_block_carries_a_mark() -> None:  # covers Z24
    parts = replace(BARE, system=tuple(SystemBlock(text=text, cached=True) for text in "abc"))

    assert [one.cached for one in built(parts).request.system] == [False, False, True]


def test_without_history_the_summary_ends_the_prefix() -> None:
    assert built(everything()).request.cached_messages == (0,)
    assert built(BARE).request.cached_messages == ()


def test_octopus_order_and_formats_are_exact() -> None:  # covers O1, O2, O3, O4, O5
    parts = replace(
        BARE,
        procedure=Procedure(name="vendor_onboarding", text="Follow these steps."),
        blocks=(block("knowledge", "thirty days"), block("episodes", "asked\nabout leave")),
    )

    result = built(parts, PAST[2:], layout=Layout.OCTOPUS)

    assert spoken(result.request) == [
        ("system", "you are brief"),
        ("system", "[Procedure: vendor_onboarding]\nFollow these steps."),
        ("context", "[Retrieved Knowledge]\nSource: source of knowledge1\nthirty days"),
        ("context", "[Past Conversation Context]\n2025-03-14: asked about leave"),
        ("user", "five"),
        ("assistant", "six"),
        ("user", "go"),
    ]


def test_octopus_has_no_empty_sections() -> None:  # covers O3
    assert spoken(built(layout=Layout.OCTOPUS).request) == [
        ("system", "you are brief"),
        ("user", "go"),
    ]


def test_octopus_has_a_place_for_what_its_document_does_not_name() -> None:
    result = built(everything(), PAST[2:], layout=Layout.OCTOPUS)

    assert [text.split()[0] for _, text in spoken(result.request)] == [
        "you", "name:", "today", "[Procedure:", "[Retrieved", "[Past", "<memories>", "[Summary",
        "five", "six", "go",
    ]  # fmt: skip


def test_the_prefix_stays_byte_identical_over_fifty_turns() -> None:
    history: list[Message] = []
    before: list[tuple[str, str]] = []
    budget = Budget(window=20_000, output_reserve=100)

    for number in range(50):
        parts = replace(
            everything(),
            blocks=(block("memories", f"fact {number}"), block("knowledge", f"page {number}")),
            now=f"minute {number}",
        )
        request = built(parts, history, message=f"question {number}", budget=budget).request
        prefix = spoken(request)[: len(request.system) + 1 + len(history)]
        assert prefix[: len(before)] == before
        assert len(prefix) == 3 + len(history)
        before = prefix
        history += [
            user(f"question {number}"),
            assistant("", f"c{number}"),
            tool("found", f"c{number}"),
            assistant(f"answer {number}"),
        ]


def test_history_is_cut_at_the_oldest_turn_and_whole() -> None:  # covers O21, O22, P12
    result = built(BARE, PAST, budget=tight(3 + 2 + 1))

    assert [text for _, text in spoken(result.request)] == ["you are brief", "five", "six", "go"]


def test_a_history_that_fits_exactly_is_whole() -> None:
    assert len(built(BARE, PAST, budget=tight(3 + 6 + 1)).request.messages) == 5
    assert len(built(BARE, PAST, budget=tight(3 + 6)).request.messages) == 3


def test_a_turn_that_does_not_fit_hides_the_older_ones_too() -> None:
    history = [user("small"), user("a much larger turn than the room"), user("last")]

    result = built(BARE, history, budget=tight(3 + 1 + 2))

    assert [text for _, text in spoken(result.request)] == ["you are brief", "last", "go"]
    assert result.ledger.left_out[0].what == "history: 1 messages and all before"
    assert result.ledger.left_out[0].tokens == 7


class Watched(list[Message]):
    """A history that knows how far back it was read."""

    oldest_read = 10**9

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        start = index.start if isinstance(index, slice) else index
        self.oldest_read = min(self.oldest_read, start)
        return super().__getitem__(index)


def test_history_that_cannot_fit_is_not_read() -> None:
    history = Watched(PAST * 1_000)

    result = built(BARE, history, budget=tight(3 + 6 + 1))

    assert len(result.request.messages) == 5
    # The two turns that fit, the next one, and whether there are more.
    assert history.oldest_read == len(history) - 8


def test_a_history_without_its_beginning_is_not_sent() -> None:
    result = built(BARE, [tool("lost", "1"), assistant("half"), *PAST[2:]])

    assert [message.text for message in result.request.messages] == ["five", "six", "go"]
    assert "beginning is missing" in result.ledger.left_out[0].reason


def test_a_system_message_in_the_history_is_refused() -> None:  # covers P7, P8
    for role in (Role.SYSTEM, Role.CONTEXT):
        with pytest.raises(InvalidRequest, match="history"):
            built(BARE, [user("a"), Message(role=role, text="b")])


def test_sections_shrink_in_the_declared_order() -> None:  # covers O23
    parts = replace(everything(), profile="", summary="", now="", tools=())
    whole = built(parts).ledger.used

    gone = []
    for room in range(whole, 3, -1):
        ledger = built(parts, budget=tight(room)).ledger
        assert ledger.used <= room
        out = [one.memory for one in ledger.candidates if one.reason.startswith("no room")]
        lost = [one.what for one in ledger.left_out]
        gone.append([*sorted(out), *lost])

    order = [now for before, now in pairwise(gone) if now != before]
    assert order == [
        ["episodes2"],
        ["episodes1", "episodes2"],
        ["episodes1", "episodes2", "memories2"],
        ["episodes1", "episodes2", "memories1", "memories2"],
        ["episodes1", "episodes2", "knowledge2", "memories1", "memories2"],
        ["episodes1", "episodes2", "knowledge1", "knowledge2", "memories1", "memories2"],
        ["episodes1", "episodes2", "knowledge1", "knowledge2", "memories1", "memories2",
         "procedure"],
    ]  # fmt: skip


def test_a_procedure_is_whole_or_absent() -> None:  # covers O23
    parts = replace(BARE, procedure=Procedure(name="p", text="one two three four"))

    whole = built(parts, budget=replace(ROOMY, procedure=4)).request.messages[0].text
    over = built(parts, budget=replace(ROOMY, procedure=3))

    assert whole == "[Procedure: p]\none two three four"
    assert [message.text for message in over.request.messages] == ["go"]
    assert over.ledger.left_out[0].reason == "over the cap of 3 tokens; a procedure is never cut"


def test_optional_sections_leave_min_history_to_history() -> None:
    parts = replace(BARE, blocks=(block("knowledge", "a b c", "d e f"),))
    # 3 prompt + 8 knowledge + 1 message; the history of 6 has room only when knowledge shrinks

    generous = built(parts, PAST, budget=tight(13, min_history=0)).ledger
    floored = built(parts, PAST, budget=tight(13, min_history=4)).ledger

    assert (granted(generous)["knowledge"], granted(generous)["history"]) == (8, 0)
    assert (granted(floored)["knowledge"], granted(floored)["history"]) == (5, 2)


def test_a_floor_no_turn_fits_into_is_not_held_back() -> None:
    parts = replace(BARE, blocks=(block("knowledge", "a b c", "d e f"),))

    result = built(parts, [user("one two three four five")], budget=tight(12, min_history=4))

    assert granted(result.ledger)["knowledge"] == 8


def test_min_history_may_pass_the_working_budget_but_not_the_window() -> None:
    budget = Budget(window=30, working_budget=16, output_reserve=10, min_history=6)

    used = built(BARE, PAST, budget=budget).ledger.used

    assert used == 3 + 6 + 1  # the working budget alone would leave 2 for history
    narrow = replace(budget, window=17)
    assert built(BARE, PAST, budget=narrow).ledger.used == 3 + 2 + 1


def test_unused_room_flows_to_history() -> None:  # covers O11, O20
    with_recall = built(everything(), PAST * 10, budget=tight(100)).ledger
    without = built(BARE, PAST * 10, budget=tight(100)).ledger

    assert granted(with_recall)["history"] < granted(without)["history"] == 60


def test_the_message_alone_over_the_window_is_an_error_and_no_request() -> None:
    with pytest.raises(ContextBudgetError) as caught:
        built(everything(), PAST, message="word " * 50, budget=tight(40))

    error = caught.value
    assert (error.fixed, error.reserve, error.window) == (3 + 3 + 50, 10, 50)
    assert error.hint


def test_max_input_counts_too() -> None:
    budget = Budget(window=1_000, output_reserve=100, max_input=6, min_history=0)

    assert built(BARE, PAST, budget=budget).ledger.used == 6


def test_caps_drop_whole_items_from_the_worst() -> None:  # covers O20, Z5, Z10, Z11
    parts = replace(
        BARE,
        blocks=(
            block("memories", *["fact"] * 6),
            block("knowledge", "a b c", "d e f"),
            block("episodes", "a b c", "d e f"),
        ),
    )

    ledger = built(parts, budget=replace(ROOMY, knowledge=5, episodes=4)).ledger

    reasons = {one.memory: one.reason for one in ledger.candidates if one.verdict == Verdict.OUT}
    assert reasons == {
        "memories6": "over the cap of 5 items",
        "knowledge2": "over the cap of 5 tokens",
        "episodes1": "over the cap of 4 tokens",
        "episodes2": "over the cap of 4 tokens",
    }


def test_memories_are_capped_by_characters_as_formatted() -> None:  # covers Z5, Z11
    parts = replace(BARE, blocks=(block("memories", "x" * 30, "y" * 30),))

    ledger = built(parts, budget=replace(ROOMY, memory_chars=80)).ledger

    assert [one.verdict for one in ledger.candidates] == [Verdict.IN, Verdict.OUT]
    assert ledger.candidates[1].reason == "over the cap of 80 characters"


def test_a_profile_over_its_cap_keeps_whole_lines() -> None:  # covers Z4
    parts = replace(BARE, profile="name: Alice\nhome: Ghent\njob: baker")

    result = built(parts, budget=replace(ROOMY, profile=5))

    assert result.request.system[1].text == "name: Alice\nhome: Ghent"
    assert result.ledger.left_out[0].reason == "over the cap of 5 tokens"


def test_recalled_items_that_made_it_come_best_first() -> None:
    request = built(everything()).request

    assert [one.memory for one in request.recalled] == [
        "memories1", "knowledge1", "episodes1", "memories2", "knowledge2", "episodes2",
    ]  # fmt: skip
    first = request.recalled[0]
    assert (first.text, first.source, first.date) == (
        "likes tea",
        "source of memories1",
        "2025-03-14",
    )


def test_the_tool_loop_follows_the_message() -> None:
    loop = [assistant("", "1"), tool("found", "1")]

    result = built(everything(), PAST, tail=loop).request

    assert result.messages[-3:] == (user("go"), *loop)
    assert [result.messages[mark].text for mark in result.cached_messages] == ["six", "found"]


def test_an_old_tool_result_is_shortened_in_sight_and_only_in_the_view() -> None:
    long = "word " * 400
    loop = [assistant("", "1"), tool(long, "1"), assistant("", "2"), tool("short", "2")]

    result = built(BARE, PAST, tail=loop, budget=tight(150))

    shown = result.request.messages[-3].text
    assert "shortened to" in shown
    assert "of 2,000 characters" in shown
    assert result.request.messages[-1].text == "short"
    assert loop[1].text == long
    assert result.ledger.left_out[-1].what == "part of tool result 1"
    assert result.ledger.used <= 150


def test_shortening_leaves_room_for_what_was_recalled() -> None:
    loop = [assistant("", "1"), tool("word " * 12_000, "1")]

    result = built(everything(), PAST * 50, tail=loop, budget=tight(8_000))

    assert len(result.request.recalled) == 6
    assert 4_000 < result.ledger.used <= 8_000


def test_a_loop_that_cannot_be_shortened_enough_is_an_error() -> None:
    calls = [str(number) for number in range(200)]
    loop = [assistant("", *calls), *(tool("ok", call) for call in calls)]

    with pytest.raises(ContextBudgetError):
        built(BARE, tail=loop, budget=tight(100))


def test_two_blocks_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidRequest):
        Parts(system=(), blocks=(block("memories", "a"), block("memories", "b")))
    with pytest.raises(InvalidRequest):
        Parts(system=(), blocks=(block("thoughts", "a"),))


def test_a_rejected_candidate_stands_in_the_ledger_with_its_reason() -> None:
    rejected = candidate("far", "plays chess").out("below the gate (0.10 < 0.30)")

    ledger = built(replace(BARE, rejected=(rejected,))).ledger

    assert ledger.candidates[0].reason == "below the gate (0.10 < 0.30)"
    assert ledger.candidates[0].tokens == 2


def fits(request: Request, counter: Counter, budget: Budget) -> bool:
    system = [Message(role=Role.SYSTEM, text=one.text) for one in request.system]
    used = counter.count_messages([*system, *request.messages])
    used += counter.count_tools(request.tools)
    limit = budget.max_input if budget.max_input is not None else used
    return used + request.max_output <= budget.window and used <= limit


BUDGETS = st.builds(
    lambda window, share, most, reserve, floor: Budget(
        window=reserve + 1 + window,
        working_budget=reserve + 1 + window * share // 4,
        max_input=most,
        output_reserve=reserve,
        min_history=floor,
    ),
    st.integers(0, 400),
    st.integers(1, 4),
    st.none() | st.integers(0, 300),
    st.integers(1, 50),
    st.integers(0, 100),
)


@settings(max_examples=300, deadline=None)
@given(
    some_parts(),
    histories(),
    rounds(prefix="now"),
    BUDGETS,
    st.sampled_from([Words(), OctopusCounter(), PicoclawCounter()]),
    st.sampled_from(Layout),
    st.integers(1, 60),
    st.builds(
        HistoryRules,
        overflow=st.sampled_from(Overflow),
        share=st.floats(0.1, 0.6),
        sliding_turns=st.none() | st.integers(1, 3),
        max_messages=st.none() | st.integers(1, 9),
    ),
)
def test_no_request_is_ever_too_large_or_malformed(
    parts: Parts,
    history: list[Message],
    loop: list[Message],
    budget: Budget,
    counter: Counter,
    layout: Layout,
    words: int,
    rules: HistoryRules,
) -> None:  # covers O21, O22, P2, P12, P35, P36
    message, stored = user("now " * words), list(history)

    def attempt() -> Assembled | ContextBudgetError:
        try:
            past = Past(turns=newest_turns(history), rules=rules)
            return assemble(
                parts, past, message, tail=loop, budget=budget, counter=counter,
                rendering=Rendering(model="m", layout=layout),
            )  # fmt: skip
        except ContextBudgetError as error:
            return error

    result = attempt()

    if isinstance(result, ContextBudgetError):
        assert result.fixed + result.reserve > result.window
        return
    request = result.request
    assert fits(request, counter, budget)
    ledger = result.ledger
    assert ledger.used == sum(one.granted for one in ledger.sections)
    assert ledger.used == counter.count_tools(parts.tools) + sum(
        line.tokens for line in ledger.messages
    )
    validate(request, provider="offline")
    users = [one for one in request.messages if one.role == Role.USER]
    assert users[-1] == message
    sent = [one for one in request.messages if one.role != Role.CONTEXT]
    earlier = tuple(sent[: sent.index(message)])
    whole = [repaired(turn) for turn in turns(history) if turn[0].role == Role.USER]
    suffixes = [shape(sum(whole[start:], ())) for start in range(len(whole) + 1)]
    assert shape(earlier) in suffixes
    assert history == stored


def test_a_window_smaller_than_the_reserve_is_refused_before() -> None:
    with pytest.raises(ConfigError):
        Budget(window=10, output_reserve=10)
