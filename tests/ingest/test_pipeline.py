import io
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from stratal_ingest.limits import Limits
from stratal_ingest.options import Options, Progress
from stratal_ingest.pipeline import Interrupted, ingest
from stratal_ingest.report import FileRow, FileStatus, Report
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.erase.rows import erase_rows
from stratal_memory.erase.target import Target, What
from stratal_memory.errors import StorageFull, UndoRefused
from stratal_memory.records import Document, Passage, ScopeKind, Status, Trust
from stratal_memory.store import Store, utc_now
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.drafts import Draft
from stratal_memory.tiers.storing import Found
from stratal_memory.truth import memories
from stratal_memory.truth.schema import memories as memory_table
from tests.ingest.samples import words
from tests.memory.worlds import DrawnEmbedder, World, export, opened, texts

A, C, U, RET, REF = FileStatus


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path / "data")
    yield made
    made.close()


class Desk:
    """A folder of files, and a store they are read into."""

    def __init__(self, world: World, folder: Path) -> None:
        self.embedder = DrawnEmbedder({})
        self.store = world.store(embedder=self.embedder)
        self.documents = Documents(self.store)
        self.folder = folder
        folder.mkdir()

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, *paths: Path | str, **chosen: object) -> Report:
        options = Options(**chosen)  # type: ignore[arg-type]
        named = [str(path) for path in paths or (self.folder,)]
        return ingest(named, into=self.documents, count=words, options=options)

    def embedded(self) -> list[str]:
        """What was embedded since the last time this was asked."""
        found, self.embedder.texts = self.embedder.texts, []
        return found

    def paths(self) -> list[str]:
        return [Path(document.path).name for document in self.documents.live()]

    def passages(self, name: str) -> list[str]:
        found = [one for one in self.documents.live() if one.path.endswith(name)]
        return texts(self.documents.passages(found[0]))


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path / "docs")


def statuses(report: Report) -> list[FileStatus]:
    return [row.status for row in report.files]


def names(rows: Sequence[FileRow]) -> list[str]:
    return [Path(row.path).name for row in rows]


def zipped(**members: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("_", "."), text)
    return out.getvalue()


def test_a_folder_becomes_documents_with_passages(desk: Desk) -> None:
    path = desk.write("leave.md", "# Leave\n\nThirty days a year.")

    report = desk.read()

    (row,) = report.files
    (stored,) = desk.documents.live()
    assert (row.id, row.status, row.format, row.title) == (stored.id, A, "markdown", "Leave")
    assert (row.characters, row.chunks, row.tokens) == (26, 1, 5)
    assert (stored.trust, stored.path, stored.root) == (
        Trust.DOCUMENT,
        str(path),
        str(desk.folder),
    )
    assert [place.heading for place, _ in desk.documents.placed(stored)] == [("Leave",)]


def test_a_second_run_changes_nothing_and_embeds_nothing(desk: Desk, world: World) -> None:
    desk.write("a.txt", "one")
    desk.write("b.txt", "two")
    first = desk.read()
    desk.embedded()
    before = export(world.database, with_runs=True)

    again = desk.read()

    assert statuses(again) == [U, U]
    assert desk.embedded() == []
    assert (first.run != "", again.run) == (True, "")
    assert export(world.database, with_runs=True) == before


def test_an_edit_embeds_only_what_changed_and_the_rest_keeps_its_id(desk: Desk) -> None:
    path = desk.write("a.md", "# A\n\nfirst\n\n## B\n\nsecond\n")
    desk.read()
    (before,) = desk.documents.live()
    kept = {one.text: one.id for one in desk.documents.passages(before)}
    desk.embedded()

    path.write_text("# A\n\nfirst, now longer\n\n## B\n\nsecond\n")
    report = desk.read()

    (after,) = desk.documents.live()
    now = {one.text: one.id for one in desk.documents.passages(after)}
    assert statuses(report) == [C]
    assert report.files[0].id == after.id == before.id
    assert [text.splitlines()[-1] for text in desk.embedded()] == ["first, now longer"]
    assert [now[text] for text in now if text in kept] == [
        id for text, id in kept.items() if "second" in text
    ]


def test_the_time_of_a_file_alone_is_no_change(desk: Desk) -> None:
    path = desk.write("a.txt", "one")
    desk.read()
    path.touch()

    assert statuses(desk.read()) == [U]


def test_the_same_size_and_time_do_not_hide_a_change(desk: Desk) -> None:
    path = desk.write("a.txt", "one")
    before = path.stat()
    desk.read()
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert statuses(desk.read()) == [C]


def test_a_removed_file_is_retired_by_its_folder_and_undo_brings_it_back(desk: Desk) -> None:
    desk.write("a.txt", "one")
    gone = desk.write("b.txt", "two")
    desk.read()
    gone.unlink()

    report = desk.read()

    assert list(zip(names(report.files), statuses(report), strict=True)) == [
        ("a.txt", U),
        ("b.txt", RET),
    ]
    assert desk.paths() == ["a.txt"]
    undo_run(desk.store, report.run)
    assert desk.passages("b.txt") == ["two"]


def test_another_folder_retires_nothing(desk: Desk, tmp_path: Path) -> None:
    gone = desk.write("a.txt", "one")
    desk.write("sub/b.txt", "two")
    desk.read()
    gone.unlink()
    other = tmp_path / "other"
    other.mkdir()

    desk.read(other)
    desk.read(desk.folder / "sub")

    assert desk.paths() == ["a.txt", "b.txt"]


def test_a_pattern_retires_what_came_from_it(desk: Desk) -> None:
    gone = desk.write("a.txt", "one")
    desk.write("b.txt", "two")
    desk.write("c.md", "three")
    pattern = desk.folder / "*.txt"
    desk.read(pattern)
    desk.read(desk.folder / "c.md")
    gone.unlink()
    (desk.folder / "c.md").unlink()

    assert statuses(desk.read(pattern)) == [U, RET]
    assert desk.paths() == ["b.txt", "c.md"]


def test_a_single_file_that_is_gone_is_retired_and_one_never_seen_is_refused(desk: Desk) -> None:
    path = desk.write("a.txt", "one")
    desk.write("b.txt", "two")
    desk.read(path)
    path.unlink()

    report = desk.read(path, desk.folder / "never.txt")

    assert statuses(report) == [REF, RET]
    assert report.files[0].error is not None
    assert report.files[0].error.type == "NotFound"


def test_a_folder_that_is_not_there_retires_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.write("a.txt", "one")
    desk.read()
    desk.folder.rename(tmp_path / "unplugged")

    assert statuses(desk.read()) == [REF]
    assert desk.paths() == ["a.txt"]


def test_a_moved_file_is_the_same_document_and_embeds_nothing(desk: Desk, tmp_path: Path) -> None:
    path = desk.write("a.txt", "one")
    first = desk.read().files[0]
    desk.embedded()
    passages = [one.id for one in desk.documents.passages(desk.documents.live()[0])]
    other = tmp_path / "archive"
    other.mkdir()
    path.rename(other / "renamed.txt")

    report = desk.read(other)

    (row,) = report.files
    assert (row.status, row.id, row.moved_from) == (C, first.id, str(path))
    assert report.totals.moved == 1
    assert desk.paths() == ["renamed.txt"]
    assert [one.id for one in desk.documents.passages(desk.documents.live()[0])] == passages
    assert desk.embedded() == []
    undo_run(desk.store, report.run)
    assert desk.paths() == ["a.txt"]


@pytest.mark.parametrize(("before", "after"), [("a.htm", "b.html"), ("a.txt", "b.log")])
def test_a_move_with_another_ending_of_the_same_format_embeds_nothing(
    desk: Desk, before: str, after: str
) -> None:
    path = desk.write(before, "<p>Thirty days of leave.</p>")
    (first,) = desk.read().files
    path.rename(desk.folder / after)

    (row,) = desk.read().files

    assert (row.id, row.moved_from) == (first.id, str(path))


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux only")
def test_a_copy_of_a_file_whose_name_is_no_unicode_is_no_move(desk: Desk) -> None:
    path = os.fsdecode(os.fsencode(desk.folder) + b"/caf\xe9.txt")
    Path(path).write_text("coffee")
    desk.read()
    other = desk.write("copy.txt", "coffee")

    (row,) = desk.read(other).files

    assert (row.moved_from, bool(row.copy_of)) == ("", True)


def test_a_link_out_of_a_folder_is_refused_every_time(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.txt").write_text("secret")
    desk.write("a.txt", "good")
    (desk.folder / "b.txt").symlink_to(tmp_path / "elsewhere.txt")

    assert statuses(desk.read())[1] is statuses(desk.read())[1] is REF
    assert desk.paths() == ["a.txt"]


def test_an_error_and_its_hint_are_sentences_of_their_own(desk: Desk) -> None:
    (row,) = desk.read("ftp://me:pw@example.org/a.txt").files

    assert row.path == "ftp://example.org/a.txt"
    assert row.error is not None
    assert row.error.message.endswith("https are. Name a file of this computer by its path.")


def test_the_same_bytes_in_two_places_are_stored_once(desk: Desk) -> None:
    first = desk.write("a.txt", "one")
    desk.write("b.txt", "one")

    report = desk.read()

    one, other = report.files
    a, b = desk.documents.live()
    assert (one.copy_of, other.copy_of) == ("", one.id)
    assert [m.id for m in desk.documents.passages(a)] == [m.id for m in desk.documents.passages(b)]
    assert len(desk.embedded()) == 1
    assert desk.documents.copies(a) == [b]
    first.unlink()
    desk.read()
    assert desk.passages("b.txt") == ["one"]


def test_a_passage_ends_with_the_last_document_that_holds_it(desk: Desk) -> None:
    first, second = desk.write("a.txt", "one"), desk.write("b.txt", "one")
    desk.write("c.txt", "stays")
    desk.read()
    first.unlink()
    retired = desk.read()
    second.unlink()
    last = desk.read()

    with pytest.raises(UndoRefused):  # its passage was closed by the later run
        undo_run(desk.store, retired.run)
    undo_run(desk.store, last.run)
    undo_run(desk.store, retired.run)

    assert desk.paths() == ["a.txt", "b.txt", "c.txt"]
    assert desk.passages("a.txt") == ["one"]


def test_a_file_that_comes_back_costs_no_embedding(desk: Desk) -> None:
    path = desk.write("a.txt", "one")
    desk.write("b.txt", "stays")
    id = desk.read().files[0].id
    path.unlink()
    desk.read()
    desk.embedded()
    path.write_text("one")

    row = desk.read().files[0]

    assert (row.status, row.id) == (A, id)
    assert desk.embedded() == []


def test_undo_of_the_first_run_leaves_nothing(desk: Desk, world: World) -> None:
    before = export(world.database)
    desk.write("a.txt", "one")
    desk.write("b.zip", zipped(x_txt="inner"))
    report = desk.read()

    undo_run(desk.store, report.run)

    assert export(world.database) == before
    assert desk.paths() == []
    assert statuses(desk.read())[0] == A


def test_undo_of_an_edit_brings_the_version_before_back(desk: Desk, world: World) -> None:
    path = desk.write("a.md", "# A\n\nfirst\n\n## B\n\nsecond\n")
    desk.read()
    before = export(world.database)
    path.write_text("# A\n\nother\n\n## B\n\nsecond\n")
    report = desk.read()

    undo_run(desk.store, report.run)

    assert export(world.database) == before
    assert statuses(desk.read()) == [C]


def test_files_inside_are_documents_of_their_own(desk: Desk) -> None:
    path = desk.write("a.zip", zipped(x_txt="inner one", y_txt="inner two", z_txt=""))

    report = desk.read()

    shown = dict(zip(names(report.files), report.files, strict=True))
    outer = shown["a.zip"]
    inner = shown["x.txt"]
    assert inner.path == f"{path}!/x.txt"
    assert (inner.status, inner.within) == (A, str(path))
    refused = shown["z.txt"]
    assert refused.error is not None
    assert (refused.status, refused.error.type) == (REF, "EmptyDocument")
    document = desk.documents.get(outer.id)
    assert [one.id for one in desk.documents.inside(document)] == [inner.id, shown["y.txt"].id]
    assert [one.name for one in document.refused] == ["z.txt"]
    assert report.exit_code == 3
    again = desk.read()
    assert sorted(map(str, statuses(again))) == ["refused", "unchanged", "unchanged", "unchanged"]
    path.unlink()
    desk.write("b.txt", "stays")
    assert statuses(desk.read()) == [A, RET, RET, RET]
    assert desk.paths() == ["b.txt"]


def test_a_changed_archive_keeps_what_is_unchanged_in_it(desk: Desk) -> None:
    path = desk.write("a.zip", zipped(x_txt="same", y_txt="goes", z_txt="old"))
    desk.read()
    ids = {Path(one.path).name: one.id for one in desk.documents.live()}
    desk.embedded()
    path.write_bytes(zipped(x_txt="same", z_txt="new"))

    report = desk.read()

    found = dict(zip(names(report.files), report.files, strict=True))
    assert (found["x.txt"].status, found["z.txt"].status) == (U, C)
    assert {n: found[n].id for n in ("x.txt", "z.txt")} == {n: ids[n] for n in ("x.txt", "z.txt")}
    assert (found["y.txt"].status, found["y.txt"].id) == (RET, ids["y.txt"])
    assert found["y.txt"].within == str(path)
    assert report.totals.retired == 1
    assert desk.paths() == ["a.zip", "x.txt", "z.txt"]
    assert [text.splitlines()[-1] for text in desk.embedded() if "new" in text] == ["new"]


def test_a_bad_file_is_a_row_and_the_run_goes_on(desk: Desk) -> None:
    desk.write("a.pdf", b"%PDF-1.4 and nothing more")
    desk.write("b.txt", b"")
    desk.write("c.txt", bytes(range(20)))
    desk.write("d.txt", "good")

    report = desk.read(desk.folder, desk.folder / "none", limits=Limits(file_bytes=30))

    errors = [row.error.type if row.error else "" for row in report.files]
    assert errors == ["CorruptDocument", "EmptyDocument", "UnsupportedFormat", "", "NotFound"]
    assert report.exit_code == 3
    assert desk.paths() == ["d.txt"]


def test_a_refused_file_leaves_the_document_it_was_before(desk: Desk) -> None:
    path = desk.write("a.txt", "good")
    desk.read()
    path.write_bytes(b"\x00\x01")

    assert statuses(desk.read()) == [REF]
    assert desk.passages("a.txt") == ["good"]


def test_a_dry_run_tells_what_would_happen_and_stores_nothing(desk: Desk, world: World) -> None:
    desk.write("kept.txt", "kept")
    moved, gone = desk.write("moved.txt", "moves"), desk.write("gone.txt", "goes")
    desk.read()
    desk.embedded()
    moved.rename(desk.folder / "new.txt")
    gone.unlink()
    desk.write("added.txt", "one two")
    before = export(world.database, with_runs=True)

    report = desk.read(dry_run=True)

    told = dict(zip(names(report.files), report.files, strict=True))
    assert {name: row.status for name, row in told.items()} == {
        "added.txt": A,
        "kept.txt": U,
        "new.txt": C,
        "gone.txt": RET,
    }
    assert (told["added.txt"].id, told["added.txt"].tokens) == ("", 2)
    assert (report.run, desk.embedded()) == ("", [])
    assert export(world.database, with_runs=True) == before


def test_progress_is_told_before_each_file_and_at_the_end(desk: Desk) -> None:
    desk.write("a.txt", "one")
    desk.write("b.txt", "")
    told: list[Progress] = []

    ingest([str(desk.folder)], into=desk.documents, count=words, on_progress=told.append)

    assert next(Path(step.path).name for step in told if step.done == 0) == "a.txt"
    assert "b.txt" in {Path(step.path).name for step in told}
    last = told[-1]
    assert (last.done, last.total, last.path, last.chunks) == (2, 2, "", 1)
    assert (last.bytes, last.total_bytes) == (3, 3)


@pytest.mark.parametrize(("name", "key"), [("", "stdin:"), ("page.html", "stdin:page.html")])
def test_standard_input_is_a_document_too(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, key: str
) -> None:
    # Standard input belongs to the whole process; there is no other way to hand one in.
    def piped(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    piped(b"<html><p>piped</p></html>")
    report = desk.read("-", stdin_name=name)
    piped(b"<html><p>other</p></html>")
    other = desk.read("-", stdin_name=name)

    assert report.files[0].format == "html"
    assert desk.documents.live()[0].path.startswith(key)
    assert other.files[0].status == (C if name else A)  # without a name each text is its own
    assert len(desk.documents.live()) == (1 if name else 2)


def test_an_address_is_fetched_only_where_that_is_allowed(desk: Desk) -> None:
    class Page:
        data = b"<html><p>from afar</p></html>"
        name = "page.html"

    url = "https://example.com/page"

    refused = desk.read(url).files[0]
    row = desk.read(url, fetch=lambda address: Page()).files[0]

    assert refused.error is not None
    assert refused.error.type == "UrlRefused"
    assert (row.status, row.path) == (A, url)
    (document,) = desk.documents.live()
    assert (document.trust, desk.passages("page")) == (Trust.WEB, ["from afar"])


def test_words_from_the_web_never_share_a_passage_with_trusted_ones(desk: Desk) -> None:
    class Page:
        data = b"the same words"
        name = "a.txt"

    desk.write("a.txt", "the same words")
    desk.read()
    desk.read("https://example.com/a.txt", fetch=lambda address: Page())

    trusts = [desk.documents.passages(one)[0].trust for one in desk.documents.live()]
    assert sorted(map(str, trusts)) == ["document", "web"]


def test_an_error_of_the_store_stops_the_run(desk: Desk) -> None:
    class FullStore(Documents):
        def in_run(self) -> "FullStore":
            return self

        def store_all(
            self, family: Sequence[Draft], found: Found, *, keep: Sequence[str] = ()
        ) -> list[Document]:
            raise StorageFull("the disk is full")

    desk.write("a.txt", "one")

    with pytest.raises(StorageFull):
        ingest([str(desk.folder)], into=FullStore(desk.store), count=words)


def test_a_store_alone_is_enough_and_its_embedder_counts(desk: Desk) -> None:
    desk.write("a.txt", "twelve chars")

    report = ingest([str(desk.folder)], into=desk.store)

    assert report.files[0].tokens == 3


def test_another_chunker_takes_the_place_of_ours(desk: Desk) -> None:
    desk.write("a.txt", "one two")

    desk.read(
        chunker=lambda document: [
            Passage(text=word, ordinal=i, start=4 * i, end=4 * i + 3)
            for i, word in enumerate(document.text.split())
        ]
    )

    assert desk.passages("a.txt") == ["one", "two"]


def test_reading_again_leaves_what_comes_out_the_same(desk: Desk) -> None:
    desk.write("a.txt", "one two three")
    desk.read()
    id = desk.documents.passages(desk.documents.live()[0])[0].id
    desk.embedded()

    same = desk.read(again=True)
    cut = desk.read(again=True, chunker=lambda d: [Passage(text="one", ordinal=0, start=0, end=3)])

    assert (statuses(same), statuses(cut)) == ([U], [C])
    assert same.run == ""
    assert len(desk.embedded()) == 1
    assert desk.documents.passages(desk.documents.live()[0])[0].id != id


def test_passages_of_many_files_are_embedded_together(desk: Desk) -> None:
    class Batches(DrawnEmbedder):
        sizes: list[int]

        def embed(self, texts: Sequence[str]) -> Vectors:
            self.sizes.append(len(texts))
            return super().embed(texts)

    for number in range(40):
        desk.write(f"{number}.txt", f"text number {number}")
    embedder = Batches({})
    embedder.sizes = []
    store = Documents(
        Store.open(desk.store.database, desk.store.reach.principal, embedder=embedder)
    )

    ingest([str(desk.folder)], into=store, count=words)

    assert embedder.sizes == [40]


def test_a_project_takes_documents_of_its_own(desk: Desk, world: World) -> None:
    desk.write("a.txt", "one")
    desk.read()
    project = Documents(world.store(project="bakery"), ScopeKind.PROJECT)

    report = ingest([str(desk.folder)], into=project, count=words)

    assert (statuses(report), report.files[0].copy_of) == ([A], "")
    assert {str(one.scope) for one in project.live()} == {"user:alice", "project:bakery"}


def test_nothing_of_a_file_is_executed_or_followed(desk: Desk) -> None:  # covers X1
    secret = desk.write("secret/secret.txt", "secret")
    a = desk.write("a.rst", f".. include:: {secret}\n")
    b = desk.write("b.py", f"open({str(desk.folder / 'made')!r}, 'w')\n")

    desk.read(a, b)

    told = [text for one in desk.documents.live() for text in texts(desk.documents.passages(one))]
    assert not any(text == "secret" for text in told)
    assert not (desk.folder / "made").exists()


def active(world: World) -> list[str]:
    """The texts of the passages that are live, whatever document holds them."""
    with world.database.read() as connection:
        found = memories.select_memories(connection, memory_table.c.status == Status.ACTIVE)
        return sorted(texts(found))


def test_undo_leaves_no_passage_that_no_document_holds(desk: Desk, world: World) -> None:
    first = desk.write("a.txt", "one")
    desk.write("c.txt", "stays")
    desk.read()
    desk.write("b.txt", "one")
    copied = desk.read()
    first.unlink()
    retired = desk.read()

    undo_run(desk.store, copied.run)

    assert (desk.paths(), active(world)) == (["c.txt"], ["stays"])
    undo_run(desk.store, retired.run)  # as if the copy had never been
    assert (desk.paths(), active(world)) == (["a.txt", "c.txt"], ["one", "stays"])
    assert desk.passages("a.txt") == ["one"]


def test_a_passage_that_only_an_earlier_version_holds_ends_with_that_edit(
    desk: Desk, world: World
) -> None:
    path = desk.write("a.txt", "one")
    desk.read()
    desk.write("b.txt", "one")
    copied = desk.read()
    path.write_text("other")
    edited = desk.read()

    undo_run(desk.store, copied.run)

    assert active(world) == ["other"]
    undo_run(desk.store, edited.run)
    assert (desk.passages("a.txt"), active(world)) == (["one"], ["one"])


def test_a_shared_passage_goes_with_the_last_run_that_is_undone(desk: Desk, world: World) -> None:
    before = export(world.database)
    shared = "# Title\n\n## One\n\nshared words\n\n## Two\n\n"
    desk.write("a.md", shared + "alpha")
    first = desk.read()
    desk.write("b.md", shared + "beta")
    second = desk.read()

    undo_run(desk.store, first.run)
    assert any("shared words" in text for text in active(world))
    undo_run(desk.store, second.run)

    assert active(world) == []
    assert export(world.database) == before


def test_undo_of_a_run_that_a_later_one_built_on_names_that_one(desk: Desk) -> None:
    path = desk.write("a.txt", "one")
    first = desk.read()
    path.write_text("two")
    later = desk.read()

    with pytest.raises(UndoRefused, match="documents changed since") as refused:
        undo_run(desk.store, first.run)

    assert refused.value.hint.endswith(f"stratal memory undo {later.run}")


@pytest.mark.parametrize("left", ["nothing", "an empty folder"])
@pytest.mark.parametrize("named", [".", "*.txt", "sub/../*.txt", "a.txt"])
def test_an_unplugged_disk_retires_nothing(
    desk: Desk, tmp_path: Path, named: str, left: str
) -> None:
    desk.write("a.txt", "one")
    desk.write("sub/b.md", "two")
    chosen = str(desk.folder / named)
    desk.read(chosen)
    before = desk.paths()
    desk.folder.rename(tmp_path / "unplugged")
    if left != "nothing":
        (desk.folder / "sub").mkdir(parents=True)

    report = desk.read(chosen)

    assert (desk.paths(), report.totals.retired) == (before, 0)
    assert report.exit_code == 1
    shutil.rmtree(desk.folder, ignore_errors=True)
    (tmp_path / "unplugged").rename(desk.folder)
    assert set(statuses(desk.read(chosen))) == {U}


def test_a_folder_without_any_file_says_that_nothing_was_retired(desk: Desk) -> None:
    path = desk.write("a.txt", "one")
    desk.read()
    path.unlink()

    (row,) = desk.read().files

    assert row.path == str(desk.folder)
    assert row.error is not None
    assert row.error.message.startswith("1 document came from here, and there is no file in")


def test_a_file_that_a_folder_or_pipe_took_the_place_of_is_retired(desk: Desk) -> None:
    folder, pipe = desk.write("a.md", "one"), desk.write("b.md", "two")
    desk.read()
    folder.unlink()
    pipe.unlink()
    desk.write("a.md/in.md", "three")
    os.mkfifo(pipe)

    rows = desk.read().files

    assert [(Path(row.path).name, row.status) for row in rows] == [
        ("b.md", REF),
        ("in.md", A),
        ("a.md", RET),
        ("b.md", RET),
    ]
    assert desk.paths() == ["in.md"]


def erased(desk: Desk, what: What, name: str) -> None:
    target = Target(what=what, name=name, principal=desk.store.reach.principal)
    erase_rows(desk.store.database, target, at=utc_now())


def test_a_document_whose_passages_were_erased_is_not_brought_back_and_is_read_again(
    desk: Desk, world: World
) -> None:
    gone = desk.write("a.txt", "one")
    desk.write("b.txt", "one")
    desk.read()
    gone.unlink()
    retired = desk.read()
    (left,) = desk.documents.live()
    erased(desk, What.SOURCE, left.id)

    with pytest.raises(UndoRefused, match="or erased"):
        undo_run(desk.store, retired.run)

    assert desk.paths() == []
    desk.write("a.txt", "one")
    assert statuses(desk.read()) == [A, A]
    assert (desk.passages("a.txt"), desk.passages("b.txt")) == (["one"], ["one"])


def test_a_live_document_without_passages_heals_when_it_is_read(desk: Desk, world: World) -> None:
    desk.write("a.txt", "one")
    desk.read()
    (passage,) = desk.documents.passages(desk.documents.live()[0])
    erased(desk, What.KEY, passage.key)
    desk.write("b.txt", "one")

    desk.read()

    assert (desk.passages("a.txt"), desk.passages("b.txt")) == (["one"], ["one"])
    assert statuses(desk.read()) == [U, U]


def test_two_runs_at_once_store_a_file_once_and_both_can_be_undone(desk: Desk) -> None:
    desk.write("a.txt", "one")
    desk.write("b.zip", zipped(x_txt="inner"))
    others: list[Report] = []
    steps: list[str] = []

    def meanwhile(step: str) -> None:
        steps.append(step)
        if steps.count("cut") == 2 and not others:
            others.append(
                ingest([str(desk.folder)], into=Documents(desk.store), count=words)  # the other one
            )

    report = desk.read(on_step=meanwhile)

    assert statuses(others[0]) == [A, A, A]
    assert statuses(report) == [U, U, U]
    undo_run(desk.store, others[0].run)
    assert desk.paths() == []


def test_ctrl_c_tells_the_run_and_how_many_files_are_stored(desk: Desk) -> None:
    for number in range(3):
        desk.write(f"{number}.txt", f"text {number}")
    written: list[str] = []

    def interrupt(step: str) -> None:
        if step == "written":
            written.append(step)
            if len(written) == 2:
                raise KeyboardInterrupt

    with pytest.raises(Interrupted) as cut:
        desk.read(on_step=interrupt)

    assert len(desk.paths()) >= cut.value.stored == 1
    undo_run(desk.store, cut.value.run)
    assert desk.paths() == []
