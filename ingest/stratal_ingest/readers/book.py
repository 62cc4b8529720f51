"""EPUB: the pages of a book in the order of its spine, under the titles of its contents."""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.errors import CorruptDocument, EncryptedDocument
from stratal_ingest.limits import Limits
from stratal_ingest.readers.archive import opened, unpacked
from stratal_ingest.readers.hypertext import decode_page, read_page
from stratal_ingest.readers.xml_tree import Element, local, parse_xml

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts are often scrambled by these two; the text beside them is not.
_OBFUSCATIONS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_NCX = "application/x-dtbncx+xml"


class BookReader:
    """Reads EPUB 2 and 3; nothing outside of the file is ever looked at."""

    formats = ("epub",)
    libraries = ("lxml.etree", "selectolax.lexbor", "charset_normalizer")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The blocks of each page; a page whose title is not on it gets it as a heading."""
        with opened(data) as archive:
            files = _Files(archive)
            _refuse_encrypted(files)
            book = _book(files)
            titles = dict(_titles(files, book))
            blocks = [
                block
                for path in book.pages
                for block in _page_blocks(files.read(path), titles.get(path, ""))
            ]
        return ReadDocument(format="epub", title=book.title, blocks=tuple(blocks))


class _Files:
    """The members of the book by their path, all together within what an archive may hold."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._entries = {_folded(entry.filename): entry for entry in archive.infolist()}
        self._left = Limits().archive_bytes

    def __contains__(self, path: str) -> bool:
        return _folded(path) in self._entries

    def read(self, path: str) -> bytes:
        """The bytes of a member; `CorruptDocument` where there is none."""
        entry = self._entries.get(_folded(path))
        if entry is None:
            raise CorruptDocument(f"the book has no {path!r}")
        data = unpacked(self._archive, entry, limit=self._left)
        self._left -= len(data)
        return data


def _folded(path: str) -> str:
    return path.replace("\\", "/").lower()


def _refuse_encrypted(files: _Files) -> None:
    if _ENCRYPTION not in files:
        return
    root = parse_xml(files.read(_ENCRYPTION), _ENCRYPTION)
    methods = {node.get("Algorithm", "") for node in _all(root, "EncryptionMethod")}
    if methods - _OBFUSCATIONS:
        raise EncryptedDocument("the book is encrypted", hint="Save it without copy protection.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Book:
    title: str
    pages: tuple[str, ...]  # paths in reading order
    contents: str  # path of the table of contents; empty without one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    path: str
    media_type: str
    properties: str


def _book(files: _Files) -> _Book:
    root_file = _root_file(files)
    package = parse_xml(files.read(root_file), root_file, document_type=True)
    folder = posixpath.dirname(root_file)
    items = {
        node.get("id", ""): _Item(
            path=_inside(folder, node.get("href", "")),
            media_type=node.get("media-type", ""),
            properties=node.get("properties", ""),
        )
        for node in _all(package, "item")
    }
    order = [node.get("idref", "") for node in _all(package, "itemref")]
    spine = [items[id] for id in order if id in items]
    pages = [item for item in spine or items.values() if _is_page(item)]
    title = next((node.text or "" for node in _all(package, "title")), "")
    return _Book(
        title=" ".join(title.split()),
        pages=tuple(dict.fromkeys(item.path for item in pages if item.path in files)),
        contents=_contents(list(items.values())),
    )


def _root_file(files: _Files) -> str:
    container = parse_xml(files.read(_CONTAINER), _CONTAINER)
    found = next(iter(_all(container, "rootfile")), None)
    if found is None:
        raise CorruptDocument("its container names no root file")
    return _inside("", found.get("full-path", ""))


def _is_page(item: _Item) -> bool:
    page = item.media_type in _PAGES or item.path.endswith((".xhtml", ".html", ".htm"))
    return page and "nav" not in item.properties.split()


def _contents(items: list[_Item]) -> str:
    newer = (item.path for item in items if "nav" in item.properties.split())
    older = (item.path for item in items if item.media_type == _NCX)
    return next(newer, next(older, ""))


def _inside(folder: str, reference: str) -> str:
    """The path of a member; raises `CorruptDocument` where it would leave the archive."""
    path = unquote(reference.partition("#")[0]).replace("\\", "/")
    if path.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path):
        raise CorruptDocument(f"{reference[:100]!r} lies outside of the book")
    joined = posixpath.normpath(posixpath.join(folder, path))
    if joined == ".." or joined.startswith("../"):
        raise CorruptDocument(f"{reference[:100]!r} lies outside of the book")
    return joined


def _titles(files: _Files, book: _Book) -> Iterator[tuple[str, str]]:
    """Path and title of each page the contents name, the first title of a page last."""
    if not book.contents or book.contents not in files:
        return
    folder = posixpath.dirname(book.contents)
    try:
        root = parse_xml(files.read(book.contents), book.contents, document_type=True)
        found = [(_inside(folder, place), title) for place, title in _entries(root) if place]
    except CorruptDocument:
        return  # the pages themselves are what matters
    yield from reversed([(path, title) for path, title in found if title])


def _entries(root: Element) -> Iterator[tuple[str, str]]:
    for node in _all(root, "navPoint"):
        label = next(iter(_all(node, "navLabel")), None)
        content = next((child for child in node if local(child.tag) == "content"), None)
        if label is not None and content is not None:
            yield content.get("src", ""), " ".join("".join(label.itertext()).split())
    for nav in _all(root, "nav"):
        kinds = " ".join(value for name, value in nav.attrib.items() if local(name) == "type")
        if kinds in {"", "toc"}:
            for link in _all(nav, "a"):
                yield link.get("href", ""), " ".join("".join(link.itertext()).split())


def _page_blocks(data: bytes, title: str) -> Iterator[Block]:
    blocks = read_page(decode_page(data)).blocks
    if not title or not blocks or _shows(blocks, title):
        yield from blocks
        return
    yield Block(text=title, kind=BlockKind.HEADING, heading=(title,))
    for block in blocks:
        yield replace(block, heading=(title, *block.heading))


def _shows(blocks: tuple[Block, ...], title: str) -> bool:
    """Whether a page has a heading of its own, or its title as one of its first lines."""
    if any(block.kind == BlockKind.HEADING for block in blocks[:3]):
        return True
    lines = (line for block in blocks[:5] for line in block.text.splitlines()[:3])
    return any(_bare(line) == _bare(title) for line in lines)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _all(root: Element, name: str) -> Iterator[Element]:
    return (node for node in root.iter() if local(node.tag) == name)
