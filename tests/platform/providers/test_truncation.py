"""Telling a silent cut from the counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.providers.truncation import truncated


@pytest.mark.parametrize(
    ("estimated", "reported", "cut"),
    [
        (20_000, 4_096, True),
        (6_000, 4_096, True),
        (5_000, 4_096, False),  # within what an estimate may be wrong by
        (1_900, 900, False),  # too short to have been cut
        (20_000, 0, False),  # nothing was counted
        (20_000, 25_000, False),
    ],
)
def test_a_count_far_below_a_large_estimate_means_a_cut(
    estimated: int, reported: int, cut: bool
) -> None:
    assert truncated(estimated, reported) is cut


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_lower_count_is_never_less_of_a_cut(estimated: int, one: int, other: int) -> None:
    lower, higher = sorted((one, other))

    if lower and truncated(estimated, higher):
        assert truncated(estimated, lower)
