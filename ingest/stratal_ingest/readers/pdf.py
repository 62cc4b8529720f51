"""PDF: the text layer of each page, with the outline as headings."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stratal_ingest.document import Block, BlockKind, Outline, ReadDocument
from stratal_ingest.errors import CorruptDocument, EmptyDocument, EncryptedDocument

if TYPE_CHECKING:
    import pypdfium2

_NO_TITLES = frozenset({"", "(anonymous)", "untitled", "powerpoint presentation"})
_TITLE_PREFIX = re.compile(r"Microsoft (?:Word|PowerPoint|Excel) - ")
_HYPHEN_AT_LINE_END = re.compile("[\ufffe\x02\u00ad]\n?")  # how pdfium marks a soft hyphen
_CROSS_REFERENCES = re.compile(rb"\sxref\s((?:[\d nf]|\s)*)trailer")
_SECTION = re.compile(rb"^(\d+) \d+\s*$", re.MULTILINE)
_MAX_OBJECTS = 8_388_607  # ISO 32000-1, annex C
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD


class PdfReader:
    """Reads a PDF's own text; a scanned page has none and needs OCR first."""

    formats = ("pdf",)
    libraries = ("pypdfium2",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """One block a page, parted where the outline names a heading on it."""
        with _Opened(data) as pdf:
            pages = [_page_text(pdf, number) for number in range(len(pdf))]
            outline = _outline(pdf)
            title = str(pdf.get_metadata_value("Title")).strip()
        if not any(page.strip() for page in pages):
            raise _without_text(data, len(pages))
        useful = "" if title.lower() in _NO_TITLES else _TITLE_PREFIX.sub("", title)
        blocks = tuple(_blocks(pages, outline))
        return ReadDocument(format="pdf", title=useful, blocks=blocks, pages=len(pages))


def _without_text(data: bytes, pages: int) -> CorruptDocument | EmptyDocument:
    """Scanned, or so damaged that nothing could be salvaged: the cross references tell."""
    table = _CROSS_REFERENCES.search(data)
    if table and any(int(number) > _MAX_OBJECTS for number in _SECTION.findall(table[1])):
        return CorruptDocument("its cross references are damaged and no text was found")
    return EmptyDocument(f"its {pages} page(s) have no text layer", hint="Run OCR on it first.")


class _Opened:
    """An open document, closed on the way out."""

    def __init__(self, data: bytes) -> None:
        import pypdfium2

        try:
            self._pdf = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR or "assword" in str(error):
                hint = "Save it without a password."
                raise EncryptedDocument("a password is needed", hint=hint) from error
            raise CorruptDocument(f"it is not a readable PDF: {error}") from error

    def __enter__(self) -> "pypdfium2.PdfDocument":
        return self._pdf

    def __exit__(self, *_: object) -> None:
        self._pdf.close()


def _page_text(pdf: "pypdfium2.PdfDocument", number: int) -> str:
    import pypdfium2

    try:
        page = pdf[number]
        try:
            text = str(page.get_textpage().get_text_bounded(errors="replace"))
        finally:
            page.close()
    except (pypdfium2.PdfiumError, ctypes.ArgumentError) as error:
        raise CorruptDocument(f"its page {number + 1} can't be read: {error}") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _HYPHEN_AT_LINE_END.sub("", text)


def _outline(pdf: "pypdfium2.PdfDocument") -> list[tuple[int, int, str]]:
    """Page (from 0), level (from 0) and title of each bookmark, in the order of the outline."""
    found: list[tuple[int, int, str]] = []
    for bookmark in pdf.get_toc(max_depth=6):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination else None
        title = " ".join(str(bookmark.get_title()).split())
        if page is not None and title:
            found.append((int(page), int(bookmark.level), title))
    return found


def _blocks(pages: Sequence[str], bookmarks: list[tuple[int, int, str]]) -> Iterator[Block]:
    outline = Outline()
    for number, text in enumerate(pages):
        here = [(level, title) for page, level, title in bookmarks if page == number]
        start = 0
        for level, title in here:
            at, end = _find_line(text, title, start)
            yield _body(text[start:at], outline, number)
            outline.enter(level, title)
            if end > at:
                line = text[at:end]
                page, path = number + 1, outline.path
                yield Block(text=line, kind=BlockKind.HEADING, heading=path, page=page)
            start = end
        yield _body(text[start:], outline, number)


def _body(text: str, outline: Outline, number: int) -> Block:
    return Block(text=text, heading=outline.path, page=number + 1)


def _find_line(text: str, title: str, start: int) -> tuple[int, int]:
    """Where the line stands that ends in `title`; an empty span at `start` when none does."""
    wanted = _folded(title)
    at = start
    for line in text[start:].splitlines(keepends=True):
        if _folded(line).endswith(wanted) and len(line) < 2 * len(title) + 20:
            return at, at + len(line)
        at += len(line)
    return start, start


def _folded(text: str) -> str:
    return "".join(text.split()).casefold()
