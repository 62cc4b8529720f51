"""What an ingest did, for people: what changed or was refused, and the sums; narrow first."""

import os
from collections.abc import Iterator

from rich.console import RenderableType

from stratal.cli.shapes.knowledge import Ingested
from stratal.cli.terminal import brief, cell, lines, table
from stratal_ingest.report import FileRow, FileStatus

STYLES = {
    FileStatus.ADDED: "green",
    FileStatus.CHANGED: "yellow",
    FileStatus.RETIRED: "magenta",
    FileStatus.REFUSED: "red",
}
ROWS = 40  # of files that went well; refused ones are all shown
REASON = 200  # characters


def ingested_view(done: Ingested) -> RenderableType:
    """A row for each file that is not what it was, why files were refused, and the sums."""
    told = [row for row in done.files if row.status is not FileStatus.UNCHANGED]
    well = [row for row in told if row.error is None]
    left = len(well) - ROWS
    return lines(
        _table(well[:ROWS]) if well else None,
        cell(f"and {left:,} more", "dim") if left > 0 else None,
        *_refusals(done.files),
        cell(_sums(done), "bold"),
        cell(f"stratal memory undo {done.run} takes it back", "dim") if done.run else None,
    )


def _table(rows: list[FileRow]) -> RenderableType:
    made = table("", "file", "chunks", right=("chunks",))
    for row in rows:
        status = "moved" if row.moved_from else row.status.value
        made.add_row(
            cell(status, STYLES.get(row.status, "dim")),
            cell(_place(row)),
            cell(f"{row.chunks:,}"),
        )
    return made


def _place(row: FileRow) -> str:
    """The file, and where it was or what it shares its passages with."""
    path = short_path(row.path)
    if row.moved_from:
        return f"{path} (was {short_path(row.moved_from)})"
    return f"{path} (a copy of {row.copy_of})" if row.copy_of else path


def _refusals(rows: tuple[FileRow, ...]) -> Iterator[RenderableType]:
    for row in rows:
        if row.error is not None:
            yield cell(f"refused {short_path(row.path)}", STYLES[FileStatus.REFUSED])
            yield cell(f"  {row.error.type}: {brief(row.error.message, longest=REASON)}")


def _sums(done: Ingested) -> str:
    totals = done.totals
    counts = {status: getattr(totals, status.value) for status in FileStatus}
    told = ", ".join(f"{count:,} {status.value}" for status, count in counts.items() if count)
    moved = f" ({totals.moved:,} moved)" if totals.moved else ""
    sizes = f"{totals.chunks:,} chunks, {totals.tokens:,} tokens, {totals.seconds:.1f} s"
    return f"{told or 'no files'}{moved}; {sizes}"


def short_path(path: str) -> str:
    """`path` from the folder we are in, where it lies below it."""
    here = os.getcwd()  # noqa: PTH109 - the text alone is wanted
    return path.removeprefix(f"{here}{os.sep}")
