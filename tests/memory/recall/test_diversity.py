from dataclasses import replace

from stratal_memory.recall.candidates import Verdict
from stratal_memory.recall.diversity import VARIED, distinct, varied
from stratal_memory.records import Evidence, Form
from tests.memory.recall.making import candidate


def test_a_near_copy_is_left_out_with_the_better_one_named() -> None:
    better = candidate("The user likes green tea.", id="mem_1")
    worse = candidate("the user likes GREEN tea", id="mem_2")
    other = candidate("The user likes black coffee.", id="mem_3")

    found = distinct([better, worse, other])

    assert [one.verdict for one in found] == [Verdict.IN, Verdict.OUT, Verdict.IN]
    assert found[1].reason == "says the same as mem_1"


def test_two_versions_of_one_memory_are_two_statements() -> None:
    found = distinct([candidate("now", key="k"), candidate("long ago", key="k")])

    assert [one.verdict for one in found] == [Verdict.IN, Verdict.IN]


def test_a_message_is_left_out_beside_the_fact_learned_from_it() -> None:
    fact, message = candidate("The user lives in Lisbon."), candidate("hi!", form=Form.MESSAGE)
    seen = (Evidence(ref="msg_1"),)
    fact = replace(fact, memory=replace(fact.memory, evidence=seen))
    message = replace(message, memory=replace(message.memory, evidence=seen))

    assert [one.verdict for one in distinct([fact, message])] == [Verdict.IN, Verdict.OUT]
    assert [one.verdict for one in distinct([message, fact])] == [Verdict.IN, Verdict.IN]


def test_what_is_out_makes_nothing_else_a_copy() -> None:
    gone, same = candidate("green tea", verdict=Verdict.OUT), candidate("green tea")

    assert [one.verdict for one in distinct([gone, same])] == [Verdict.OUT, Verdict.IN]


def test_texts_without_words_are_not_alike() -> None:
    found = distinct([candidate("!!!"), candidate("???")])

    assert [one.verdict for one in found] == [Verdict.IN, Verdict.IN]


def test_a_message_that_says_more_of_what_was_asked_than_its_fact_stays() -> None:
    seen = (Evidence(ref="msg_1"),)
    fact = candidate("The user lives in Ghent.")
    message = candidate("I live in Ghent with my cats Miso and Tofu.", form=Form.MESSAGE)
    both = [replace(one, memory=replace(one.memory, evidence=seen)) for one in (fact, message)]

    about_cats = distinct(both, asked={"cat", "call"})
    about_home = distinct(both, asked={"live"})

    assert [one.verdict for one in about_cats] == [Verdict.IN, Verdict.IN]
    assert [one.verdict for one in about_home] == [Verdict.IN, Verdict.OUT]


def test_what_says_something_new_goes_before_more_of_the_same() -> None:
    best = candidate("the oboe lesson on monday was long", score=0.9)
    same = candidate("the oboe lesson on monday was short", score=0.85)
    new = candidate("the violin broke", score=0.8)
    out = candidate("the drum", score=0.95, verdict=Verdict.OUT)

    assert varied([best, same, new, out]) == [best, new, same, out]


def test_what_has_nothing_in_common_keeps_its_order() -> None:
    apart = [candidate(f"word{n}", score=0.9 - n / 100) for n in range(VARIED + 5)]

    assert varied(apart) == apart
