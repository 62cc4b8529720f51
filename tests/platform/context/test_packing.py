import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.ledger import Ledger
from stratal.context.packing import INLINE, Packed, pack
from stratal.context.unpacking import unpack
from stratal.errors import InputError
from stratal_memory.records import Role
from stratal_memory.text import content_hash
from tests.platform.context.ledgers import LEDGERS, a_ledger, line, talked, turn

LONG = "the quick brown fox jumps over the lazy dog " * 3
INNER = st.integers(0, 6).map(lambda n: f"{LONG}{n}")


class Shelf:
    """Kept texts, and how often somebody asked for some."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.asked = 0

    def __call__(self, digests: Collection[str]) -> dict[str, str]:
        self.asked += 1
        return {digest: self.texts[digest] for digest in digests if digest in self.texts}


def back(packed: Packed) -> Ledger:
    return unpack(packed.json, Shelf(packed.texts))


@settings(deadline=None)
@given(LEDGERS)
def test_what_is_packed_comes_back_equal(ledger: Ledger) -> None:
    assert back(pack(ledger)) == ledger


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(Role), INNER, st.booleans()), max_size=40))
def test_any_order_of_long_messages_comes_back_equal(lines: list[tuple[Role, str, bool]]) -> None:
    made = (line(role, text, tokens=7, cached=cached) for role, text, cached in lines)
    ledger = a_ledger(messages=tuple(made))

    assert back(pack(ledger)) == ledger


def test_a_ledger_replays_to_the_same_request_after_packing() -> None:
    ledger = talked(30)

    assert ledger.request_digest
    assert back(pack(ledger)).replay() == ledger.request()


def test_texts_are_kept_by_the_hash_messages_are_kept_by() -> None:
    packed = pack(a_ledger(messages=(line(Role.USER, LONG),)))

    assert packed.texts[content_hash(LONG)] == LONG
    assert all(content_hash(text) == digest for digest, text in packed.texts.items())
    assert LONG not in packed.json


def test_short_texts_stand_in_the_json() -> None:
    at_edge, over = "x" * INLINE, "y" * (INLINE + 1)

    texts = pack(a_ledger(model=at_edge, messages=(line(Role.USER, over),))).texts

    assert over in texts.values()
    assert at_edge not in texts.values()


def test_a_text_that_looks_like_a_digest_is_a_text() -> None:
    hostile = "#" + content_hash(LONG)
    ledger = a_ledger(
        model="#1", messages=(line(Role.USER, hostile), line(Role.TOOL, "#"), line(Role.USER, LONG))
    )

    assert back(pack(ledger)) == ledger


def test_texts_are_asked_for_twice_at_most() -> None:
    packed = pack(talked(60))
    shelf = Shelf(packed.texts)

    unpack(packed.json, shelf)

    assert shelf.asked == 2


def test_a_turn_that_stays_in_the_history_costs_next_to_nothing() -> None:
    kept = dict[str, str]()
    grown: list[int] = []
    for turns in range(1, 121):
        packed = pack(talked(turns))
        said = sum(len(one.text) for one in (*turn(turns), *talked(turns).messages[-2:-1]))
        new = {digest: text for digest, text in packed.texts.items() if digest not in kept}
        kept |= new
        grown.append(len(packed.json) + sum(map(len, new.values())) - said)

    assert sum(grown[100:]) / 20 < 4_000
    assert sum(grown[100:]) < sum(grown[20:40]) * 1.2  # it does not grow with the history


def test_the_same_turns_make_the_same_runs_wherever_the_history_begins() -> None:
    whole, cut = pack(talked(100)), pack(talked(100, first=30))

    unknown = cut.texts.keys() - whole.texts.keys()

    assert len(unknown) <= 2  # the run the cut went through, and its tokens


def test_a_calibrated_count_changes_no_kept_message() -> None:
    ledger = talked(40)
    other = replace(
        ledger, messages=tuple(replace(one, tokens=one.tokens + 1) for one in ledger.messages)
    )

    new = pack(other).texts.keys() - pack(ledger).texts.keys()

    assert {text for digest, text in pack(other).texts.items() if digest in new} <= {
        text for text in pack(other).texts.values() if text.replace(" ", "").isdecimal()
    }
    assert back(pack(other)) == other


def erase(packed: Packed, gone: Callable[[str], bool]) -> Shelf:
    return Shelf({digest: text for digest, text in packed.texts.items() if not gone(text)})


@pytest.mark.parametrize(
    ("gone", "part"),
    [
        (lambda text: text == "question 3 " * 20, r"message \d+ \(user\)"),
        (lambda text: text.startswith('[{"role":"user"'), r"message \d+ and what follows"),
        (lambda text: "the tool" in text, "the tools"),
        (lambda text: text.startswith("remembered 1 "), "candidate 1"),
        (lambda text: True, "the text of"),
    ],
)
def test_a_text_that_is_gone_is_told_by_its_part(gone: Callable[[str], bool], part: str) -> None:
    packed = pack(talked(20))

    with pytest.raises(InputError, match=part) as caught:
        unpack(packed.json, erase(packed, gone))

    assert "erased" in str(caught.value)


def test_a_whole_ledger_as_older_versions_stored_it_is_read_too() -> None:
    ledger = talked(3)

    assert unpack(ledger.to_json(), Shelf({})) == ledger


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"packed": 1}',
        '{"packed": 2}',
        '{"packed": 1, "tools": "[]", "messages": [["[]"]], "candidates": []}',
        '{"packed": 1, "tools": "[]", "messages": [["[{}]", "1 2"]], "candidates": []}',
        '{"packed": 1, "tools": "[]", "messages": [["[1]", "1"]], "candidates": [], "cached": []}',
        '{"packed": 1, "tools": "{}", "messages": [], "candidates": [], "cached": []}',
        '{"packed": 1, "tools": {"a": ["#"]}, "messages": [], "candidates": []}',
        "[" * 100_000,
    ],
)
def test_what_is_no_packed_ledger_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        unpack(text, Shelf({}))


@settings(deadline=None)
@given(st.data())
def test_a_damaged_text_is_refused_or_read_but_never_a_crash(data: st.DataObject) -> None:
    packed = pack(talked(4))
    digest = data.draw(st.sampled_from(sorted(packed.texts)))
    texts = {
        **packed.texts,
        digest: data.draw(st.sampled_from(["", "[]", "{", "[[]]", "[{}]", "7"])),
    }

    with suppress(InputError):
        assert isinstance(unpack(packed.json, Shelf(texts)), Ledger)


def test_the_json_says_its_form() -> None:
    assert json.loads(pack(a_ledger()).json)["packed"] == 1
