import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.compression.strategies import (
    Overflow,
    Size,
    chain,
    drop_half,
    fitting,
    headroom,
    keep_fraction,
    newest_messages,
    sliding_window,
    strategy,
)


def turns(*tokens: int, messages: int = 2) -> list[Size]:
    """Turns newest first."""
    return [Size((one, messages)) for one in tokens]


def test_first_in_first_out_drops_the_oldest_turns_until_the_rest_fits() -> None:  # covers Os2
    fifo = strategy(Overflow.FIFO, share=0.3)

    assert fifo(turns(30, 40, 20, 50), 90) == 3
    assert fifo(turns(30, 40, 20, 50), 89) == 2
    assert fifo(turns(91, 1), 90) == 0


def test_a_sliding_window_keeps_the_last_pairs_whatever_they_take() -> None:  # covers Os4
    assert sliding_window(turns(*[1_000] * 12), turns=10) == 10
    assert sliding_window(turns(5, 5), turns=10) == 2


@pytest.mark.parametrize(("count", "kept"), [(2, 1), (3, 2), (4, 2), (5, 3), (9, 5)])
def test_the_middle_turn_begins_what_the_older_half_leaves(count: int, kept: int) -> None:
    """turns[len // 2] is the first that stays."""  # covers P24, Ps3
    assert drop_half(turns(*[10] * count), room=10 * count - 1) == count - count // 2 == kept


def test_halving_goes_on_until_the_rest_fits_and_ends() -> None:  # covers P24
    assert drop_half(turns(*[10] * 16), room=25) == 2
    assert drop_half(turns(30, 1, 1), room=25) == 0
    assert drop_half([], room=25) == 0


def test_forty_percent_of_the_messages_stay() -> None:  # covers C10
    assert keep_fraction(turns(*[10] * 10), room=1_000, fraction=0.4) == 4


def test_what_is_kept_is_widened_to_a_whole_turn() -> None:  # covers C10
    tools = [Size((10, 7)), Size((10, 2)), Size((10, 2)), Size((10, 2))]

    assert keep_fraction(tools, room=1_000, fraction=0.4) == 1
    assert keep_fraction(tools, room=1_000, fraction=0.6) == 2


def test_a_fraction_that_does_not_fit_becomes_smaller() -> None:
    assert keep_fraction(turns(*[10] * 10), room=25, fraction=0.4) == 2


def test_thirty_messages_are_thirty_one_when_they_begin_inside_a_turn() -> None:  # covers Z15, Z17
    plain, with_tools = Size((1, 2)), Size((1, 3))

    even, odd = [plain] * 20, [with_tools, *[plain] * 20]

    assert sum(one.messages for one in even[: newest_messages(even, most=30)]) == 30
    assert sum(one.messages for one in odd[: newest_messages(odd, most=30)]) == 31


def test_one_turn_of_forty_messages_stays_whole() -> None:  # covers Z15
    assert newest_messages([Size((1, 40)), Size((1, 2))], most=30) == 1


def test_headroom_frees_its_share_of_the_room() -> None:
    assert headroom(turns(*[10] * 11), room=100, share=0.3) == 7


def test_headroom_keeps_a_newest_turn_that_fits_but_not_with_the_share_free() -> None:
    assert headroom(turns(90, 10), room=100, share=0.3) == 1
    assert headroom(turns(101, 10), room=100, share=0.3) == 0


def test_a_chain_stops_as_soon_as_the_rest_fits() -> None:
    asked: list[int] = []

    def first(sizes: object, room: int) -> int:
        asked.append(room)
        return 3

    both = chain(first, strategy(Overflow.FIFO, share=0.3))

    assert both(turns(10, 10, 10, 10), 35) == 3
    assert both(turns(10, 10, 10, 10), 15) == 1
    assert both(turns(10, 10), 20) == 2
    assert asked == [35, 15]


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 9)), max_size=30),
    st.integers(0, 1_000),
    st.sampled_from(Overflow),
    st.floats(0.05, 0.95),
)
def test_whatever_a_strategy_keeps_fits(
    pairs: list[tuple[int, int]], room: int, overflow: Overflow, share: float
) -> None:
    sizes = [Size(pair) for pair in pairs]

    kept = strategy(overflow, share=share)(sizes, room)

    assert 0 <= kept <= fitting(sizes, room=room)
    assert sum(size.tokens for size in sizes[:kept]) <= room
