"""HTML: what a person reads on the page, without scripts, styles and navigation."""

import re
from typing import TYPE_CHECKING

from stratal_ingest.document import Block, ReadDocument
from stratal_ingest.readers.encoding import decode, is_utf8, marked
from stratal_ingest.readers.page_furniture import main_of
from stratal_ingest.readers.page_walk import PageWalk

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_DECLARATIONS = 16_384  # bytes in which a page may name its charset
_CHARSET = re.compile(
    rb"""(?:<meta[^>]{0,200}charset|<\?xml[^>]{0,200}encoding)\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})""",
    re.I,
)
_XML_HEAD = 2_000  # characters in which XHTML says that it is
_EMPTY = re.compile(r"<([A-Za-z][\w:-]{0,30})((?:\s[^<>]{0,2000})?)/>")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"}
    | {"source", "track", "wbr"}
)
_BLANKS = re.compile(r"\s+")
_LATIN = frozenset({"iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"})  # as browsers do
_WORTH = 0.25  # share of a page's words below which leaving things out has gone wrong
_UNREAD = "script,style,template,noscript,svg"


class HypertextReader:
    """Reads HTML of any age and brokenness."""

    formats = ("html",)
    libraries = ("selectolax.lexbor", "charset_normalizer")

    def read(self, data: bytes, name: str) -> ReadDocument:
        """Headings, paragraphs, lists, tables and code, in the order of the source."""
        return read_page(decode_page(data))


def read_page(text: str) -> ReadDocument:
    """The document a page's source makes; its title is the first heading where it has no other."""
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(_opened(text) if _is_xml(text) else text)
    found = page.css_first("head > title") or page.css_first("title")
    title = _BLANKS.sub(" ", found.text()).strip() if found is not None else ""
    walk = PageWalk(main=main_of(page))
    blocks = _blocks(page, walk)
    if sum(len(block.text) for block in blocks) < _WORTH * _length(page):
        walk = PageWalk(everything=True)
        blocks = _blocks(page, walk)
    if not blocks:
        blocks = _described(page)
    return ReadDocument(format="html", title=title or walk.first_heading, blocks=blocks)


def _is_xml(text: str) -> bool:
    head = text[:_XML_HEAD].lstrip("\ufeff \t\r\n")
    return head.startswith("<?xml") or "http://www.w3.org/1999/xhtml" in head


def _opened(text: str) -> str:
    """XHTML's empty elements with an end of their own: HTML knows no `<title/>`."""
    return _EMPTY.sub(_with_end, text)


def _with_end(found: re.Match[str]) -> str:
    name, attributes = found[1], found[2]
    return found[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"


def _blocks(page: "LexborHTMLParser", walk: PageWalk) -> tuple[Block, ...]:
    root = page.body if page.body is not None else page.root
    return tuple(walk.blocks(root)) if root is not None else ()


def _length(page: "LexborHTMLParser") -> int:
    """Characters of all that could be read on the page; scripts are taken out of it for good."""
    for node in page.css(_UNREAD):
        node.decompose()
    root = page.body
    return len(_BLANKS.sub(" ", root.text())) if root is not None else 0


def _described(page: "LexborHTMLParser") -> tuple[Block, ...]:
    """What a page that only scripts fill says of itself."""
    found = page.css_first('meta[name="description"],meta[property="og:description"]')
    text = (found.attributes.get("content") or "") if found is not None else ""
    return (Block(text=text),)


def decode_page(data: bytes) -> str:
    """The page's text: UTF-8 where that works, else the charset it declares, else a guess."""
    declared = _CHARSET.search(data[:_DECLARATIONS])
    if marked(data) or not declared:
        return decode(data)
    name = declared[1].decode("ascii").lower()
    if is_utf8(data) or name in {"utf-8", "utf8"}:
        return decode(data)
    try:
        return data.decode("cp1252" if name in _LATIN else name, "replace")
    except (LookupError, ValueError):
        return decode(data)
