"""A clock that a test sets, and that goes on by a second at every look."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Call it for the time; assign `now` or call `pass_` to move it."""

    def __init__(self, now: datetime = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def pass_(self, **units: float) -> None:
        self.now += timedelta(**units)
