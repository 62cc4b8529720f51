"""Days that a text speaks of, resolved against the moment and the zone it was written in."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from stratal_memory.errors import InputError

# Years outside are no dates people speak of, and their zone arithmetic may overflow.
_FIRST_YEAR, _LAST_YEAR = 1000, 9000

_MONTHS = "january february march april may june july august september october november december"
_MONTH_NUMBER = {
    written: number + 1
    for number, name in enumerate(_MONTHS.split())
    for written in (name, name[:3], *(("sept",) if name == "september" else ()))
}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
_FORTNIGHT = timedelta(days=14)
_COUNTS = {name: i + 1 for i, name in enumerate(_NUMBERS.split())} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "couple of": 2,
    "a few": 3,
}

_MONTH = r"(?P<month>" + "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?P<year>[12]\d{3})\b"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_COUNT = r"(?P<count>\d{1,4}|" + "|".join(sorted(_COUNTS, key=len, reverse=True)) + ")"
_UNIT = r"(?P<unit>day|week|month|year)s?"


class Precision(StrEnum):
    """How exact a date is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A stretch of whole days named in a text; `end` is the first moment after it."""

    start: datetime
    end: datetime
    span: tuple[int, int]  # characters into the text
    day: date  # the first day
    precision: Precision
    year_given: bool  # the year stood in the text, so it is not a guess

    def phrase(self) -> str:
        """It in words that stay true later, with the preposition: "on 3 May 2026"."""
        return {
            Precision.DAY: f"on {spoken(self.day)}",
            Precision.WEEK: f"in the week of {spoken(self.day)}",
            Precision.MONTH: f"in {spoken(self.day).partition(' ')[2]}",
            Precision.YEAR: f"in {self.day.year}",
        }[self.precision]


def spoken(day: date) -> str:
    """A day in English whatever the locale.

    >>> spoken(date(2026, 5, 3))
    '3 May 2026'
    """
    return f"{day.day} {_MONTHS.split()[day.month - 1].capitalize()} {day.year}"


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a date is resolved against."""

    today: date
    past: bool


_Days = tuple[date, Precision]
_Reader = Callable[[re.Match[str], _Frame], _Days]


def resolve(text: str, at: datetime, *, past: bool = False) -> list[When]:
    """The dates in `text` in order, never overlapping; days are days of the zone of `at`.

    A weekday, month or day without "last", "next" or a year is the coming one, or with `past`
    the one before. "next Tuesday" is the Tuesday of the next week, which begins on Monday.
    Raises `InputError` when `at` has no zone: give `datetime.now(UTC)` or a stored time.

    >>> at = datetime.fromisoformat("2026-11-20T09:00+01:00")
    >>> [when.phrase() for when in resolve("last May, and again next Tuesday", at)]
    ['in May 2026', 'on 24 November 2026']
    """
    if at.utcoffset() is None:
        raise InputError(
            f"the time {at.isoformat()} has no zone, so no day can be resolved against it",
            hint="Pass a timezone-aware datetime, such as datetime.now(UTC).",
        )
    found = sorted(_all(text, at, past), key=lambda when: (when.span[0], -when.span[1]))
    kept: list[When] = []
    for when in found:
        if not kept or when.span[0] >= kept[-1].span[1]:
            kept.append(when)
    return kept


def _all(text: str, at: datetime, past: bool) -> Iterator[When]:
    frame = _Frame(at.date(), past)
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            try:
                day, precision = read(match, frame)
                after = _after(day, precision)
            except (ValueError, OverflowError):
                continue  # "31 February", "9999 years ago": words, but no day
            if not (day.year >= _FIRST_YEAR and after.year <= _LAST_YEAR):
                continue
            yield When(
                start=datetime.combine(day, time.min, tzinfo=at.tzinfo),
                end=datetime.combine(after, time.min, tzinfo=at.tzinfo),
                span=match.span(),
                day=day,
                precision=precision,
                year_given=bool(match.groupdict().get("year")),
            )


def _after(day: date, precision: Precision) -> date:
    if precision == Precision.DAY:
        return day + timedelta(days=1)
    if precision == Precision.WEEK:
        return day + timedelta(days=7)
    return _months(day, 1 if precision == Precision.MONTH else 12)


def _months(day: date, count: int) -> date:
    """The first day of the month `count` months after that of `day`."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, 1)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _near(match: re.Match[str], frame: _Frame) -> _Days:
    words = " ".join(match.group().casefold().split())
    shift = {"day before": -2, "yesterday": -1, "last night": -1, "day after": 2, "tomorrow": 1}
    days = next((days for name, days in shift.items() if name in words), 0)
    return frame.today + timedelta(days=days), Precision.DAY


def _weekday(match: re.Match[str], frame: _Frame) -> _Days:
    which = (match["which"] or "").casefold()
    number = _DAYS.index(match["weekday"].casefold())
    if which == "next":
        return _monday(frame.today) + timedelta(days=7 + number), Precision.DAY
    if which == "last" or (not which and frame.past):
        back = (frame.today.weekday() - number - 1) % 7 + 1
        back += 7 * (which == "last" and back == 1)  # nobody calls yesterday "last Thursday"
        return frame.today - timedelta(days=back), Precision.DAY
    return frame.today + timedelta(days=(number - frame.today.weekday()) % 7), Precision.DAY


def _week_on(match: re.Match[str], frame: _Frame) -> _Days:
    """A week after the coming day: "Monday week", "a week on Monday", "a week today"."""
    named = (match["after"] or match["before"]).casefold()
    if named in ("today", "tomorrow"):
        return frame.today + timedelta(days=7 + (named == "tomorrow")), Precision.DAY
    ahead = (_DAYS.index(named) - frame.today.weekday() - 1) % 7 + 1
    return frame.today + timedelta(days=7 + ahead), Precision.DAY


def _fortnight(match: re.Match[str], frame: _Frame) -> _Days:
    return frame.today + (-_FORTNIGHT if match["ago"] else _FORTNIGHT), Precision.DAY


def _after_next(match: re.Match[str], frame: _Frame) -> _Days:
    return _moved(frame.today, 2, match["unit"].casefold())


def _day_of_month(match: re.Match[str], frame: _Frame) -> _Days:
    """The coming such day, or the last one: "on the 3rd"."""
    number, today = int(match["day"]), frame.today
    step = -1 if frame.past else 1
    for count in range(12):
        month = _months(today, step * count)
        try:
            day = month.replace(day=number)
        except ValueError:
            continue  # not every month has a 31st
        if (day <= today) if frame.past else (day >= today):
            return day, Precision.DAY
    raise ValueError(match.group())


def _period(match: re.Match[str], frame: _Frame) -> _Days:
    step = {"last": -1, "this": 0, "next": 1}[match["which"].casefold()]
    unit = match["unit"].casefold()
    if unit == "weekend":
        return _monday(frame.today) + timedelta(days=7 * step + 5), Precision.DAY
    return _moved(frame.today, step, unit)


def _moved(day: date, count: int, unit: str) -> _Days:
    if unit == "day":
        return day + timedelta(days=count), Precision.DAY
    if unit == "week":
        return _monday(day) + timedelta(days=7 * count), Precision.WEEK
    if unit == "month":
        return _months(day, count), Precision.MONTH
    return date(day.year + count, 1, 1), Precision.YEAR


def _relative(match: re.Match[str], frame: _Frame) -> _Days:
    words = match["count"].casefold()
    count = _COUNTS[words] if words in _COUNTS else int(words)
    return _moved(frame.today, -count if match["ago"] else count, match["unit"].casefold())


def _in_month(match: re.Match[str], frame: _Frame) -> _Days:
    month = _MONTH_NUMBER[match["month"].casefold()]
    if match["month"] == "may" and match["which"].casefold() == "this":
        raise ValueError(match.group())  # "this may help"
    if match["year"]:
        return date(int(match["year"]), month, 1), Precision.MONTH
    now, which = frame.today.month, match["which"].casefold()
    year = frame.today.year
    if which == "last" or (which not in {"next", "this"} and frame.past):
        year -= month > now or (which == "last" and month == now)
    elif which != "this":
        year += month < now or (which == "next" and month == now)
    return date(year, month, 1), Precision.MONTH


def _calendar_day(match: re.Match[str], frame: _Frame) -> _Days:
    month = _MONTH_NUMBER[match["month"].casefold()]
    if match["year"]:
        return date(int(match["year"]), month, int(match["day"])), Precision.DAY
    step = -1 if frame.past else 1
    for year in range(frame.today.year, frame.today.year + 9 * step, step):
        try:
            day = date(year, month, int(match["day"]))
        except ValueError:
            continue  # 29 February comes every four years, once every eight
        if (day <= frame.today) if frame.past else (day >= frame.today):
            return day, Precision.DAY
    raise ValueError(match.group())


def _iso(match: re.Match[str], _: _Frame) -> _Days:
    return date(int(match["year"]), int(match["month"]), int(match["day"])), Precision.DAY


def _bare_year(match: re.Match[str], _: _Frame) -> _Days:
    return date(int(match["year"]), 1, 1), Precision.YEAR


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_pattern(r"\b(?P<year>[12]\d{3})-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?!\d)"), _iso),
    (_pattern(rf"\b{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?"), _calendar_day),
    (_pattern(rf"\b{_MONTH} (?:the )?{_DAY}\b(?:,? {_YEAR})?"), _calendar_day),
    (
        _pattern(
            rf"\b(?P<which>last|next|this|in|since|until|by|from|early|late) {_MONTH}(?: {_YEAR})?"
        ),
        _in_month,
    ),
    (_pattern(rf"\b(?P<which>){_MONTH} {_YEAR}"), _in_month),
    (
        _pattern(
            r"\b(?:the day before yesterday|yesterday(?: (?:morning|afternoon|evening))?|last night"
            r"|today|tonight|this (?:morning|afternoon|evening)|the day after tomorrow"
            r"|tomorrow(?: (?:morning|afternoon|evening|night))?)\b(?!'s)"
        ),
        _near,
    ),
    (
        _pattern(
            r"\b(?:(?:(?P<which>last|next|this)|on|by|until) )?"
            rf"(?P<weekday>{'|'.join(_DAYS)})\b(?!'s)"
        ),
        _weekday,
    ),
    (_pattern(r"\b(?P<which>last|next|this) (?P<unit>weekend|week|month|year)\b(?!'s)"), _period),
    (
        _pattern(
            rf"\ba week (?:on |from )?(?P<after>{'|'.join(_DAYS)}|today|tomorrow)\b"
            rf"|\b(?:on )?(?P<before>{'|'.join(_DAYS)}|today|tomorrow) week\b"
        ),
        _week_on,
    ),
    (_pattern(r"\b(?:(?P<ago>a fortnight ago)|in a fortnight(?:'s time)?)\b"), _fortnight),
    (_pattern(r"\bthe (?P<unit>week|month|year) after next\b"), _after_next),
    (_pattern(rf"\b(?P<ago>){_COUNT} {_UNIT} from (?:now|today)\b"), _relative),
    (
        _pattern(
            r"\b(?:on|by|until|till|from|since) the (?P<day>[0-3]?\d)(?:st|nd|rd|th)\b"
            r"(?= ?(?:[,.!;)]|\Z|and |at |to |for |with |so |because |in the ))"
        ),
        _day_of_month,
    ),
    (_pattern(rf"\b{_COUNT} {_UNIT} (?P<ago>ago)\b"), _relative),
    (_pattern(rf"\b(?P<ago>)in {_COUNT} {_UNIT}(?:'? time)?\b"), _relative),
    (_pattern(rf"\b(?:in|since|until|by|during) {_YEAR}"), _bare_year),
)
