from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.index import postings
from stratal_memory.index.postings import Postings

ROWS = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=20)


@given(ROWS, ROWS, st.integers(0, 40))
def test_every_row_that_holds_a_word_is_found_whether_it_is_sorted_yet_or_not(
    early: list[list[str]], late: list[list[str]], seen: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "UNSORTED", 10)
        words = Postings()
        words.extend(early, first=0)
        words.find(["a"], rows=len(early))
        words.extend(late, first=len(early))
        found = words.find(["a", "b", "z"], rows=seen)

    for word, one in zip("abz", found, strict=True):
        held = {
            place: Counter(row)[word] for place, row in enumerate([*early, *late]) if word in row
        }
        expected = {place: count for place, count in held.items() if place < seen}
        assert dict(zip(one.places.tolist(), one.counts.tolist(), strict=True)) == expected
