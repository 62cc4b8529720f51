import io
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from stratal.cli.ingest import so_far
from stratal.cli.ingest_bar import share
from stratal.cli.ingest_view import ingested_view
from stratal.cli.shapes.knowledge import Ingested
from stratal_ingest.options import Progress
from stratal_ingest.pipeline import Interrupted
from stratal_ingest.report import FileRow, FileStatus, RowError, totalled
from tests.platform.cli.running import Ran, Run

LONG = "# Handbook\n\n" + "\n\n".join(
    f"## Part {n}\n\n"
    + " ".join(f"Sentence {n}.{i} says something about ovens." for i in range(40))
    for n in range(3)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "handbook.md").write_text(LONG)
    return made


def drawn(view: RenderableType, *, width: int = 60) -> str:
    out = io.StringIO()
    Console(file=out, width=width, markup=False, highlight=False).print(view)
    return out.getvalue()


def only(ran: Ran) -> dict[str, str]:
    (document,) = ran.json["documents"]
    found: dict[str, str] = document
    return found


def test_the_whole_text_comes_out_again_whatever_the_passages_share(
    stratal: Run, folder: Path
) -> None:
    stratal("ingest", str(folder))
    id = only(stratal("documents", "list", "--json"))["id"]

    shown = stratal("documents", "show", id, "--text").out
    in_json = stratal("documents", "show", id, "--text", "--json").json

    words = LONG.replace("#", "").split()
    assert shown.split() == words
    assert in_json["text"].split() == words
    assert len(in_json["passages"]) > 3


def test_show_tells_the_outline_and_where_it_came_from(stratal: Run, folder: Path) -> None:
    stratal("ingest", str(folder))
    id = only(stratal("documents", "list", "--json"))["id"]

    out = stratal("documents", "show", id).out

    assert "Part 2" in out
    assert "found by docs" in out
    assert stratal("documents", "show", id, "--json").json["document"]["root"] == str(folder)


def test_a_removed_document_comes_back_by_the_undo_it_names(stratal: Run, folder: Path) -> None:
    stratal("ingest", str(folder))
    id = only(stratal("documents", "list", "--json"))["id"]

    undo = stratal("documents", "remove", id, "--json").json["undo"]
    assert stratal("documents", "list", "--json").json == {"documents": []}
    assert stratal("memory", "undo", undo).code == 0

    assert only(stratal("documents", "list", "--json"))["id"] == id
    assert "Part 2" in stratal("documents", "show", id).out


def test_the_undo_that_ingest_names_takes_the_run_back(stratal: Run, folder: Path) -> None:
    run = stratal("ingest", str(folder), "--json").json["run"]

    assert stratal("memory", "undo", run).code == 0

    assert stratal("documents", "list", "--json").json == {"documents": []}
    assert stratal("ingest", str(folder), "--json").json["totals"]["added"] == 1


def test_reindex_reads_what_is_there_and_leaves_the_rest(stratal: Run, folder: Path) -> None:
    (folder / "gone.txt").write_text("Gone by then.")
    stratal("ingest", str(folder))
    (folder / "gone.txt").unlink()

    ran = stratal("documents", "reindex", "--json")

    assert ran.code == 0
    assert [row["status"] for row in ran.json["files"]] == ["unchanged", "unchanged"]
    assert len(stratal("documents", "list", "--json").json["documents"]) == 2
    assert stratal("documents", "reindex", "--scope", "user").code == 0


def test_standard_input_is_called_what_the_user_says(
    stratal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Standard input belongs to the whole process; there is no other way to hand one in.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"# Piped\n\nText.")))

    row = stratal("ingest", "-", "--name", "notes.md", "--json").json["files"][0]

    assert (row["path"], row["format"], row["title"]) == ("notes.md", "markdown", "Piped")


@pytest.mark.parametrize("arguments", [("--dry-run", "docs"), ("-",)])
def test_a_watch_needs_something_it_can_follow(stratal: Run, arguments: tuple[str, ...]) -> None:
    assert stratal("ingest", "--watch", *arguments).code == 2


def test_an_address_is_refused_unless_it_is_allowed(stratal: Run) -> None:
    row = stratal("ingest", "https://example.com/a.html", "--json").json["files"][0]

    assert row["error"]["type"] == "UrlRefused"
    assert "--allow-url" in row["error"]["message"]


def test_the_report_is_readable_at_sixty_columns() -> None:
    path = "/a/rather/long/way/to/a/folder/with/a/file-of-a-long-name.pdf"
    rows = [
        FileRow(id="doc_1", path=path, status=FileStatus.ADDED, chunks=12),
        FileRow(id="doc_2", path="b.md", status=FileStatus.CHANGED, moved_from="a.md", chunks=3),
        FileRow(id="doc_3", path="same.md", status=FileStatus.UNCHANGED, chunks=3),
        FileRow(
            id="",
            path="c.pdf",
            status=FileStatus.REFUSED,
            error=RowError(type="CorruptDocument", message="it is broken " * 30),
        ),
    ]

    lines = drawn(ingested_view(Ingested.of(totalled(rows, seconds=1, run="run_1")))).splitlines()

    assert max(map(len, lines)) <= 60
    text = " ".join(" ".join(lines).split())
    assert "moved b.md (was a.md)" in text
    assert "CorruptDocument: it is broken" in text
    assert "same.md" not in text
    assert "1 added, 1 changed, 1 unchanged, 1 refused (1 moved)" in text
    assert "memory undo run_1" in text


def test_many_files_make_a_short_report() -> None:
    rows = [
        FileRow(id=f"doc_{n}", path=f"{n}.md", status=FileStatus.ADDED, chunks=1)
        for n in range(500)
    ]

    lines = drawn(ingested_view(Ingested.of(totalled(rows, seconds=1)))).splitlines()

    assert len(lines) < 50
    assert "and 460 more" in " ".join(lines)


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (Progress(done=1, total=4, path="", chunks=0), 0.25),
        (Progress(done=4, total=4, path="", chunks=0, bytes=1, total_bytes=4), 0.25),
        (Progress(done=0, total=0, path="", chunks=0), 1.0),
    ],
)
def test_the_bar_goes_by_bytes_where_they_are_known(progress: Progress, expected: float) -> None:
    assert share(progress) == expected


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        (0, "0 files are stored, run it again to go on"),
        (
            1,
            "1 file is stored, run it again to go on; to take that back: stratal memory undo run_1",
        ),
    ],
)
def test_ctrl_c_tells_what_is_stored(stored: int, told: str) -> None:
    assert so_far(Interrupted(run="run_1", stored=stored)) == told
