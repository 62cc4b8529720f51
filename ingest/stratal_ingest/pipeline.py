"""Files in, documents out: find, read, chunk, embed, store; one bad file never stops the run.

Three things go on at once: the parser child reads the next files, a thread embeds the passages of
many documents sorted by length, and this thread cuts up and writes. A document is written in one
transaction once all its vectors are there, so that none is ever seen in part.
"""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from stratal_ingest.chunker import Count
from stratal_ingest.options import Options, Progress
from stratal_ingest.report import Report, totalled
from stratal_ingest.run import Run
from stratal_ingest.sources import Found, find
from stratal_ingest.store import DocumentStore
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents

__all__ = [
    "DocumentStore",
    "Interrupted",
    "OnProgress",
    "Options",
    "Progress",
    "ingest",
    "ingest_found",
]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: what it stored stays, and the next run goes on from there."""

    def __init__(self, *, run: str, stored: int) -> None:
        """`stored` files belong to `run`; with none of them there is no such run."""
        super().__init__(run, stored)
        self.run = run
        self.stored = stored


class OnProgress(Protocol):
    """Told how far a run is; what it raises ends the run."""

    def __call__(self, progress: Progress, /) -> None:
        """`progress` so far."""


def ingest(
    paths: Sequence[str],
    *,
    into: DocumentStore | Store,
    count: Count | None = None,
    on_progress: OnProgress | None = None,
    options: Options | None = None,
) -> Report:
    """What became of each file `paths` names: files, folders, patterns, addresses, `-` for stdin.

    A file whose bytes are those of the live document from its path is left alone; one that has
    moved is moved; what is gone from a folder or pattern that is read again is retired. `count`
    counts a passage's tokens; without it the store's embedder does. A dry run reads everything and
    stores nothing. Errors of the store itself stop the run and are raised; what was stored before
    them stays, and a second run goes on from there.
    """
    options = options or Options()
    found = find(paths, stdin_name=options.stdin_name)
    return ingest_found(found, into=into, count=count, on_progress=on_progress, options=options)


def ingest_found(
    found: Found,
    *,
    into: DocumentStore | Store,
    count: Count | None = None,
    on_progress: OnProgress | None = None,
    options: Options | None = None,
) -> Report:
    """As `ingest`, for sources that were found already."""
    began = time.perf_counter()
    options = options or Options()
    store = (Documents(into) if isinstance(into, Store) else into).in_run()
    tell: Callable[[Progress], None] = on_progress or (lambda progress: None)
    with Run(found, store, count=count or store.count, options=options, tell=tell) as run:
        try:
            rows = run.rows()
        except KeyboardInterrupt as error:
            raise Interrupted(run=store.run, stored=run.stored) from error
    report = totalled(rows, seconds=time.perf_counter() - began, run=store.run)
    if options.dry_run or not store.close_run(report.summary()):
        return totalled(rows, seconds=report.totals.seconds)
    return report
