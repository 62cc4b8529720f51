"""PDF: the text layer of each page, with the outline as headings."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stratal_ingest.document import Block, BlockKind, Enclosed, Outline, ReadDocument, Refusal
from stratal_ingest.errors import CorruptDocument, EmptyDocument, EncryptedDocument
from stratal_ingest.readers.pdf_columns import in_columns
from stratal_ingest.readers.pdf_notes import notes

if TYPE_CHECKING:
    import pypdfium2

_NO_TITLES = frozenset({"", "(anonymous)", "untitled", "powerpoint presentation"})
_TITLE_PREFIX = re.compile(r"Microsoft (?:Word|PowerPoint|Excel) - ")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st"}
)
_DIGITS = re.compile(r"\d+")
_EDGE = 2  # lines at the top and at the bottom of a page that may be the same on every page
_MIN_PAGES = 4  # pages from which repeated lines are told from chance
_HYPHEN_AT_LINE_END = re.compile("[\ufffe\x02\u00ad]\n?")  # how pdfium marks a soft hyphen
_CROSS_REFERENCES = re.compile(rb"\sxref\s((?:[\d nf]|\s)*)trailer")
_SECTION = re.compile(rb"^(\d+) \d+\s*$", re.MULTILINE)
_MAX_OBJECTS = 8_388_607  # ISO 32000-1, annex C
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD


class PdfReader:
    """Reads a PDF's own text; a scanned page has none and needs OCR first."""

    formats = ("pdf",)
    libraries = ("pypdfium2", "encodings.utf_16_le")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """One block a page, parted where the outline names a heading on it."""
        with _Opened(data) as pdf:
            pages = _without_repeats([_page_text(pdf, number) for number in range(len(pdf))])
            outline = _outline(pdf)
            title = str(pdf.get_metadata_value("Title")).strip()
            enclosed = tuple(_attachments(pdf))
        if not any(page.strip() for page in pages) and not enclosed:
            raise _without_text(data, len(pages))
        useful = "" if title.lower() in _NO_TITLES else _TITLE_PREFIX.sub("", title)
        blocks = tuple(_blocks(pages, outline))
        return ReadDocument(
            format="pdf", title=useful, blocks=blocks, pages=len(pages), enclosed=enclosed
        )


def _without_text(data: bytes, pages: int) -> CorruptDocument | EmptyDocument:
    """Scanned, or so damaged that nothing could be salvaged: the cross references tell."""
    table = _CROSS_REFERENCES.search(data)
    if table and any(int(number) > _MAX_OBJECTS for number in _SECTION.findall(table[1])):
        return CorruptDocument("its cross references are damaged and no text was found")
    hint = "They are pictures: run OCR on it first, such as `ocrmypdf in.pdf out.pdf`."
    return EmptyDocument(f"its {pages} page(s) have no text layer", hint=hint)


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
            layer = page.get_textpage()
            text = in_columns(layer) or str(layer.get_text_bounded(errors="replace"))
            text += "".join(f"\n{note}" for note in notes(page))
        finally:
            page.close()
    except (pypdfium2.PdfiumError, ctypes.ArgumentError) as error:
        raise CorruptDocument(f"its page {number + 1} can't be read: {error}") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _HYPHEN_AT_LINE_END.sub("", text).translate(_LIGATURES)


def _without_repeats(pages: list[str]) -> list[str]:
    """The pages with a header or footer that most of them share left on the first alone."""
    if len(pages) < _MIN_PAGES:
        return pages
    edges = [set(map(_shape, _edges(page.splitlines()))) for page in pages]
    counts = Counter(shape for shapes in edges for shape in shapes)
    common = {shape for shape, count in counts.items() if 2 * count > len(pages)}
    first = {shape: next(n for n, found in enumerate(edges) if shape in found) for shape in common}
    return [
        _without(page, {shape for shape in common if first[shape] < number})
        for number, page in enumerate(pages)
    ]


def _edges(lines: list[str]) -> list[str]:
    return [line for line in (*lines[:_EDGE], *lines[-_EDGE:]) if line.strip()]


def _shape(line: str) -> str:
    """What is the same on every page: all but the numbers."""
    return _DIGITS.sub("#", _folded(line))


def _without(page: str, shapes: set[str]) -> str:
    lines = page.splitlines()
    last = len(lines) - _EDGE
    return "\n".join(
        line
        for place, line in enumerate(lines)
        if _EDGE <= place < last or _shape(line) not in shapes
    )


def _attachments(pdf: "pypdfium2.PdfDocument") -> Iterator[Enclosed]:
    import pypdfium2

    for number in range(pdf.count_attachments()):
        name = f"attachment {number + 1}"
        try:
            attachment = pdf.get_attachment(number)
            name = str(attachment.get_name()) or name
            yield Enclosed(name=name, data=bytes(attachment.get_data()))
        except (pypdfium2.PdfiumError, UnicodeError) as error:
            message = f"it can't be taken out: {error}"
            yield Enclosed(name=name, refusal=Refusal(type="CorruptDocument", message=message))


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
