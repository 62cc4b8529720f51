import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.embedding.batches import length_sorted, padded

LENGTHS = st.lists(st.integers(min_value=1, max_value=9), max_size=40)


@given(lengths=LENGTHS, size=st.integers(min_value=1, max_value=8))
def test_every_position_comes_once_in_batches_of_at_most_size(
    lengths: list[int], size: int
) -> None:
    batches = list(length_sorted(lengths, size=size))

    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    assert all(1 <= len(batch) <= size for batch in batches)


@given(lengths=LENGTHS, size=st.integers(min_value=1, max_value=8))
def test_lengths_never_rise_from_one_position_to_the_next(lengths: list[int], size: int) -> None:
    ordered = [lengths[at] for batch in length_sorted(lengths, size=size) for at in batch]

    assert ordered == sorted(lengths, reverse=True)


def test_a_tie_goes_to_the_earlier_position() -> None:
    assert list(length_sorted([4, 4, 7, 4], size=3)) == [[2, 0, 1], [3]]


@given(rows=st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=9), min_size=1, max_size=9))
def test_what_is_attended_is_exactly_what_was_given(rows: list[list[int]]) -> None:
    ids, mask = padded(rows, filler=0)

    assert ids.shape == mask.shape == (len(rows), max(len(row) for row in rows))
    assert [line[keep == 1].tolist() for line, keep in zip(ids, mask, strict=True)] == rows
    assert not ids[mask == 0].any()
    assert ids.dtype == mask.dtype == np.int64
