"""Follows folders: what changes in them is read once it stands still."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stratal_ingest.report import Report
from stratal_ingest.sources import Found, Origin, Source, find

EVERY = 1.0  # seconds between two looks; a file is read when it is the same in two of them

Stamp = tuple[int, int, int]  # when it was written, its size, its number on the disk
Look = Callable[[], Found]


def watch(
    paths: Sequence[str],
    *,
    read: Callable[[Found], Report],
    every: float = EVERY,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Report]:
    """What each round read, the first at once; it goes on until it is closed or interrupted.

    `read` ingests what was found. A file that is still being written is left for later, and one
    that is gone for a moment only, as while an editor saves it, is not retired. Looking costs a
    walk through the folders; nothing is read to find out.
    """
    yield from Watching(lambda: find(paths), read=read).rounds(every=every, sleep=sleep)


@dataclass(slots=True, kw_only=True)
class _Seen:
    """What was there at one look."""

    found: Found
    stamps: Mapping[str, Stamp] = field(default_factory=dict[str, Stamp])


class Watching:
    """Compares one look with the one before, and with what was read."""

    def __init__(self, look: Look, *, read: Callable[[Found], Report]) -> None:
        """`look` says what is there now."""
        self._look = look
        self._read = read
        self._read_so: dict[str, Stamp] = {}  # the stamps of what was read
        self._before: Mapping[str, Stamp] = {}

    def rounds(self, *, every: float, sleep: Callable[[float], None]) -> Iterator[Report]:
        """A report for each round that read something, the first always."""
        seen = self._seen()
        self._before, self._read_so = seen.stamps, dict(seen.stamps)
        yield self._read(seen.found)
        while True:
            sleep(every)
            report = self.round()
            if report is not None:
                yield report

    def round(self) -> Report | None:
        """Look once; the report of what was read, None where nothing stands still and differs."""
        seen = self._seen()
        ripe = [
            source
            for source in seen.found.sources
            if self._before.get(source.key) == seen.stamps.get(source.key, ())
            and self._read_so.get(source.key) != seen.stamps[source.key]
        ]
        lost = {key for key in self._read_so if key not in seen.stamps and key not in self._before}
        self._before = seen.stamps
        if not ripe and not lost:
            return None
        for key in lost:
            del self._read_so[key]
        self._read_so.update({source.key: seen.stamps[source.key] for source in ripe})
        there = frozenset({*seen.stamps, *self._read_so})
        return self._read(Found(sources=tuple(ripe), roots=seen.found.roots, keys=there))

    def _seen(self) -> _Seen:
        found = self._look()
        stamps = {source.key: _stamp(source) for source in found.sources}
        return _Seen(
            found=found, stamps={key: stamp for key, stamp in stamps.items() if stamp is not None}
        )


def _stamp(source: Source) -> Stamp | None:
    """None for what is not there or is no file."""
    if source.origin is not Origin.FILE or source.problem is not None:
        return None
    try:
        status = os.stat(source.path)  # noqa: PTH116 - as in `sources`
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
