import json

import pytest

from stratal_ingest.report import FileRow, FileStatus, RowError, totalled


def row(status: FileStatus) -> FileRow:
    refused = status == FileStatus.REFUSED
    error = RowError(type="EmptyDocument", message="nothing") if refused else None
    return FileRow(id="doc_1", path="a.md", status=status, chunks=2, tokens=9, error=error)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ([FileStatus.ADDED, FileStatus.UNCHANGED], 0),
        ([FileStatus.REFUSED], 1),
        ([], 1),
        ([FileStatus.ADDED, FileStatus.REFUSED], 3),
    ],
)
def test_the_exit_code_says_how_much_succeeded(statuses: list[FileStatus], code: int) -> None:
    assert totalled([row(status) for status in statuses], seconds=1).exit_code == code


def test_json_has_the_documented_shape() -> None:
    report = totalled([row(FileStatus.ADDED), row(FileStatus.REFUSED)], seconds=2.5)

    shape = json.loads(json.dumps(report.to_json()))

    assert shape["files"][0] == {
        "id": "doc_1",
        "path": "a.md",
        "status": "added",
        "format": "",
        "title": "",
        "pages": 0,
        "characters": 0,
        "chunks": 2,
        "tokens": 9,
        "seconds": 0.0,
        "error": None,
        "moved_from": "",
        "copy_of": "",
        "within": "",
    }
    assert shape["files"][1]["error"] == {"type": "EmptyDocument", "message": "nothing"}
    assert shape["totals"]["added"] == shape["totals"]["refused"] == 1
    assert (shape["totals"]["chunks"], shape["totals"]["seconds"]) == (4, 2.5)
