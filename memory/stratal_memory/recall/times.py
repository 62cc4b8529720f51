"""The stretch of time a question is about, and how close to it something was said."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from stratal_memory.learning.dates import Precision, When, resolve

# How much a date says: a day picks one conversation, a year hardly any.
WEIGHT = {Precision.DAY: 1.0, Precision.WEEK: 0.9, Precision.MONTH: 0.7, Precision.YEAR: 0.35}
AFTER, BEFORE = 12.0, 6.0  # days after or before in which closeness falls to a third
_SHIFT = re.compile(
    r"\b(?P<count>\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few|an?)"
    r"\s+(?P<unit>day|week|month|year)s?\s+(?P<side>before|after)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_NUMBERS = "zero one two three four five six seven eight nine ten"
_COUNTS = {name: number for number, name in enumerate(_NUMBERS.split())} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "a few": 3,
}
_DAYS = {"day": 1, "week": 7, "month": 30.4, "year": 365.25}
_ANY_YEAR = re.compile(
    r"(?!last|next|this)(?=.*\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))", re.IGNORECASE
)
_DAY, _YEAR = timedelta(days=1), timedelta(days=365.25)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time a question names; `every_year` when it named a month or day without the year."""

    start: datetime
    end: datetime  # the first moment after it
    weight: float  # how much it says, 0..1
    every_year: bool


def stretches(text: str, now: datetime) -> tuple[Stretch, ...]:
    """The times `text` names, in order, resolved against `now`; "two weeks before 5 May" is one."""
    return tuple(_stretch(text, when) for when in resolve(text, now, past=True))


def _stretch(text: str, when: When) -> Stretch:
    start, end = when.span
    shift = _shift(text[:start])
    named = bool(_ANY_YEAR.match(text[start:end]))
    return Stretch(
        when.start + shift,
        when.end + shift,
        WEIGHT[when.precision],
        every_year=named and not when.year_given,
    )


def _shift(before: str) -> timedelta:
    match = _SHIFT.search(before)
    if match is None:
        return timedelta()
    word = match["count"].lower()
    count = int(word) if word.isdigit() else _COUNTS[word]
    days = count * _DAYS[match["unit"].lower()]
    return timedelta(days=-days if match["side"].lower() == "before" else days)


def closeness(at: datetime, asked: Sequence[Stretch]) -> float:
    """How close to one of the `asked` times `at` is, 0..1: inside it counts by what it says.

    What happened is told soon after it, so a little later is closer than a little before.
    """
    return max((one.weight * _near(at, one) for one in asked), default=0.0)


def _near(at: datetime, asked: Stretch) -> float:
    start, end = asked.start, asked.end
    if asked.every_year:
        years = round((at - start) / _YEAR)
        start, end = start + years * _YEAR, end + years * _YEAR
    away = max(start - at, at - end, timedelta()) / _DAY
    return math.pow(3.0, -away / (BEFORE if at < start else AFTER))
