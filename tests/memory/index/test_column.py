import numpy as np

from stratal_memory.index.column import FIRST, Column


def test_rows_stand_behind_each_other_however_many_come() -> None:
    column = Column(np.empty((0, 2), dtype=np.float32))
    added = np.arange(4 * FIRST, dtype=np.float32).reshape(-1, 2)

    for row in added:
        column.extend(row.reshape(1, 2))

    assert np.array_equal(column.rows, added)
    assert column.nbytes >= added.nbytes


def test_what_was_given_out_does_not_grow() -> None:
    column = Column(np.array([1, 2], dtype=np.int64))
    before = column.rows

    column.extend(np.array([3], dtype=np.int64))

    assert before.tolist() == [1, 2]
    assert column.rows.tolist() == [1, 2, 3]
