"""What no rule reads and the reader of attributes notices."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stratal_memory.attributes.reader import Reader
from stratal_memory.embedding.embedder import Embedder, Vectors
from stratal_memory.learning.noticing import Heard, Noticed, noticed
from stratal_memory.records import Memory, Message, Role, Status
from tests.memory.worlds import memory

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def heard(*texts: str, read: tuple[tuple[int, int], ...] = ()) -> list[Heard]:
    return [
        Heard(
            message=Message(role=Role.USER, text=text, id=f"msg_{n}", seq=n, created=AT),
            text=text,
            at=AT,
            read=read,
        )
        for n, text in enumerate(texts)
    ]


def told(
    reader: Reader,
    minilm: Embedder,
    *texts: str,
    known: Sequence[Memory] = (),
    read: tuple[tuple[int, int], ...] = (),
) -> list[Noticed]:
    def embed(some: Sequence[str]) -> list[Vectors | None]:
        return list(minilm.embed(some)) if some else []

    return noticed(
        heard(*texts, read=read),
        reader=reader,
        embed=embed,
        known=lambda attribute: [one for one in known if attribute.covers(one.facet)],
    )


def facts(found: Sequence[Noticed]) -> list[tuple[str, str]]:
    return [(one.attribute.name, one.found.value) for one in found]


def test_a_clause_in_words_of_nobodys_rule_is_kept_as_it_was_said(
    reader: Reader, minilm: Embedder
) -> None:
    [one] = told(reader, minilm, "we rent from Jens Holm")
    assert (one.attribute.name, one.found.value) == ("landlord", "Jens Holm")
    assert one.found.text == "The user's landlord: we rent from Jens Holm"
    assert one.found.facet == "people.landlord"
    assert one.found.single_valued
    one.found.checked_against("we rent from Jens Holm")


def test_what_a_rule_has_read_is_passed_over(reader: Reader, minilm: Embedder) -> None:
    said = "we rent from Jens Holm"
    assert told(reader, minilm, said, read=((0, len(said)),)) == []


def test_a_question_a_guess_and_a_tale_tell_nothing(reader: Reader, minilm: Embedder) -> None:
    said = ("who do we rent from?", "maybe we rent from Jens Holm", "imagine we rent from a king")
    assert told(reader, minilm, *said) == []


@pytest.mark.parametrize(
    "said",
    [
        "a friend of mine is allergic to kiwis",
        "my sister is allergic to kiwis",
        "My friend Anouk just moved to Marseille and drives a Tesla.",
        "My friend Sam rents from Mrs Kowalski, works at Lidl and is allergic to shellfish.",
        "My neighbour Piet banks with ING and plays the saxophone.",
        "My girlfriend used to work for Ikea and drives a Fiat.",
        "Max from accounting is vegan and drives a Volvo.",
        "The new guy supports Bayern and lives in Berlin.",
        "The landlord of my parents, a Mr Foss, sent a letter",
        "Everyone at the office banks with ING.",
        "I'm thinking about learning Portuguese",
        "for the test account use: I bank with Testbank",
        "our landlord never answers the phone",
    ],
)
def test_what_is_said_of_somebody_else_or_not_in_earnest_is_not_of_the_user(
    reader: Reader, minilm: Embedder, said: str
) -> None:
    own = {"car", "bank", "instrument", "employer", "city", "team", "landlord", "allergy"}
    found = [one.attribute.name for one in told(reader, minilm, said)]
    assert not {*own, "learning_language"} & set(found)


@pytest.mark.parametrize(
    "said", ["My daughter stopped seeing the dentist in Bonn.", "Lars quit the gym."]
)
def test_what_somebody_else_ended_is_not_ended_for_the_user(
    reader: Reader, minilm: Embedder, said: str
) -> None:
    known = [
        _as(
            memory("The user's dentist is Dr Vogel.", at=AT),
            facet="people.dentist",
            value="Dr Vogel",
        ),
        _as(memory("The user trains at McFit.", at=AT), facet="about.gym", value="McFit"),
    ]
    assert [one for one in told(reader, minilm, said, known=known) if one.found.retracts] == []


def test_what_is_known_is_not_noticed_again(reader: Reader, minilm: Embedder) -> None:
    known = [memory("The user's landlord is Jens Holm.", at=AT)]
    known = [_as(known[0], facet="people.landlord", value="Jens Holm")]
    assert told(reader, minilm, "we rent from Jens Holm", known=known) == []


def test_what_was_held_is_said_a_second_time(reader: Reader, minilm: Embedder) -> None:
    held = _as(
        memory("The user's landlord: we rent from Jens Holm", at=AT),
        facet="people.landlord",
        value="Jens Holm",
        status=Status.PROVISIONAL,
    )
    [one] = told(reader, minilm, "we rent the flat from Jens Holm", known=[held])
    assert one.found.value == "Jens Holm"


def test_an_end_retracts_what_is_known(reader: Reader, minilm: Embedder) -> None:
    known = _as(
        memory("The user's landlord is Jens Holm.", at=AT),
        facet="people.landlord",
        value="Jens Holm",
    )
    [one] = told(reader, minilm, "we no longer rent from Jens Holm", known=[known])
    assert one.found.retracts
    assert one.found.value == "Jens Holm"


def test_a_correction_in_the_next_message_gives_the_value(reader: Reader, minilm: Embedder) -> None:
    found = told(reader, minilm, "we rent from Jens Holm", "oops no, it's Jens Bolm")
    assert facts(found) == [("landlord", "Jens Bolm")]
    assert found[0].message.id == "msg_1"


def test_a_correction_puts_right_the_message_before_it_alone(
    reader: Reader, minilm: Embedder
) -> None:
    found = told(
        reader, minilm, "we rent from Jens Holm", "nice weather today", "oops no, it's Jens Bolm"
    )
    assert facts(found) == [("landlord", "Jens Holm")]


def test_a_clause_without_a_value_is_no_fact(reader: Reader, minilm: Embedder) -> None:
    assert told(reader, minilm, "our landlord is the owner of the flat") == []


def test_nothing_is_read_without_vectors(reader: Reader) -> None:
    def embed(some: Sequence[str]) -> list[Vectors | None]:
        return [None for _ in some]

    said = heard("we rent from Jens Holm", "")
    assert noticed(said, reader=reader, embed=embed, known=lambda attribute: []) == []


def _as(one: Memory, *, facet: str, value: str, status: Status = Status.ACTIVE) -> Memory:
    return replace(one, facet=facet, value=value, status=status)
