"""What makes a job come due: cron, an interval, silence; several of them at once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice

from stratal.errors import ConfigError
from stratal.jobs.cron import Cron, read_cron

OFF = "off"
COUNTED = 10_000  # missed due times are counted up to here: a year of an hourly job is 8,760
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=366)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WORDS = re.compile(r"(every|idle)\s+(\d{1,9})\s*(m|h|d|w)", re.IGNORECASE)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Interval:
    """Due at every multiple of `length` since 1970, UTC, so that all processes name the same."""

    length: timedelta

    def after(self, moment: datetime) -> datetime | None:
        """The first due time later than `moment`."""
        return EPOCH + ((moment - EPOCH) // self.length + 1) * self.length


Regular = Cron | Interval


@dataclass(frozen=True, slots=True)
class Triggers:
    """What makes one job come due. `idle`: so long after a conversation fell silent."""

    text: str
    regular: tuple[Regular, ...]
    idle: tuple[timedelta, ...]

    @property
    def off(self) -> bool:
        """Whether the job is not scheduled at all."""
        return not self.regular and not self.idle

    def after(self, moment: datetime) -> datetime | None:
        """The first due time later than `moment` that the clock alone makes; None without one."""
        found = [due for trigger in self.regular if (due := trigger.after(moment)) is not None]
        return min(found, default=None)


@dataclass(frozen=True, slots=True)
class Missed:
    """Due times that passed: how many, the first and the latest."""

    first: datetime
    latest: datetime
    count: int  # `COUNTED` at most

    def with_(self, other: "Missed | None") -> "Missed":
        """Both together."""
        if other is None:
            return self
        first, latest = min(self.first, other.first), max(self.latest, other.latest)
        return Missed(first, latest, self.count + other.count)


def read_triggers(text: str, *, setting: str, zone: tzinfo | None = None) -> Triggers:
    """What the words of a setting name, divided by `;`; `off` is none.

    `zone` is where cron's hours are; None: the machine's. `ConfigError` names `setting` when the
    words are no schedule, or name a time that never comes.
    """
    regular: list[Regular] = []
    idle: list[timedelta] = []
    for part in [] if text.strip().lower() == OFF else text.split(";"):
        named = _WORDS.fullmatch(part.strip())
        if named is None:
            regular.append(_cron(part.strip(), setting=setting, zone=zone))
            continue
        length = _length(named, setting=setting)
        if named[1].lower() == "idle":
            idle.append(length)
        else:
            regular.append(Interval(length))
    return Triggers(text=text, regular=tuple(regular), idle=tuple(idle))


def _length(named: re.Match[str], *, setting: str) -> timedelta:
    length = timedelta(**{_UNITS[named[3].lower()]: min(int(named[2]), 1_000_000)})
    if not SHORTEST <= length <= LONGEST:
        raise ConfigError(
            f"{setting} never comes due: {named[0]!r} is not between a minute and a year",
            hint="Write every 6h, or idle 30m.",
        )
    return length


def _cron(text: str, *, setting: str, zone: tzinfo | None) -> Cron:
    try:
        cron = read_cron(text, zone)
    except ValueError as error:
        raise ConfigError(
            f"{setting} is no cron schedule: {text[:80]!r} ({error})",
            hint="Five fields, as in 0 3 * * * for three o'clock every night; or every 6h, or "
            "idle 30m; several are divided by ;",
        ) from error
    if cron.after(EPOCH) is None:
        raise ConfigError(
            f"{setting} never comes due: {text[:80]!r}",
            hint="Name a day that such a month has.",
        )
    return cron


@lru_cache(maxsize=256)
def missed(triggers: Triggers, *, after: datetime, until: datetime) -> Missed | None:
    """The regular due times later than `after`, up to `until`; None when there was none."""
    found = list(islice(_between(triggers, after, until), COUNTED))
    if not found:
        return None
    latest = found[-1] if len(found) < COUNTED else _latest(triggers, after, until)
    return Missed(found[0], latest, len(found))


def _between(triggers: Triggers, after: datetime, until: datetime) -> Iterator[datetime]:
    due = triggers.after(after)
    while due is not None and due <= until:
        yield due
        due = triggers.after(due)


def _latest(triggers: Triggers, after: datetime, until: datetime) -> datetime:
    """The last of many: looked for in ever longer times before `until`."""
    span = timedelta(hours=1)
    while not (found := list(_between(triggers, max(after, until - span), until))):
        span *= 2
    return found[-1]
