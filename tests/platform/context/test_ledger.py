import json
from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.assembler import assemble
from stratal.context.budget import Budget
from stratal.context.ledger import Considered, Ledger, LeftOut, Line, Section
from stratal.context.request import ToolSpec
from stratal.context.sections import Layout, Parts
from stratal.context.usage import Band
from stratal.errors import InputError
from stratal_memory.recall.candidates import Parts as ScoreParts
from stratal_memory.recall.candidates import Verdict
from stratal_memory.records import Message, Role, ToolCall
from tests.platform.context.making import (
    Words,
    assistant,
    everything,
    histories,
    some_parts,
    tool,
    user,
)

# Every Unicode string, lone surrogates and NUL included.
TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
TOKENS = st.integers(0, 10**6)
SHARE = st.floats(0, 1)
LINES = st.builds(
    Line,
    role=st.sampled_from(Role),
    text=TEXT,
    tokens=TOKENS,
    cached=st.booleans(),
    id=TEXT,
    tool_calls=st.lists(st.builds(ToolCall, id=TEXT, name=TEXT, arguments=TEXT), max_size=2).map(
        tuple
    ),
    tool_call_id=TEXT,
    tool_failed=st.booleans(),
    reasoning=TEXT,
    media=st.lists(TEXT, max_size=2).map(tuple),
    created=st.none() | st.datetimes(timezones=st.just(UTC)),
)
LEDGERS = st.builds(
    Ledger,
    window=TOKENS,
    used=TOKENS,
    reserve=TOKENS,
    band=st.sampled_from(Band),
    sections=st.lists(
        st.builds(Section, name=TEXT, asked=TOKENS, granted=TOKENS, cap=st.none() | TOKENS),
        max_size=2,
    ).map(tuple),
    candidates=st.lists(
        st.builds(
            Considered,
            memory=TEXT,
            kind=TEXT,
            tokens=TOKENS,
            score=SHARE,
            parts=st.builds(ScoreParts, similarity=SHARE, confidence=SHARE, scope=SHARE),
            verdict=st.sampled_from(Verdict),
            reason=TEXT,
            text=TEXT,
            source=TEXT,
            form=TEXT,
            date=TEXT,
        ),
        max_size=2,
    ).map(tuple),
    messages=st.lists(LINES, max_size=3).map(tuple),
    left_out=st.lists(st.builds(LeftOut, what=TEXT, tokens=TOKENS, reason=TEXT), max_size=2).map(
        tuple
    ),
    tools=st.lists(st.builds(ToolSpec, name=TEXT, description=TEXT, schema=TEXT), max_size=2).map(
        tuple
    ),
    model=TEXT,
    counter=TEXT,
    exact=st.booleans(),
)
HISTORY = [user("one two"), assistant("", "1"), tool("found", "1"), assistant("three")]


def ledger_of(parts: Parts, history: list[Message], *, window: int = 200) -> Ledger:
    return assemble(
        parts,
        history,
        user("go"),
        budget=Budget(window=window, output_reserve=50, min_history=0),
        counter=Words(),
        layout=Layout.CACHE_FRIENDLY,
        model="m",
    ).ledger


@settings(deadline=None)
@given(LEDGERS)
def test_a_stored_ledger_is_the_ledger(ledger: Ledger) -> None:
    assert Ledger.from_json(ledger.to_json()) == ledger


@settings(deadline=None)
@given(some_parts(), histories(), st.sampled_from(Layout))
def test_a_stored_ledger_replays_to_the_same_request(
    parts: Parts, history: list[Message], layout: Layout
) -> None:
    budget = Budget(window=400, output_reserve=50, min_history=20)
    built = assemble(
        parts, history, user("go"), budget=budget, counter=Words(), layout=layout, model="m"
    )

    assert Ledger.from_json(built.ledger.to_json()).request() == built.request


def test_the_shape_is_the_documented_one() -> None:
    shape = json.loads(ledger_of(everything(), HISTORY).to_json())

    assert {"window", "used", "reserve", "band", "sections", "candidates", "messages"} <= set(shape)
    assert {"name", "asked", "granted", "cap"} <= set(shape["sections"][0])
    assert {"memory", "kind", "tokens", "score", "parts", "verdict", "reason"} <= set(
        shape["candidates"][0]
    )
    assert set(shape["candidates"][0]["parts"]) == {"similarity", "confidence", "scope"}
    assert {"role", "text", "tokens"} <= set(shape["messages"][0])
    assert (shape["window"], shape["reserve"], shape["band"]) == (200, 50, "PEAK")
    assert {one["verdict"] for one in shape["candidates"]} == {"in", "out"}


def test_used_is_what_the_messages_and_tools_take() -> None:  # covers Z3, Z25, P1
    ledger = ledger_of(everything(), HISTORY)

    tools = next(one.granted for one in ledger.sections if one.name == "tools")
    assert tools == 3
    assert ledger.used == tools + sum(line.tokens for line in ledger.messages)
    assert ledger.used == sum(one.granted for one in ledger.sections)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"window": 1}', "null"])
def test_what_is_not_a_ledger_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Ledger.from_json(text)


def test_the_table_shows_tokens_verdicts_and_reasons() -> None:  # covers C20
    table = ledger_of(everything(), HISTORY, window=108).table()

    assert "of 108 tokens" in table
    assert "GOOD" in table
    assert "likes tea (rank of memories1)" in table
    assert "plays chess (below the gate (0.10 < 0.30))" in table
    assert "asked about the office (no room left in the window)" in table
    assert "left out: history: 4 oldest messages" in table


def test_the_table_of_an_empty_request_says_so() -> None:
    table = ledger_of(replace(everything(), blocks=(), rejected=()), []).table()

    assert "no memory was considered" in table
