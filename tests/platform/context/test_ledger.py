import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.accounts import COMPONENTS, SECTIONS
from stratal.context.assembler import Rendering, assemble
from stratal.context.budget import Budget
from stratal.context.history import Past, newest_turns
from stratal.context.ledger import Ledger
from stratal.context.packing import pack
from stratal.context.sections import Layout, Parts
from stratal.context.unpacking import unpack
from stratal.errors import InputError
from stratal_memory.records import Message
from tests.platform.context.ledgers import LEDGERS, talked
from tests.platform.context.making import (
    Words,
    assistant,
    everything,
    histories,
    some_parts,
    tool,
    user,
)

HISTORY = [user("one two"), assistant("", "1"), tool("found", "1"), assistant("three")]


def ledger_of(parts: Parts, history: list[Message], *, window: int = 200) -> Ledger:
    return assemble(
        parts,
        Past(turns=newest_turns(history)),
        user("go"),
        budget=Budget(window=window, output_reserve=50, min_history=0),
        counter=Words(),
        rendering=Rendering(model="m"),
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
        parts,
        Past(turns=newest_turns(history)),
        user("go"),
        budget=budget,
        counter=Words(),
        rendering=Rendering(model="m", layout=layout),
    )

    assert Ledger.from_json(built.ledger.to_json()).replay() == built.request
    packed = pack(built.ledger)
    kept = unpack(packed.json, lambda digests: {one: packed.texts[one] for one in digests})
    assert kept == built.ledger
    assert kept.replay() == built.request


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
    overhead = next(one.granted for one in ledger.sections if one.name == "overhead")
    assert ledger.used == tools + overhead + sum(line.tokens for line in ledger.messages)
    assert ledger.used == sum(one.granted for one in ledger.sections)


def test_every_component_zeus_counts_has_its_section() -> None:  # covers Z3
    assert len(COMPONENTS) == 10
    assert {name for names in COMPONENTS.values() for name in names} <= set(SECTIONS)
    shown = [one.name for one in ledger_of(everything(), HISTORY).sections]
    assert shown == list(SECTIONS)


def budgeted(budget: Budget) -> Ledger:
    return assemble(
        everything(),
        Past(),
        user("go"),
        budget=budget,
        counter=Words(),
        rendering=Rendering(model="m", summarize_at=90),
    ).ledger


def test_tokens_the_provider_adds_have_a_section_of_their_own() -> None:  # covers Z3
    budget = Budget(window=200, output_reserve=50, min_history=0)

    without, with_overhead = budgeted(budget), budgeted(replace(budget, overhead=7))

    assert with_overhead.used == without.used + 7
    assert [one.granted for one in with_overhead.sections if one.name == "overhead"] == [7]


def test_the_ledger_says_where_history_is_compressed_and_what_is_held_back() -> None:
    # covers Ps12
    ledger = budgeted(Budget(window=220, output_reserve=20, min_history=0, margin=0.25))

    assert (ledger.compress_at, ledger.margin, ledger.summarize_at) == (160, 40, 90)


def test_how_a_request_is_rendered_is_replayed_too() -> None:
    ledger = replace(
        talked(2), system_joined=True, cached_tools=True, cache_ttl="1h", cache_key="k"
    )

    request = ledger.request()

    assert (request.system_joined, request.cached_tools) == (True, True)
    assert (request.cache_ttl, request.cache_key) == ("1h", "k")


def test_a_request_that_is_not_what_was_sent_is_not_replayed() -> None:
    ledger = talked(3)
    lines = (replace(ledger.messages[0], text="you are rude"), *ledger.messages[1:])

    with pytest.raises(InputError, match=ledger.request_digest):
        replace(ledger, messages=lines).replay()


def test_a_ledger_without_a_digest_is_taken_at_its_word() -> None:
    ledger = replace(talked(3), request_digest="")

    assert ledger.replay() == ledger.request()


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
