"""XLSX, XLSB and XLS: each sheet a page under its name, its rows with the names of the columns."""

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from stratal_ingest.document import Block, ReadDocument
from stratal_ingest.errors import CorruptDocument, EncryptedDocument
from stratal_ingest.readers.number_format import plain_number
from stratal_ingest.readers.sheet import Cells, Sheet, sheet_blocks, shown_name
from stratal_ingest.readers.workbook import read_workbook

_ZIP = b"PK"
_BINARY_PART = b"xl/workbook.bin"

_Value = int | float | str | bool | time | date | datetime | timedelta


class SpreadsheetReader:
    """Reads Excel's formats; formulas are read as the values they were saved with."""

    formats = ("xlsx", "xls")
    libraries = ("lxml.etree", "python_calamine")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The sheets in their order."""
        if data.startswith(_ZIP) and _BINARY_PART not in data:
            return read_workbook(data)
        blocks, sheets = _binary(data)
        return ReadDocument(
            format="xlsx" if data.startswith(_ZIP) else "xls", blocks=blocks, pages=sheets
        )


def _binary(data: bytes) -> tuple[tuple[Block, ...], int]:
    """The blocks of a workbook in one of the binary formats, and how many sheets it has."""
    from python_calamine import (
        CalamineError,
        CalamineWorkbook,
        PasswordError,
        SheetTypeEnum,
        SheetVisibleEnum,
    )

    blocks: list[Block] = []
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            listed = workbook.sheets_metadata
            for page, entry in enumerate(listed, 1):
                if entry.typ != SheetTypeEnum.WorkSheet:
                    continue
                hidden = entry.visible != SheetVisibleEnum.Visible
                sheet = workbook.get_sheet_by_name(entry.name)
                rows, start = sheet.iter_rows(), sheet.start or (0, 0)
                shown = shown_name(entry.name, hidden=hidden)
                cells = _cells(rows, start)
                blocks.extend(sheet_blocks(Sheet(name=shown, page=page, cells=cells)))
    except PasswordError as error:
        raise EncryptedDocument(
            "a password is needed", hint="Save it without a password."
        ) from error
    except CalamineError as error:
        raise CorruptDocument(f"it is not a readable workbook: {error}") from error
    return tuple(blocks), len(listed)


def _cells(rows: Iterator[list[_Value]], start: tuple[int, int]) -> Cells:
    found: Cells = {}
    for number, row in enumerate(rows, start[0]):
        texts = {
            column: " ".join(_shown(value).split())
            for column, value in enumerate(row, start[1])
            if value != ""
        }
        shown = {column: text for column, text in texts.items() if text}
        if shown:
            found[number] = shown
    return found


def _shown(value: _Value) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return plain_number(float(value))
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00").removesuffix(":00")
    return value if isinstance(value, str) else str(value)
