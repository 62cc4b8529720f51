import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.index.scan import scan
from stratal_memory.truth.vectors import Matrix


def unit(*rows: tuple[float, ...]) -> Vectors:
    made = np.asarray(rows, dtype=np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def test_the_nearest_come_first_with_their_exact_cosine() -> None:
    matrix = Matrix((10, 20, 30), unit((0, 1), (1, 0), (1, 1)))

    near = scan(matrix, unit((1, 0))[0], limit=2)

    assert [one.seq for one in near] == [20, 30]
    assert [one.cosine for one in near] == pytest.approx([1, 0.7071], abs=1e-4)


def test_a_tie_goes_to_the_newer_row() -> None:
    matrix = Matrix((1, 2, 3), unit((1, 0), (1, 0), (1, 0)))

    assert [one.seq for one in scan(matrix, unit((1, 0))[0], limit=3)] == [3, 2, 1]


@pytest.mark.parametrize("limit", [0, -1])
def test_nothing_wanted_is_nothing_found(limit: int) -> None:
    assert scan(Matrix((1,), unit((1, 0))), unit((1, 0))[0], limit=limit) == []


def test_nothing_there_is_nothing_found() -> None:
    empty = Matrix((), np.empty((0, 0), dtype=np.float32))

    assert scan(empty, unit((1, 0))[0], limit=3) == []


@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_it_is_the_sorted_list_of_all_cosines(count: int, limit: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = unit(*rng.normal(size=(count, 4)).tolist())
    query = unit(tuple(rng.normal(size=4)))[0]

    near = scan(Matrix(tuple(range(count)), rows), query, limit=limit)

    expected = sorted(range(count), key=lambda i: (-float(rows[i] @ query), -i))[:limit]
    assert len(near) == min(count, limit)
    assert [one.cosine for one in near] == pytest.approx(
        [float(rows[i] @ query) for i in expected], abs=1e-6
    )
