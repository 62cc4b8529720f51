"""When a job may start: quiet hours, and how far each user's due times are spread."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo

from stratal.errors import ConfigError
from stratal.jobs.cron import moments_of

_SPAN = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-4]):([0-5]\d)")
DAY = 24 * 60  # minutes


@dataclass(frozen=True, slots=True)
class Quiet:
    """Hours in which no job starts, as minutes of the local day; the last is not included."""

    spans: tuple[tuple[int, int], ...]
    zone: tzinfo | None  # None: the machine's

    def end(self, moment: datetime) -> datetime:
        """When a job may start: `moment`, or the end of the quiet hours it lies in, in UTC."""
        while (wall := self._wall_end(moment)) is not None:
            both = sorted(moments_of(wall, self.zone, both=True))
            moment = next((end for end in both if end > moment), both[-1])
        return moment

    def _wall_end(self, moment: datetime) -> datetime | None:
        local = moment.astimezone(self.zone).replace(tzinfo=None, fold=0)
        minute = local.hour * 60 + local.minute
        midnight = datetime.combine(local.date(), time())
        for first, last in self.spans:
            if first <= minute < last:
                return midnight + timedelta(minutes=last)
        return None


def read_quiet(text: str, *, setting: str, zone: tzinfo | None = None) -> Quiet:
    """The hours that `22:00-06:00` names, several divided by commas; empty: none.

    `ConfigError` when the words name no hours, or all of them.
    """
    spans: list[tuple[int, int]] = []
    for part in text.split(",") if text.strip() else []:
        spans += _spans(part.strip(), setting)
    joined = _joined(spans)
    if joined == [(0, DAY)]:
        raise ConfigError(
            f"{setting} leaves no minute of the day: {text[:80]!r}; no job ever comes due",
            hint="Leave an hour in which jobs may start.",
        )
    return Quiet(tuple(joined), zone)


def _spans(part: str, setting: str) -> list[tuple[int, int]]:
    read = _SPAN.fullmatch(part)
    numbers = [int(number) for number in read.groups()] if read else [0, 0, 0, 0]
    first, last = numbers[0] * 60 + numbers[1], numbers[2] * 60 + numbers[3]
    if read is None or first == last or last > DAY:
        raise ConfigError(
            f"{setting} names no hours: {part[:80]!r}", hint="Write 22:00-06:00, or nothing."
        )
    return [(first, last)] if first < last else [(first, DAY), (0, last)]


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(span for span in spans if span[0] < span[1]):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def spread(user: str, *, most: timedelta) -> timedelta:
    """How much later than the schedule says `user` comes: below `most`, and always the same."""
    drawn = int.from_bytes(hashlib.sha256(user.encode("utf-8", "replace")).digest()[:8])
    return timedelta(microseconds=int(most / timedelta(microseconds=1)) * drawn >> 64)
