import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import (
    CorruptDocument,
    DocumentError,
    EmptyDocument,
    LimitExceeded,
    UnsupportedFormat,
)
from stratal_ingest.limits import Limits
from stratal_ingest.sandbox import Sandbox
from tests.ingest import hostile

TYPED = (CorruptDocument, EmptyDocument, LimitExceeded, UnsupportedFormat)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def lives(sandbox: Sandbox) -> bool:
    """Whether the next file is read, by the same child, and no other process of it is left."""
    child = sandbox.pid
    fine = sandbox.read(b"fine", "a.txt").text == "fine" and sandbox.pid == child
    children = Path(f"/proc/{child}/task/{child}/children")
    return fine and (not children.exists() or not children.read_text().strip())


@pytest.mark.parametrize(  # covers X1
    ("made", "name", "error"),
    [
        (hostile.gzip_bomb, "a.gz", LimitExceeded),
        (hostile.tar_bomb, "a.tar.bz2", LimitExceeded),
        (hostile.tar_of_too_many, "a.tar", LimitExceeded),
        (hostile.tar_with_a_giant_that_is_not_there, "a.tar", LimitExceeded),
        (hostile.tar_with_a_loop, "a.tar", CorruptDocument),
        (hostile.zip_with_overlaps, "a.zip", CorruptDocument),
        (hostile.mail_within_itself, "a.eml", CorruptDocument),
        (hostile.mail_of_multiparts, "a.eml", CorruptDocument),
        (hostile.pdf_with_looping_pages, "a.pdf", CorruptDocument),
        (hostile.pdf_that_says_a_million_pages, "a.pdf", CorruptDocument),
        (hostile.epub_outside, "a.epub", CorruptDocument),
        (hostile.epub_with_entities, "a.epub", CorruptDocument),
    ],
)
def test_a_hostile_file_ends_with_its_own_error_and_the_child_lives(
    sandbox: Sandbox, made: Callable[[], bytes], name: str, error: type[DocumentError]
) -> None:
    with pytest.raises(error):
        sandbox.read(made(), name)

    assert lives(sandbox)


@pytest.mark.parametrize(
    ("made", "name", "word"),
    [
        (hostile.one_attribute, "a.html", "end"),
        (hostile.tables_in_tables, "a.html", "end"),
        (hostile.pdf_with_looping_outline, "a.pdf", "Hello"),
        (hostile.mail_with_a_giant_header, "a.eml", "hi"),
    ],
)
def test_a_hostile_file_that_can_be_read_is_read(
    sandbox: Sandbox, made: Callable[[], bytes], name: str, word: str
) -> None:
    assert word in sandbox.read(made(), name).text
    assert lives(sandbox)


def test_five_megabytes_of_one_tag_end_with_the_time() -> None:
    with Sandbox(Limits(seconds=1)) as sandbox:
        with pytest.raises(LimitExceeded, match="1 seconds"):
            sandbox.read(hostile.one_tag(), "a.html")

        assert lives(sandbox)


def refusals(document: ReadDocument) -> list[tuple[str, str]]:
    return [
        (file.name, file.refusal.type if file.refusal else "read") for file in document.enclosed
    ]


def test_links_and_devices_are_refused_by_name(sandbox: Sandbox) -> None:
    assert refusals(sandbox.read(hostile.tar_of_links(), "a.tar")) == [
        (name, "UnsupportedFormat") for name in ("hard.txt", "soft.txt", "device.txt", "pipe.txt")
    ]


def test_sizes_that_lie_are_found_by_counting(sandbox: Sandbox) -> None:
    document = sandbox.read(hostile.zip_that_lies(), "a.zip")

    assert refusals(document) == [("a.txt", "CorruptDocument")]


def test_an_archive_in_an_archive_is_refused(sandbox: Sandbox) -> None:
    document = sandbox.read(hostile.zip_in_zip(), "a.zip")

    assert refusals(document) == [("inner.zip", "LimitExceeded")]


def test_names_are_one_printable_line_and_nothing_is_written_by_them(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    names = [name for name, _ in refusals(sandbox.read(hostile.strange_names(), "a.zip"))]

    assert names[0] == "/etc/passwd.txt"
    assert names[4:6] == ["one two red.txt", "nul.txttxt.exe"]
    assert all(name.isprintable() and len(name) <= 300 for name in names)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - a name may be no path


def test_a_mail_of_ten_thousand_parts_keeps_its_head(sandbox: Sandbox) -> None:
    document = sandbox.read(hostile.mail_of_many_parts(), "a.eml")

    assert document.title == "many"
    assert len(document.enclosed) == 2_001
    assert refusals(document)[-1] == ("8,000 more files", "LimitExceeded")


@pytest.mark.parametrize(
    ("made", "name"), [(hostile.mail_from_outlook, "a.msg"), (hostile.epub_with_entities, "a.epub")]
)
def test_a_file_cut_anywhere_is_refused_with_a_type(
    sandbox: Sandbox, made: Callable[[], bytes], name: str
) -> None:
    whole = made()
    step = 512 if len(whole) > 5_000 else 32

    ends = {how(sandbox, whole[:length], name) for length in range(0, len(whole), step)}

    assert ends <= {"read", *(error.__name__ for error in TYPED)}
    assert lives(sandbox)


def how(sandbox: Sandbox, data: bytes, name: str) -> str:
    """How reading `data` ends."""
    try:
        return "read" if sandbox.read(data, name).blocks else "nothing"
    except DocumentError as error:
        return type(error).__name__


@pytest.mark.parametrize(
    "href", ["../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "%2e%2e/a"]
)
def test_no_page_of_a_book_lies_outside_of_it(sandbox: Sandbox, href: str) -> None:
    with pytest.raises(CorruptDocument, match="outside"):
        sandbox.read(hostile.epub_outside("book.opf", href), "a.epub")


def test_an_innocent_book_of_the_same_kind_is_read(sandbox: Sandbox) -> None:
    assert sandbox.read(hostile.epub_outside("book.opf"), "a.epub").text == "text"
