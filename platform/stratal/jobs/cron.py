"""When a cron schedule comes due, as cron means it, across changes of the clock."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

MINUTES, HOURS, DAYS, MONTHS, WEEKDAYS = (0, 59), (0, 23), (1, 31), (1, 12), (0, 7)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES = {name: number for number, name in enumerate(_MONTHS, start=1)}
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_NAMES = {name: number for number, name in enumerate(_DAYS)}
_NOBODY: Mapping[str, int] = {}
_ITEM = re.compile(r"(?:(\*)|(\w+)(?:-(\w+))?)(?:/(\d+))?")
_FAR = 366 * 9  # days: 29 February is 8 years away around 2100
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Cron:
    """A schedule of five fields; when day and weekday are given, both must fit."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday
    zone: tzinfo | None  # None: the machine's

    def after(self, moment: datetime) -> datetime | None:
        """The first due time later than `moment`, in UTC; None when it never comes due again.

        What the clock leaves out is due when it goes on; what it shows twice is due the first
        time, unless the schedule names every hour.
        """
        day = moment.astimezone(self.zone).date() - timedelta(days=1)
        for _ in range(_FAR):
            if self._on(day):
                dues = _moments(self, day)
                place = bisect_right(dues, moment)
                if place < len(dues):
                    return dues[place]
            if day == date.max:
                return None
            day += timedelta(days=1)
        return None

    def _on(self, day: date) -> bool:
        weekday = day.isoweekday() % 7
        return day.day in self.days and day.month in self.months and weekday in self.weekdays


def read_cron(text: str, zone: tzinfo | None) -> Cron:
    """The schedule that five fields name; `ValueError` says which is wrong."""
    fields = text.lower().split()
    if len(fields) != 5:
        raise ValueError(f"it has {len(fields)} fields")
    minute, hour, day, month, weekday = fields
    return Cron(
        text=text,
        minutes=_numbers(minute, MINUTES),
        hours=_numbers(hour, HOURS),
        days=_numbers(day, DAYS),
        months=_numbers(month, MONTHS, _MONTH_NAMES),
        weekdays=frozenset(day % 7 for day in _numbers(weekday, WEEKDAYS, _DAY_NAMES)),
        zone=zone,
    )


def _numbers(
    field: str, within: tuple[int, int], names: Mapping[str, int] = _NOBODY
) -> frozenset[int]:
    found: set[int] = set()
    for item in field.split(","):
        found.update(_item(item, within, names))
    return frozenset(found)


def _item(item: str, within: tuple[int, int], names: Mapping[str, int]) -> range:
    read = _ITEM.fullmatch(item)
    if read is None:
        raise ValueError(f"{item[:20]!r} is no number, range or step")
    star, first, last, step = read.groups()
    lowest, highest = within
    end = 6 if within == WEEKDAYS else highest  # Sunday is 7 as well, but not twice in a range
    low = lowest if star else _number(first, names)
    high = end if star or (step and not last) else _number(last or first, names)
    if not lowest <= low <= high <= highest or (step and int(step) == 0):
        raise ValueError(f"{item[:20]!r} is not within {lowest}-{highest}")
    return range(low, high + 1, int(step or 1))


def _number(word: str, names: Mapping[str, int]) -> int:
    if word in names:
        return names[word]
    if not word.isascii() or not word.isdigit():
        raise ValueError(f"{word[:20]!r} is no number")
    return int(word)


@lru_cache(maxsize=1_024)
def _moments(cron: Cron, day: date) -> list[datetime]:
    """The due times of a local day that fits, in UTC and in order."""
    every_hour = len(cron.hours) == 24
    found: set[datetime] = set()
    for hour in cron.hours:
        for minute in cron.minutes:
            found |= moments_of(datetime.combine(day, time(hour, minute)), cron.zone, every_hour)
    return sorted(found)


def moments_of(wall: datetime, zone: tzinfo | None, both: bool = False) -> set[datetime]:
    """When the clock of `zone` shows `wall`, in UTC; when it goes on, if it never does.

    A time it shows twice is its first, and with `both` its second as well.
    """
    first = _utc(wall, zone)
    while first.astimezone(zone).replace(tzinfo=None, fold=0) != wall:
        wall += _MINUTE  # inside a gap
        first = _utc(wall, zone)
    return {first, _utc(wall.replace(fold=1), zone)} if both else {first}


def _utc(wall: datetime, zone: tzinfo | None) -> datetime:
    return wall.replace(tzinfo=zone).astimezone(UTC)
