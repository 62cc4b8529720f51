"""What happens to a person in a year: which fact is told, told again, changed or ended when."""

from calendar import month_name
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from random import Random

from data.simulated_year.wording import Kind, Value

MONTHLY = ("trip", "concert")  # plans of a month to come
DATED = ("dentist",)  # plans of a day to come
PASSING = ("injury",)  # ends by itself
WRONG = 0.2  # share of kinds that are told by mistake once, and put right at once
SILENT = 0.25  # share of changes that are told as if nothing had been before
ENDED = 0.4  # share of what can end that does
YEAR = 365


class Op(StrEnum):
    """What an event does to a fact."""

    TELL = "+"
    CHANGE = ">"
    AGAIN = "="
    END = "x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something to be told on `day` or as soon after as there is a session."""

    day: int
    track: str
    kind: Kind
    op: Op
    value: Value  # for an end: what ended
    lines: tuple[str, ...]  # one of them is said
    wrong: Value | None = None  # said first, by mistake


def plotted(
    rng: Random,
    kinds: Sequence[Kind],
    values: Mapping[str, Sequence[Value]],
    *,
    strangers: Mapping[str, Sequence[Value]],
    days: int,
    start: datetime,
) -> list[Event]:
    """Every event of `days` from `start` on, in order; fewer days tell of fewer kinds.

    What is said by mistake is taken from the values of `strangers`.
    """
    told = rng.sample(list(kinds), min(len(kinds), max(8, days // 2)))
    events: list[Event] = []
    for kind in sorted(told, key=lambda one: one.name):
        known = rng.sample(list(values.get(kind.name, ())), len(values.get(kind.name, ())))
        spare = rng.choice(strangers[kind.name]) if kind.name in strangers else None
        plot = _Plot(rng=rng, kind=kind, days=days, start=start, spare=spare)
        if kind.name in MONTHLY or kind.name in DATED:
            events += plot.plans(known)
        elif kind.many:
            events += plot.several(known)
        else:
            events += plot.one(known)
    return sorted((one for one in events if one.day < days), key=lambda one: one.day)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """The story of one kind."""

    rng: Random
    kind: Kind
    days: int
    start: datetime
    spare: Value | None  # said by mistake, at most once

    def one(self, known: Sequence[Value]) -> Iterator[Event]:
        """One value at a time."""
        first = self._first()
        times = [first]
        for _ in range(min(self.kind.changes, len(known) - 1)):
            later = times[-1] + self.rng.randint(14, 150)
            if later < self.days and self.rng.random() < 0.8:
                times.append(later)
        wrong = self.rng.randrange(len(times))
        for place, day in enumerate(times):
            value, after = known[place], times[place + 1] if place + 1 < len(times) else self.days
            op = Op.CHANGE if place and self.kind.of(">") else Op.TELL
            yield self._telling(day, op, value, may_err=place == wrong)
            last = self._end(day, after) if place + 1 == len(times) else after
            yield from self._again(self.kind.name, day, last, value)
            if last != after:
                yield self._event(self.kind.name, last, Op.END, value)

    def several(self, known: Sequence[Value]) -> Iterator[Event]:
        """Values that hold side by side, each a track of its own."""
        for value in known:
            track, day = f"{self.kind.name}/{value.extra or value.text}", self._first()
            op = Op.CHANGE if day > 60 and self.kind.of(">") else Op.TELL
            yield self._event(track, day, op, value)
            last = self._end(day, self.days)
            yield from self._again(track, day, last, value)
            if last < self.days:
                yield self._event(track, last, Op.END, value)

    def plans(self, known: Sequence[Value]) -> Iterator[Event]:
        """What is ahead, and over when its time has come."""
        track, day = self.kind.name, self._first()
        for number in range(1 + self.kind.changes):
            if day >= self.days:
                return
            value = self._planned(day, known[number % len(known)] if known else None)
            until = value.until or self.start
            last = (until - self.start).days
            yield self._event(track, day, Op.TELL, value)
            yield from self._again(track, day, last, value)
            if self.kind.of("x") and self.rng.random() < 0.6:
                yield self._event(track, last + self.rng.randint(1, 5), Op.END, value)
            day = last + self.rng.randint(15, 60)

    def _planned(self, day: int, value: Value | None) -> Value:
        """`value` with its time: a day some weeks ahead, or a month some months ahead."""
        ahead = self.start + timedelta(days=day + self.rng.randint(25, 60))
        if value is None:
            named, turned = (
                f"{month_name[ahead.month]} {ahead.day}",
                f"{ahead.day} {month_name[ahead.month]}",
            )
            over = ahead.replace(hour=0, minute=0) + timedelta(days=1)
            return Value(text=named, forms=(named, turned, ahead.date().isoformat()), until=over)
        over = (ahead.replace(day=1) + timedelta(days=32)).replace(day=1)
        return replace(value, extra=month_name[ahead.month], until=over)

    def _first(self) -> int:
        """Most of what there is to tell is told early."""
        return int(self.days * 0.8 * self.rng.random() ** 1.7)

    def _end(self, day: int, after: int) -> int:
        """The day it ended, or `after` when it did not."""
        likely = 1.0 if self.kind.name in PASSING else ENDED * self.days / YEAR
        if not self.kind.of("x") or (self.kind.many and not self.kind.changes):
            return after
        last = day + self.rng.randint(20, 120)
        return last if last < after and self.rng.random() < likely else after

    def _again(self, track: str, day: int, last: int, value: Value) -> Iterator[Event]:
        """Told again between `day` and `last`, in other words or nearly the same."""
        for _ in range(min(3, self.rng.randint(0, 2) + (last - day) // 120)):
            if last - day < 4:
                return
            when = self.rng.randrange(day + 1, last - 1)
            mark = Op.AGAIN if self.kind.of("=") and self.rng.random() < 0.65 else Op.TELL
            yield replace(self._event(track, when, mark, value), op=Op.AGAIN)

    def _telling(self, day: int, op: Op, value: Value, *, may_err: bool) -> Event:
        event = self._event(self.kind.name, day, op, value)
        if op is Op.CHANGE and self.rng.random() < SILENT:
            event = replace(event, lines=self.kind.of("+"))
        errs = self.rng.random() < WRONG and may_err and self.spare != value
        return replace(event, wrong=self.spare) if errs else event

    def _event(self, track: str, day: int, op: Op, value: Value) -> Event:
        lines = self.kind.of(op)
        return Event(day=day, track=track, kind=self.kind, op=op, value=value, lines=lines)
