"""Exports that somebody wrote by hand: real lines with other fields."""

import json
from io import BytesIO

from pydantic import JsonValue

from stratal_memory.portability.export import export
from stratal_memory.portability.reading import lines
from stratal_memory.portability.report import Imported
from stratal_memory.portability.restoring import restore
from stratal_memory.store import Store

Row = dict[str, JsonValue]


def rows_of(store: Store, kind: str) -> list[Row]:
    """The lines of one kind in the store's own export."""
    found = [json.loads(line) for line in export(store)]
    return [row for row in found if row["record"] == kind]


def take(store: Store, *rows: Row) -> Imported:
    """What became of these rows, between a header and an end."""
    head: Row = {"record": "header", "format": "stratal-memory", "version": 1, "user": store.user}
    text = "\n".join(json.dumps(row) for row in (head, *rows, {"record": "end"}))
    return restore(store, lines(BytesIO(text.encode())))


def reasons(report: Imported) -> list[str]:
    """Why rows were refused."""
    return [one.reason for one in report.refusals]
