import bz2
import gzip
import lzma
import stat
import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest

from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import CorruptDocument, EncryptedDocument
from stratal_ingest.readers.registry import read
from tests.ingest.hostile import stored, tar_of
from tests.ingest.samples import pdf, zipped


def inside(document: ReadDocument) -> dict[str, str]:
    """Text of each file inside, or the type of its refusal."""
    found: dict[str, str] = {}
    for file in document.enclosed:
        refused = file.refusal.type if file.refusal else ""
        found[file.name] = file.document.text if file.document else refused
    return found


def test_each_member_is_a_document_and_a_broken_one_loses_none() -> None:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("docs/", b"")
        made.writestr("docs/a.md", b"# Leave\n\nThirty days.")
        made.writestr("docs/b.pdf", pdf("Page"))
        made.writestr("c.pdf", b"%PDF-1.4 nothing")
        made.writestr("empty.txt", b"")

    document = read(archive.getvalue(), "all.zip")

    assert document.blocks == ()
    assert inside(document) == {
        "docs/a.md": "Leave\n\nThirty days.",
        "docs/b.pdf": "Page",
        "c.pdf": "CorruptDocument",
        "empty.txt": "EmptyDocument",
    }


def test_hidden_files_and_those_of_a_system_are_passed_over() -> None:
    names = ["a.txt", ".git/config", "__MACOSX/._a.txt", "x/.DS_Store", "Thumbs.db", "../b.txt"]

    assert list(inside(read(stored(names), "a.zip"))) == ["a.txt", "../b.txt"]
    assert list(inside(read(tar_of(names), "a.tar"))) == ["a.txt", "../b.txt"]


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress, bz2.compress, lzma.compress])
def test_a_tar_is_read_however_it_is_packed(pack: Callable[[bytes], bytes]) -> None:
    assert inside(read(pack(tar_of(["a.txt"])), "a")) == {"a.txt": "text"}


def test_a_single_packed_document_is_read() -> None:
    assert inside(read(gzip.compress(b"# Title"), "notes.md.gz")) == {"notes.md": "Title"}


@pytest.mark.parametrize("cut", [20, 200])
def test_a_packed_tar_that_is_cut_off_is_corrupt(cut: int) -> None:
    with pytest.raises(CorruptDocument):
        read(gzip.compress(tar_of(["a.txt"], bytes(range(256)) * 40))[:cut], "a.tar.gz")


def test_a_symbolic_link_in_a_zip_is_not_followed() -> None:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")

    assert inside(read(archive.getvalue(), "a.zip")) == {"link.txt": "UnsupportedFormat"}


def test_a_zip_with_a_password_is_encrypted() -> None:
    locked = bytearray(zipped(a=b"text"))
    for place in (locked.index(b"PK\1\2") + 8, 6):
        locked[place] |= 1

    with pytest.raises(EncryptedDocument):
        read(bytes(locked), "a.zip")


def test_names_in_utf_8_that_do_not_say_so_are_read() -> None:
    plain = stored(["\u00fc.txt"]).replace(b"\0\x08\x08\0", b"\0\0\x08\0")

    assert "ü.txt" in inside(read(plain, "a.zip"))
