from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.errors import InputError
from stratal_memory.learning.rules.extraction import LANGUAGES, extract, unexamined

AT = datetime.fromisoformat("2026-11-20T09:00+01:00")

PIECES = (
    "I live in Lisbon",
    "I like tea, ",
    "my name is ",
    " remember that ",
    "no, actually ",
    "last May ",
    "> ",
    '"',
    "```",
    ". ",
    "?",
    "\n",
    "\x00",
    "\ud800",
    "’",
    "İ",
    "我住在上海",
)


def _texts(message: str) -> list[str]:
    return [found.text for found in extract(message, AT)]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=12))
def test_a_quote_is_always_the_words_of_the_message_at_its_span(pieces: list[str]) -> None:
    message = "".join(pieces)

    for found in extract(message, AT):
        start, end = found.span
        assert found.quote == message[start:end] != ""
        found.text.encode()
        found.value.encode()
        assert "\x00" not in found.text + found.value


def test_a_statement_stands_on_its_own_with_its_date() -> None:
    assert _texts("I moved to Lisbon last May.") == ["The user moved to Lisbon in May 2026."]
    assert _texts("My dentist appointment is next Tuesday") == [
        "The user's dentist appointment is on 24 November 2026."
    ]


def test_the_place_moved_from_is_what_the_new_home_replaces() -> None:
    [found] = extract("I moved from Leeds to Bristol.", AT)

    assert (found.value, found.instead_of, found.single_valued) == ("Bristol", "Leeds", True)


def test_a_correction_names_the_value_it_replaces() -> None:
    [found] = extract("My name is Alyce, not Alice.", AT)

    assert (found.facet, found.value, found.instead_of) == ("name", "Alyce", "Alice")
    assert found.correction


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(InputError, match="has no zone"):
        extract("hello", datetime(2026, 11, 20))


def test_pasted_material_is_not_a_statement() -> None:
    assert _texts("Please translate:\nI live in Rome.\nMy name is Carla.") == []
    assert _texts("My name is Ana.\n> I live in Rome.\n") == ["The user's name is Ana."]


def test_other_languages_yield_nothing_and_break_nothing() -> None:
    assert LANGUAGES == ("en",)
    assert _texts("Меня зовут Анна. Живу в Москве. 我叫小明。أعيش في القاهرة") == []


def test_both_ends_of_a_long_message_are_read_and_the_rest_is_named() -> None:
    message = "I live in Lisbon. " + "blah " * 200_000 + "\nI like tea. " + "bla " * 10

    found = extract(message, AT)

    assert [one.value for one in found] == ["Lisbon", "tea"]
    assert unexamined(message) == (20_000, len(message) - 20_000)


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        '"',
        "'a ",
        "`",
        "a",
        "I ",
        ", I",
        "my ",
        "I'm a ",
        "1 ",
        "and I like ",
        "\n",
        "(",
        "no ",
    ],
)
def test_a_megabyte_of_one_thing_is_read_in_one_go(piece: str) -> None:
    extract(piece * (1_000_000 // len(piece)), AT)


def test_the_same_statement_twice_is_found_once() -> None:
    assert len(extract("I like tea. I like tea. I LIKE TEA.", AT)) == 1


def test_times_are_given_in_utc() -> None:
    [found] = extract("I bought a red bicycle yesterday.", AT)

    assert found.valid_from == datetime(2026, 11, 18, 23, tzinfo=UTC)
