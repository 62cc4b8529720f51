"""The bar of an ingest: files, chunks a second, time left."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import PurePath

from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from stratal.cli.streams import printable
from stratal.cli.terminal import Terminal
from stratal_ingest.options import Progress
from stratal_ingest.pipeline import OnProgress

NAME = 20  # characters of the file in hand
STEPS = 1_000  # of the bar: files are counted and bytes weighed


@contextmanager
def ingest_bar(terminal: Terminal) -> Generator[OnProgress]:
    """Who to tell how far it is; nothing is drawn without a terminal."""
    bar = terminal.bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[files]}", markup=False),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(compact=True),
    )
    if bar is None:
        yield lambda progress: None
        return
    with bar:
        task = bar.add_task("reading", total=STEPS, files="", rate="")
        yield _Telling(bar, task).tell


class _Telling:
    """Draws what a run tells; the rate is over the last seconds, not over the whole run."""

    def __init__(self, bar: Bar, task: TaskID) -> None:
        self._bar = bar
        self._task = task
        self._began = time.monotonic()

    def tell(self, progress: Progress) -> None:
        """Move the bar."""
        seconds = max(time.monotonic() - self._began, 0.1)
        name = printable(PurePath(progress.path).name) if progress.path else "writing"
        self._bar.update(
            self._task,
            completed=round(STEPS * share(progress)),
            description=f"{name[: NAME - 1]}…" if len(name) > NAME else name,
            files=f"{progress.done:,}/{progress.total:,} files",
            rate=f"{progress.chunks / seconds:,.0f} chunks/s",
        )


def share(progress: Progress) -> float:
    """How much is done, 0 to 1: by bytes, for files differ; by files where none are known.

    >>> share(Progress(done=9, total=10, path="", chunks=0, bytes=10, total_bytes=100))
    0.1
    """
    if progress.total_bytes:
        return min(1.0, progress.bytes / progress.total_bytes)
    return progress.done / progress.total if progress.total else 1.0
