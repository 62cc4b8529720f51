"""The numbers of real-shaped refusals; the bodies are those of the corpus of errors."""

import pytest

from stratal.providers.sizes import Sizes, named_sizes
from tests.platform.providers.test_corpus import CASES, Case

# Every body of the corpus that is an overflow and names a size in tokens, and what it names.
NAMED = {
    "prompt is too long: 208310 tokens": (208_310, 200_000),
    "199012 + 8192 > 200000": (199_012, 200_000),
    "messages resulted in 140000 tokens": (140_000, 128_000),
    "messages resulted in 273041 tokens": (273_041, 272_000),
    "Limit 30000, Requested 60000": (0, 30_000),
    "messages resulted in 140212 tokens": (140_212, 128_000),
    "you requested 4200 tokens (4000 in the messages": (4_000, 4_096),
    "The decoder prompt (length 5000)": (5_000, 4_096),
    "total length 25938": (25_938, 4_096),
    "your request has 3000 input tokens": (3_000, 4_096),
    "request (9214 tokens) exceeds": (9_214, 8_192),
    "215000 tokens > 200000 maximum": (215_000, 200_000),
    "198000 + 4096 > 200000": (198_000, 200_000),
    "request input token count: 11938": (11_938, 8_192),
    "input token count (1189797)": (1_189_797, 1_048_575),
    "Prompt contains 131500 tokens": (131_500, 131_072),
    "Limit 12000, Requested 14137": (0, 12_000),
    "you requested 140000 tokens (139000": (139_000, 131_072),
    "the request contains 537812 tokens": (537_812, 131_072),
    "(42832 of text input)": (42_832, 32_768),
    "keep the first 10136 tokens": (10_136, 7_866),
    "Reached context length of 4096": (0, 4_096),
    "Given: 4000 `inputs` tokens": (4_000, 4_096),
    "Given: 1500": (1_500, 1_024),
    "prompt token count of 139639": (139_639, 128_000),
    "prompt token count of 93854": (93_854, 90_000),
    "Max size: 8000 tokens": (0, 8_000),
    "model token limit: 262144": (0, 262_144),
    "input length should be [1, 98304]": (0, 98_304),
    "too long: 267657": (267_657, 262_143),
    "cannot exceed 4081 - received 4292": (4_292, 4_081),
    "Current length is 9000": (9_000, 8_192),
}


def words(case: Case) -> str:
    return case.model_dump_json()


OVERFLOWS = [words(case) for case in CASES if case.expected == "overflow"]
OTHERS = [words(case) for case in CASES if case.expected != "overflow"]


@pytest.mark.parametrize("wording", NAMED)
def test_the_sizes_of_a_real_refusal_are_read(wording: str) -> None:  # covers P23
    sent, limit = NAMED[wording]

    found = {named_sizes(text) for text in OVERFLOWS if wording in text}

    assert found == {Sizes(sent=sent, limit=limit)}


def test_no_other_number_of_an_overflow_is_taken_for_a_size() -> None:
    silent = [text for text in OVERFLOWS if not any(wording in text for wording in NAMED)]

    assert len(silent) >= 10  # 2013 is an error code, 10485760 are characters, 412 an excess
    assert {named_sizes(text) for text in silent} == {Sizes()}


def test_the_table_names_every_overflow_that_has_numbers() -> None:
    told = [text for text in OVERFLOWS if named_sizes(text) != Sizes()]

    assert all(any(wording in text for wording in NAMED) for text in told)


@pytest.mark.parametrize(
    ("message", "sizes"),
    [
        (
            "prompt is too long: 208,310 tokens > 200,000 maximum",
            Sizes(sent=208_310, limit=200_000),
        ),
        ("anthropic (HTTP 400): the request is too long", Sizes()),
        ("prompt is too long: " + "9" * 5_000, Sizes(sent=999_999_999_999_999)),
        ("", Sizes()),
        ("\ud800 > maximum", Sizes()),
    ],
)
def test_odd_messages_are_read_or_not_and_never_fail(message: str, sizes: Sizes) -> None:
    assert named_sizes(message) == sizes
