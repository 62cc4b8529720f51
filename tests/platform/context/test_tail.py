from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.compression.results import WHOLE, ResultRules, digest_of, excerpt
from stratal.context.repair import repaired
from stratal.context.tail import fit_tail as fit
from stratal.tokens.approximate import OctopusCounter
from stratal_memory.records import Message
from tests.platform.context.making import assistant, rounds, tool

COUNTER = OctopusCounter()
fit_tail = partial(fit, rules=WHOLE)
LOOP = [
    assistant("", "1"),
    tool("a" * 8_000, "1"),
    assistant("", "2"),
    tool("b" * 8_000, "2"),
]


def test_a_loop_that_fits_is_shown_whole() -> None:
    cost = COUNTER.count_messages(LOOP)

    assert fit_tail(LOOP, room=cost, wanted=1_000, counter=COUNTER) == (tuple(LOOP), ())


def test_the_oldest_result_is_shortened_first() -> None:  # covers O23
    view, notes = fit_tail(LOOP, room=3_000, wanted=0, counter=COUNTER)

    assert [note.call for note in notes] == ["1"]
    assert view[3] == LOOP[3]
    assert COUNTER.count_messages(view) <= 3_000


def test_the_newest_follows_when_the_oldest_is_not_enough() -> None:
    view, notes = fit_tail(LOOP, room=1_000, wanted=0, counter=COUNTER)

    assert [note.call for note in notes] == ["1", "2"]
    assert COUNTER.count_messages(view) <= 1_000


def test_room_for_other_sections_is_at_most_half() -> None:
    view, _ = fit_tail(LOOP, room=2_000, wanted=10**6, counter=COUNTER)

    assert 700 < COUNTER.count_messages(view) <= 1_000


def test_an_excerpt_shows_both_ends_and_says_what_is_missing() -> None:
    text = excerpt("a" * 500 + "b" * 500, keep=300)

    lines = text.splitlines()
    assert (lines[0], lines[2]) == ("a" * 200, "b" * 100)
    assert "shortened to 300 of 1,000 characters" in lines[1]


@settings(deadline=None)
@given(rounds(prefix="t"), st.integers(0, 500), st.integers(0, 500))
def test_the_view_keeps_every_message_and_never_grows(
    loop: list[Message], room: int, wanted: int
) -> None:
    before = list(loop)

    view, _ = fit_tail(loop, room=room, wanted=wanted, counter=COUNTER)

    assert [(one.role, one.tool_call_id) for one in view] == [
        (one.role, one.tool_call_id) for one in repaired(loop)
    ]
    assert COUNTER.count_messages(view) <= COUNTER.count_messages(repaired(loop))
    assert loop == before


def test_what_is_shortened_names_its_digest_so_that_it_can_be_had_whole() -> None:
    view, _ = fit_tail(LOOP, room=1_000, wanted=0, counter=COUNTER)

    assert f'expand_result("{digest_of("a" * 8_000)}")' in view[1].text


def test_results_in_the_loop_are_capped_as_they_come_in() -> None:  # covers C1
    rules = ResultRules(limit=1_000)

    view, notes = fit(LOOP, rules=rules, room=10**6, wanted=0, counter=COUNTER)

    assert "shortened to 880 of 8,000 characters" in view[1].text
    assert notes == ()


def test_a_result_that_was_capped_is_cut_again_from_its_whole_text() -> None:
    rules = ResultRules(limit=7_000)

    view, _ = fit(LOOP, rules=rules, room=1_000, wanted=0, counter=COUNTER)

    assert view[1].text.count("shortened to") == 1
    assert f'expand_result("{digest_of("a" * 8_000)}")' in view[1].text


def test_a_result_that_is_short_enough_is_never_made_longer_by_its_note() -> None:
    loop = [assistant("", "1"), tool("a" * 210, "1")]

    assert fit_tail(loop, room=10, wanted=0, counter=COUNTER) == (tuple(loop), ())
