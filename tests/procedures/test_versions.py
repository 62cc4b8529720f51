"""Versions of a learned procedure: each is judged by itself, under one name."""

import pytest

from stratal_memory.errors import InputError, NotFound
from stratal_memory.truth.procedures import State, StoredProcedure
from stratal_procedures import counting, shelf
from stratal_procedures.record import standing
from tests.procedures.episodes import Step
from tests.procedures.practising import Practice

FIRST = ("Order 20 kg of flour", "order butter, 8 packs", "please order 5 bags of yeast")
# The same tools in the same order, asked for in other words.
LATER = ("stock up on flour 20", "stock up on butter 8", "now stock up on yeast 5")
GOODS = (("flour", 20), ("butter", 8), ("yeast", 5))


def steps(product: str, quantity: int) -> tuple[Step, ...]:
    return (
        ("search_knowledge", {"query": f"{product} supplier"}),
        ("add_line", {"sheet": "supplies", "product": product, "quantity": quantity}),
        ("send_note", {"product": product, "urgent": True}),
    )


def learn(practice: Practice, requests: tuple[str, ...] = FIRST) -> StoredProcedure:
    for request, (product, quantity) in zip(requests, GOODS, strict=True):
        practice.done(request, steps(product, quantity))
    return shelf.list_drafts(practice.store)[-1]


def fail(practice: Practice, name: str) -> None:
    for _ in range(2):
        used = counting.in_use(practice.store, name)
        practice.done(FIRST[0], steps(*GOODS[0]), answer="no, wrong", used=used)


def two_versions(practice: Practice) -> tuple[StoredProcedure, StoredProcedure]:
    """One that failed, and the draft that is to take its place."""
    first = learn(practice)
    shelf.approve(practice.store, first.key, first.digest, version=1)
    fail(practice, first.name)
    return first, learn(practice, LATER)


def standings(practice: Practice) -> list[tuple[int, str]]:
    every = shelf.list_stored(practice.store)
    return [(one.version, standing(one, every)) for one in every]


def test_the_next_version_keeps_the_name_though_it_is_asked_for_in_other_words(
    practice: Practice,
) -> None:
    first, second = two_versions(practice)

    assert (second.key, second.version) == (first.key, 2)
    assert "stock" in second.text
    assert second.name == first.name
    assert shelf.parsed(second.text).name == first.name


def test_a_version_that_failed_is_shown_as_replaced_once_there_is_a_newer_one(
    practice: Practice,
) -> None:
    first = learn(practice)
    shelf.approve(practice.store, first.key, first.digest)
    fail(practice, first.name)
    before = standings(practice)
    second = learn(practice, LATER)
    between = standings(practice)
    shelf.reject(practice.store, second.key, second.digest)

    assert before == [(1, "demoted")]
    assert between == [(1, "replaced"), (2, "draft")]
    assert standings(practice) == [(1, "demoted"), (2, "rejected")]


def test_the_version_that_is_named_is_judged_and_no_other(practice: Practice) -> None:
    first, second = two_versions(practice)

    again = shelf.approve(practice.store, first.key, first.digest, version=1)
    rejected = shelf.reject(practice.store, first.key, first.digest, version=1)

    assert (again.version, again.state) == (1, State.PROBATION)
    assert (rejected.version, rejected.state) == (1, State.REJECTED)
    assert standings(practice) == [(1, "rejected"), (2, "draft")]
    assert shelf.approve(practice.store, second.key, second.digest, version=2).version == 2
    assert standings(practice) == [(2, "probation")]


def test_the_digest_of_another_version_judges_nothing(practice: Practice) -> None:
    first, second = two_versions(practice)
    before = shelf.list_stored(practice.store)

    for judge in (shelf.approve, shelf.reject):
        with pytest.raises(InputError, match=r"version 2 of .* is not the one with the digest"):
            judge(practice.store, second.key, first.digest, version=2)
        with pytest.raises(NotFound, match="no version 3"):
            judge(practice.store, second.key, second.digest, version=3)

    assert shelf.list_stored(practice.store) == before


def test_what_a_newer_version_took_the_place_of_is_not_judged_any_more(practice: Practice) -> None:
    first, second = two_versions(practice)
    shelf.approve(practice.store, second.key, second.digest, version=2)

    for judge in (shelf.approve, shelf.reject):
        with pytest.raises(InputError, match="has taken the place of version 1"):
            judge(practice.store, first.key, first.digest, version=1)

    [used] = shelf.learned_skills(practice.store)
    assert used.content_hash == second.digest
