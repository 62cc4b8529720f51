import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.compaction import BY_HAND
from stratal.context.compression.keep import Keep, keep_from
from stratal.context.turns import turns
from stratal.errors import ConfigError
from stratal_memory.records import Message
from tests.platform.context.compression.of_presets import keep_of
from tests.platform.context.making import Words, assistant, histories, tool, user

COUNT = Words().count_messages


def pairs(number: int) -> list[tuple[Message, ...]]:
    return [(user("one two"), assistant("three"))] * number


def test_picoclaw_keeps_the_last_four_messages() -> None:  # covers P19, Ps6
    assert keep_from(pairs(5), keep_of("picoclaw"), count_messages=COUNT) == 3
    assert keep_from(pairs(2), keep_of("picoclaw"), count_messages=COUNT) == 0  # needs more than 4


def test_octo_keeps_the_last_twenty_messages() -> None:  # covers C8
    long = [(user("word " * 1_500), assistant("ok"))] * 51

    assert keep_from(long, keep_of("octo"), count_messages=COUNT) == 51 - 14  # 14 * 1,501 > 20,000
    assert keep_from(pairs(51), Keep(messages=20), count_messages=COUNT) == 41


def test_octo_keeps_twenty_thousand_tokens() -> None:  # covers C22
    turn = [(user("word " * 10_000),)]

    assert keep_from(turn * 9, Keep(tokens=20_000), count_messages=COUNT) == 7
    assert keep_from(turn * 9, Keep(tokens=20_001), count_messages=COUNT) == 6


def test_octo_trims_to_forty_percent_of_the_messages() -> None:  # covers C10
    assert keep_from(pairs(50), Keep(messages=6, fraction=0.4), count_messages=COUNT) == 30


def test_compact_keeps_a_third_but_at_least_four_messages() -> None:  # covers Cs6
    assert keep_from(pairs(30), BY_HAND, count_messages=COUNT) == 20
    assert keep_from(pairs(3), BY_HAND, count_messages=COUNT) == 1


def test_automatic_compacting_keeps_a_quarter_but_at_least_four_messages() -> None:  # covers Cs7
    assert keep_from(pairs(40), Keep(messages=4, fraction=0.25), count_messages=COUNT) == 30
    assert keep_from(pairs(4), Keep(messages=4, fraction=0.25), count_messages=COUNT) == 2


def test_zeus_never_summarises_the_last_five_messages() -> None:  # covers Z21, Z22
    assert keep_from(pairs(10), keep_of("zeus"), count_messages=COUNT) == 7  # the third pair whole


def test_octopus_prunes_the_oldest_thirty_percent() -> None:  # covers Os3
    assert keep_from(pairs(10), keep_of("octopus"), count_messages=COUNT) == 3


def test_octopus_keeps_three_pairs_whatever_they_cost() -> None:  # covers Os5
    assert keep_from(pairs(4), Keep(turns=3, messages=2), count_messages=COUNT) == 1


def test_the_newest_turn_stays_even_if_nothing_is_demanded() -> None:
    assert keep_from(pairs(3), Keep(), count_messages=COUNT) == 2
    assert keep_from([], Keep(messages=4), count_messages=COUNT) == 0


def test_a_turn_that_is_demanded_in_part_stays_whole() -> None:  # covers P12, P19
    long = (user("a"), assistant("", "1"), tool("r", "1"), assistant("b"))

    assert keep_from([long, *pairs(1)], Keep(messages=3), count_messages=COUNT) == 0


def test_demands_out_of_their_range_are_refused() -> None:
    with pytest.raises(ConfigError):
        Keep(fraction=1.5)
    with pytest.raises(ConfigError, match="-4"):
        Keep(messages=-4)


KEPT = st.builds(
    Keep,
    messages=st.none() | st.integers(0, 30),
    tokens=st.none() | st.integers(0, 100),
    turns=st.none() | st.integers(0, 8),
    fraction=st.none() | st.floats(0, 1),
)


@settings(deadline=None)
@given(histories(), KEPT)
def test_nothing_that_was_demanded_is_lost(history: list[Message], keep: Keep) -> None:
    parts = turns(history) if history else []
    index = keep_from(parts, keep, count_messages=COUNT)
    kept = [message for turn in parts[index:] for message in turn]

    assert 0 <= index <= max(0, len(parts) - 1)
    assert len(kept) >= min(len(history), keep.messages or 0)
    assert len(parts[index:]) >= min(len(parts), keep.turns or 0)
    assert len(kept) >= (keep.fraction or 0) * len(history) - 1e-3
    assert index == 0 or COUNT(kept) >= (keep.tokens or 0)
