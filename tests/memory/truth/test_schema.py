from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy.dialects import sqlite

from stratal_memory.truth.schema import Utc

DIALECT = sqlite.dialect()


def test_times_are_kept_as_fixed_width_utc_text() -> None:
    east = datetime(2026, 11, 20, 1, 30, tzinfo=timezone(timedelta(hours=2)))

    text = Utc().process_bind_param(east, DIALECT)

    assert text == "2026-11-19T23:30:00.000000Z"
    assert Utc().process_result_value(text, DIALECT) == east


def test_order_by_text_is_order_in_time_even_in_early_years() -> None:
    times = [datetime(year, 1, 1, tzinfo=UTC) for year in (1, 79, 999, 1000, 2026, 9999)]

    stored = [Utc().process_bind_param(time, DIALECT) or "" for time in times]

    assert stored == sorted(stored)
    assert {len(text) for text in stored} == {27}


def test_a_naive_time_is_refused() -> None:
    naive = datetime(2026, 11, 20)

    with pytest.raises(ValueError, match="without a zone"):
        Utc().process_bind_param(naive, DIALECT)


def test_no_time_is_no_text() -> None:
    assert Utc().process_bind_param(None, DIALECT) is None
    assert Utc().process_result_value(None, DIALECT) is None
