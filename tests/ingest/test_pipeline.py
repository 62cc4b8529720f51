import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from stratal_ingest.limits import Limits
from stratal_ingest.pipeline import Progress, ingest
from stratal_ingest.report import FileStatus, Report
from stratal_memory.errors import StorageFull
from stratal_memory.incoming import NewDocument
from stratal_memory.records import Document, Passage, Trust
from tests.ingest.samples import MemoryStore, words


def statuses(report: Report) -> list[FileStatus]:
    return [row.status for row in report.files]


def test_a_folder_becomes_documents_with_passages(tmp_path: Path) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nThirty days a year.")
    store = MemoryStore()

    report = ingest([str(tmp_path)], into=store, count=words)

    (row,) = report.files
    assert (row.id, row.status, row.format, row.title) == ("doc_1", "added", "markdown", "Leave")
    assert (row.characters, row.chunks, row.tokens) == (26, 1, 5)
    stored = store.documents[str(tmp_path / "leave.md")]
    assert stored.trust == Trust.DOCUMENT
    assert [passage.heading for passage in store.passages[stored.path]] == [("Leave",)]


def test_a_second_run_writes_nothing_and_an_edit_writes_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    store = MemoryStore()

    ingest([str(tmp_path)], into=store, count=words)
    again = ingest([str(tmp_path)], into=store, count=words)
    (tmp_path / "b.txt").write_text("three")
    edited = ingest([str(tmp_path)], into=store, count=words)

    assert statuses(again) == [FileStatus.UNCHANGED, FileStatus.UNCHANGED]
    assert statuses(edited) == [FileStatus.UNCHANGED, FileStatus.CHANGED]
    assert store.writes == 3


def test_a_bad_file_is_a_row_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "c.txt").write_bytes(bytes(range(20)))
    (tmp_path / "d.txt").write_text("good")
    store = MemoryStore()

    report = ingest(
        [str(tmp_path), str(tmp_path / "none")],
        into=store,
        count=words,
        limits=Limits(file_bytes=30),
    )

    errors = [row.error.type if row.error else "" for row in report.files]
    assert errors == ["CorruptDocument", "EmptyDocument", "UnsupportedFormat", "", "NotFound"]
    assert report.exit_code == 3
    assert store.writes == 1


def test_a_refused_file_leaves_the_document_it_was_before(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("good")
    store = MemoryStore()
    ingest([str(path)], into=store, count=words)
    path.write_bytes(b"\x00\x01")

    report = ingest([str(path)], into=store, count=words)

    assert statuses(report) == [FileStatus.REFUSED]
    assert store.documents[str(path)].characters == 4


def test_a_dry_run_reads_everything_and_stores_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two")
    store = MemoryStore()

    report = ingest([str(tmp_path)], into=store, count=words, dry_run=True)

    assert (report.files[0].status, report.files[0].id, report.files[0].tokens) == ("added", "", 2)
    assert store.writes == 0


def test_progress_is_told_before_each_file_and_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("")
    told: list[Progress] = []

    ingest([str(tmp_path)], into=MemoryStore(), count=words, on_progress=told.append)

    assert [(step.done, Path(step.path).name, step.chunks) for step in told] == [
        (0, "a.txt", 0),
        (1, "b.txt", 1),
        (2, "", 1),
    ]
    assert {step.total for step in told} == {2}


def test_standard_input_is_a_document_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # Standard input belongs to the whole process; there is no other way to hand one in.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"<html><p>piped</p></html>")))
    store = MemoryStore()

    report = ingest(["-"], into=store, count=words)

    assert (report.files[0].path, report.files[0].format) == ("stdin", "html")
    assert store.passages["stdin"][0].text == "piped"


def test_an_error_of_the_store_stops_the_run(tmp_path: Path) -> None:
    class FullStore(MemoryStore):
        def put(self, document: NewDocument, passages: Sequence[Passage]) -> Document:
            raise StorageFull("the disk is full")

    (tmp_path / "a.txt").write_text("one")

    with pytest.raises(StorageFull):
        ingest([str(tmp_path)], into=FullStore(), count=words)


def test_nothing_of_a_file_is_executed_or_followed(tmp_path: Path) -> None:  # covers X1
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "a.rst").write_text(".. include:: secret.txt\n")
    (tmp_path / "b.py").write_text(f"open({str(tmp_path / 'made')!r}, 'w')\n")
    store = MemoryStore()

    ingest([str(tmp_path / "a.rst"), str(tmp_path / "b.py")], into=store, count=words)

    assert store.passages[str(tmp_path / "a.rst")][0].text == ".. include:: secret.txt"
    assert not (tmp_path / "made").exists()
