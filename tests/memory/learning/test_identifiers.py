import random
import string
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.identifiers import Identifier, identified

EXAMPLES = {
    Identifier.EMAIL: ["ana.b+c@mail.example.co.uk", "x_1@host-name.example"],
    Identifier.PHONE: [
        "+49 30 901820",
        "+1 (555) 010-9999",
        "+447700900123",
        "030 901820",
        "06 12 34 56 78",
        "(415) 555-2671",
        "my mobile is 7911123456",
    ],
    Identifier.ADDRESS: [
        "12 Baker Street",
        "1600 Pennsylvania Avenue",
        "Hauptstraße 12a",
        "Musterweg 3, 12345 Berlin",
        "12 rue de la Paix",
        "Calle Mayor 5",
        "Via Roma 12",
        "Keizersgracht 123",
        "SW1A 1AA",
    ],
    Identifier.IP: ["8.8.8.8", "2001:4860:4860::8888"],
    Identifier.NATIONAL_ID: [
        "123-45-6789",
        "12345678Z",
        "X1234567L",
        "RSSMRA85T10A562S",
        "529.982.247-25",
        "BSN 111222333",
        "PESEL 44051401359",
        "811218-9876",
        "AB 12 34 56 C",
        "passport number X1234567",
    ],
    Identifier.CARD: ["4111 1111 1111 1111"],
    Identifier.IBAN: ["DE89 3704 0044 0532 0130 00"],
}
CLEAN = (
    "the harbour at 10:30",
    "on 2026-05-03, in 2019-2021",
    "born 03/05/1988 or 3.5.1988",
    "room 4012, second floor",
    "order 1234-5678 from last week",
    "version 3.11.4.2 of it",
    "192.168.0.1 and 127.0.0.1",
    "I live in Main Street in Lisbon",
    "12 Angry Men",
    "100 000 000 people, 1,234,567 of them",
    "ISBN 978-3-16-148410-0",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "123e4567-e89b-12d3-a456-426614174000",
    "999-99-9999 is no number of a person",
    "12345678A has the wrong letter",
    "4111 1111 1111 1112 is no card",
    "my name is Ana and I am from Porto",
    "Montag 12 Uhr, Platz 1",
    "the ratio is 16:9, the score 3-2-1",
)


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in EXAMPLES.items() for text in texts]
)
def test_each_kind_is_found_in_a_sentence(kind: Identifier, text: str) -> None:
    sentence = f"well, {text}, as you know"

    [found] = identified(sentence)

    assert found.kind is kind
    assert sentence[found.start : found.end] in text


@pytest.mark.parametrize("text", CLEAN)
def test_what_tells_nobody_apart_is_left_alone(text: str) -> None:
    assert identified(text) == []


def _digits(dice: random.Random, count: int) -> str:
    return "".join(dice.choice(string.digits) for _ in range(count))


def _word(dice: random.Random) -> str:
    return "".join(dice.choice(string.ascii_lowercase) for _ in range(dice.randint(4, 9)))


MADE: tuple[Callable[[random.Random], str], ...] = (
    lambda dice: f"{_word(dice)}.{_word(dice)}@{_word(dice)}.example",
    lambda dice: (
        f"+{dice.choice(('49', '44', '33', '351'))} {dice.randint(20, 99)} {_digits(dice, 7)}"
    ),
    lambda dice: f"({dice.randint(201, 989)}) {dice.randint(200, 999)}-{_digits(dice, 4)}",
    lambda dice: (
        f"{dice.randint(1, 900)} {_word(dice).title()} {dice.choice(('Street', 'Rd', 'Lane'))}"
    ),
    lambda dice: f"{_word(dice).title()}straße {dice.randint(1, 200)}",
    lambda dice: f"{dice.randint(100, 665)}-{dice.randint(10, 99)}-{dice.randint(1000, 9999)}",
)


def test_at_least_99_of_100_made_identifiers_are_found() -> None:
    dice = random.Random(20261121)
    made = [make(dice) for _ in range(200) for make in MADE]

    missed = [text for text in made if not identified(f"it is {text}, yes")]

    assert len(made) >= 1_000
    assert len(missed) <= len(made) * 0.01, missed


@given(st.text(max_size=200))
def test_any_text_gives_ordered_stretches_that_never_overlap(text: str) -> None:
    found = identified(text)

    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= two.start for one, two in pairwise(found))


def test_signs_nobody_sees_hide_nothing() -> None:
    text = "ana\u200b@mail\u2060.example"

    [found] = identified(text)

    assert text[found.start : found.end] == text


@pytest.mark.parametrize("piece", ["a", "1 ", "a@", "A ", "+1 ", "Aa-", "Via ", "0 0", "aa:", "1."])
def test_half_a_megabyte_of_near_misses_is_searched_in_one_go(piece: str) -> None:
    identified("1" + piece * (500_000 // len(piece)))
