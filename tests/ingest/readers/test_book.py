import io
import zipfile

import pytest

from stratal_ingest.errors import CorruptDocument, EmptyDocument, EncryptedDocument
from stratal_ingest.readers.registry import read

CONTAINER = """<?xml version="1.0"?>
<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?><!DOCTYPE package PUBLIC "x" "http://127.0.0.1/x.dtd">
<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>The  Handbook</dc:title></metadata><manifest>
<item id="two" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="style" href="a.css" media-type="text/css"/>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
</manifest><spine toc="ncx"><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/>
<itemref idref="style"/><itemref idref="missing"/></spine></package>"""
NAV = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>
<nav epub:type="toc"><ol><li><a href="text/one.xhtml">Leave</a></li>
<li><a href="text/two%20b.xhtml#x">Weeks</a></li></ol></nav></body></html>"""
NCX = """<!DOCTYPE ncx PUBLIC "x" "y"><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>
<navPoint><navLabel><text>Leave</text></navLabel><content src="text/one.xhtml"/>
<navPoint><navLabel><text>Weeks</text></navLabel><content src="text/two%20b.xhtml"/></navPoint>
</navPoint></navMap></ncx>"""
ONE = """<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>
<script src="a.js"/></head><body><h1>Leave</h1><p>Thirty<a id="p1"/> days.</p></body></html>"""
TWO = "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Twelve weeks.</p></body></html>"


def book(**changed: str) -> bytes:
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/nav.xhtml": NAV,
        "OEBPS/toc.ncx": NCX,
        "OEBPS/text/one.xhtml": ONE,
        "OEBPS/text/two b.xhtml": TWO,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in {
            **parts,
            **{k.replace("__", "/"): v for k, v in changed.items()},
        }.items():
            archive.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize("package", [PACKAGE, PACKAGE.replace('properties="nav"', "")])
def test_pages_come_in_the_order_of_the_spine_under_the_titles_of_the_contents(
    package: str,
) -> None:
    document = read(book(**{"OEBPS__book.opf": package}), "a.epub")

    assert (document.format, document.title) == ("epub", "The Handbook")
    assert [(b.heading, b.text) for b in document.blocks][-4:] == [
        (("Leave",), "Leave"),
        (("Leave",), "Thirty days."),
        (("Weeks",), "Weeks"),
        (("Weeks",), "Twelve weeks."),
    ]


def test_a_book_without_contents_or_with_broken_ones_is_read() -> None:
    assert "Twelve weeks." in read(book(**{"OEBPS__nav.xhtml": "<html>&nbsp;<"}), "a.epub").text


def test_copy_protection_is_told_and_scrambled_fonts_are_not() -> None:
    method = '<encryption><EncryptionMethod Algorithm="{}"/></encryption>'
    fonts = method.format("http://www.idpf.org/2008/embedding")
    locked = method.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")

    assert "Thirty" in read(book(**{"META-INF__encryption.xml": fonts}), "a.epub").text
    with pytest.raises(EncryptedDocument):
        read(book(**{"META-INF__encryption.xml": locked}), "a.epub")


@pytest.mark.parametrize("package", ["", "<package", "<package/>"])
def test_a_book_without_a_readable_package_is_refused(package: str) -> None:
    with pytest.raises((CorruptDocument, EmptyDocument)):
        read(book(**{"OEBPS__book.opf": package}), "a.epub")
