"""Citations: what an answer rests on, in the words it used."""

import pytest

from stratal.context.request import Recalled
from stratal.providers.provider import Usage
from stratal.reply import citations, total


def item(text: str, *, memory: str = "mem_1", source: str = "Handbook") -> Recalled:
    return Recalled(
        memory=memory, form="chunk", text=text, source=source, date="2026-11-20", similarity=0.9
    )


def quotes(answer: str, *texts: str) -> list[str]:
    return [found.quote for found in citations(answer, [item(text) for text in texts])]


def test_an_answer_cites_the_sentence_it_uses() -> None:
    text = "The bakery opens at six. Staff have 25 days of annual leave. Wear an apron."

    assert quotes("You have 25 days of annual leave as staff.", text) == [
        "Staff have 25 days of annual leave."
    ]


def test_an_answer_that_uses_nothing_cites_nothing() -> None:
    assert quotes("I have nothing on that.", "Staff have 25 days of annual leave.") == []


def test_the_sentence_used_most_wins_over_a_longer_one() -> None:
    long = "Leave of 25 days is granted to staff by the management of the bakery each year."
    short = "Staff have 25 days leave."

    assert quotes("Staff have 25 days leave granted by bakery management", f"{long} {short}") == [
        short
    ]


def test_of_two_sentences_used_alike_the_longer_is_quoted() -> None:
    text = "Ovens heat. Ovens heat slowly today."

    assert quotes("Ovens heat slowly today", text) == ["Ovens heat slowly today."]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The rate is 3.5 percent. Next year it rises.", "The rate is 3.5 percent."),
        ("See bakery.example.org today! Then call.", "See bakery.example.org today!"),
        ("First line of the rate\nSecond of nothing", "First line of the rate"),
    ],
)
def test_a_stop_inside_a_word_or_number_ends_no_sentence(text: str, quote: str) -> None:
    assert quotes("the rate is 3.5 percent, see bakery.example.org today: first line", text) == [
        quote
    ]


def test_one_shared_word_is_no_use() -> None:
    assert quotes("Apron", "Apron.") == []


def test_sentences_without_blanks_between_them_are_told_apart() -> None:
    assert quotes("年休は二十五日です", "店は六時に開きます。年休は二十五日です。") == [
        "年休は二十五日です。"
    ]


def test_citations_keep_the_order_of_the_items_and_name_their_source() -> None:
    first = item("Staff have 25 days of leave.", memory="a", source="Handbook")
    unused = item("The oven is hot.", memory="b", source="Ovens")
    last = item("Leave is 25 days for staff.", memory="c", source="Minutes")

    found = citations("Staff have 25 days of leave", [first, unused, last])

    assert [(c.memory, c.source) for c in found] == [("a", "Handbook"), ("c", "Minutes")]


def test_the_usage_of_a_turn_is_that_of_its_calls_together() -> None:
    calls = [Usage(input=10, output=2, cache_read=4), Usage(input=20, output=3, cache_write=5)]

    assert total(calls) == Usage(input=30, output=5, cache_read=4, cache_write=5)
    assert total([]) == Usage()


def test_a_quoting_answer_cites_only_what_it_quotes() -> None:
    quoted = item("Staff have 25 days of leave.", memory="quoted")
    alike = item("Staff have 25 days of leave and the manager has more.", memory="alike")

    found = citations('- "Staff have 25 days of leave."', [quoted, alike], verbatim=True)

    assert [one.memory for one in found] == ["quoted"]
