"""What a person reads on an HTML page, as blocks: one pass over its tree, without recursion."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stratal_ingest.document import Block, BlockKind, Outline
from stratal_ingest.readers.page_furniture import is_unseen
from stratal_ingest.readers.page_table import PageTable, holds_layout

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SKIPPED = (
    {"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "canvas"}
    | {"audio", "video", "rp", "rt", "annotation", "annotation-xml", "datalist"}  # furigana, TeX
)
_BLOCKS = (
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "pre"}
    | {"details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer"}
    | {"form", "header", "hr", "html", "legend", "li", "main", "ol", "p", "section", "summary"}
    | {"table", "tbody", "tfoot", "thead", "ul", "option", "nav", "h1", "h2", "h3", "h4", "h5"}
    | {"h6", "tr", "td", "th"}
)
_CELLS = frozenset({"td", "th"})
_HEADING = re.compile(r"h[1-6]$")
_DEEPEST = 30  # tables in each other; deeper ones are no data, whatever is in them
_FILE_NAME = re.compile(r"[^ ]*\.(?:png|jpe?g|gif|svg|webp)", re.I)
_BLANKS = re.compile(r"\s+")
_BREAK = "\0"  # stands for <br>; no text of a parsed page holds one
_SOFT_HYPHEN = "\u00ad"


class PageWalk:
    """One pass over a page.

    `everything` takes hidden elements, navigation and banners too, for pages that are nothing
    else to a program that runs no scripts. Outside `main`, the element that holds what the page
    is about, links and labels are left out as in a navigation; sentences stay, and the `h1`.
    """

    def __init__(self, *, everything: bool = False, main: "LexborNode | None" = None) -> None:
        self.first_heading = ""
        self._everything = everything
        self._main = main.mem_id if main is not None else 0
        self._outside = main is not None and not everything
        self._outline = Outline()
        self._parts: list[str] = []  # inline text of the paragraph being read
        self._linked = 0  # characters of it that are links
        self._links = self._navs = self._pres = 0  # how many are open
        self._table: PageTable | None = None  # the open table of data
        self._layouts = 0  # open tables that only place things
        self._lists: list[int] = []  # the next number of each open list; 0 without numbers
        self._marker = ""  # of the item that has begun and has no text yet
        self._items: list[str] = []  # lines of the list being read

    def blocks(self, root: "LexborNode") -> Iterator[Block]:
        """The blocks under `root`, in the order of the source."""
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            tag = node.tag or ""
            if leaving:
                yield from self._leave(node, tag)
            elif tag == "-text":
                self._add(node.text_content or "")
            elif tag not in _SKIPPED and (self._everything or not is_unseen(node, tag)):
                yield from self._enter(node, tag)
                stack.append((node, True))
                stack.extend((child, False) for child in _children_backwards(node))
        yield from self._flush()
        yield from self._end_list()

    def _add(self, text: str) -> None:
        self._parts.append(text)
        if self._links:
            self._linked += len(text.strip())

    def _enter(self, node: "LexborNode", tag: str) -> Iterator[Block]:
        if tag == "br":
            self._parts.append(_BREAK)
        elif tag == "img":
            self._add(_alternative(node))
        elif tag in _BLOCKS:
            yield from self._flush()
            yield from self._begin(node, tag)
        self._cross(node, leaving=False)
        self._links += tag == "a"
        self._navs += _is_navigation(node, tag)

    def _begin(self, node: "LexborNode", tag: str) -> Iterator[Block]:
        if self._table is not None:
            self._table.enter(node, tag, self._cell())
        elif tag == "table":
            self._layouts += 1
            if self._layouts < _DEEPEST and not holds_layout(node):
                yield from self._end_list()
                self._layouts -= 1
                self._table = PageTable()
        elif tag == "pre":
            yield from self._end_list()
            self._pres += 1
        elif tag in {"ul", "ol"}:
            self._lists.append(_first_number(node) if tag == "ol" else 0)
        elif tag == "li":
            self._begin_item()

    def _leave(self, node: "LexborNode", tag: str) -> Iterator[Block]:
        self._links -= tag == "a"
        if self._table is not None:
            if tag in _BLOCKS:
                yield from self._leave_in_table(tag)
        elif tag == "pre":
            yield from self._end_pre()
        elif _HEADING.match(tag):
            yield from self._end_heading(int(tag[1]))
        elif tag in _BLOCKS:
            yield from self._flush()
            self._layouts -= tag == "table"
            if tag in {"ul", "ol"} and self._lists:
                self._lists.pop()
                if not self._lists:
                    yield from self._end_list()
        self._navs -= _is_navigation(node, tag)
        self._cross(node, leaving=True)

    def _cross(self, node: "LexborNode", *, leaving: bool) -> None:
        if node.mem_id == self._main:
            self._outside = leaving and not self._everything

    def _leave_in_table(self, tag: str) -> Iterator[Block]:
        assert self._table is not None
        if tag in _CELLS or tag in {"tr", "table", "caption"}:
            self._table.leave(tag, self._cell())
        else:
            self._parts.append(" ")
        if self._table.closed:
            text, self._table = self._table.text, None
            if text and not self._navs:
                yield self._block(text, BlockKind.TABLE)

    def _cell(self) -> str | None:
        """The text of the open cell when the table wants it; until then only words are parted."""
        assert self._table is not None
        if self._table.nested:
            self._parts.append(" ")
            return None
        return self._take().replace("\n", " ")

    def _flush(self) -> Iterator[Block]:
        """End the paragraph; inside a table it only parts words of the cell."""
        if self._table is not None:
            self._parts.append(" ")
            return
        linked = self._linked
        text = self._take()
        aside = (self._navs or self._outside) and not self._everything
        if not text or (aside and _is_link_list(text, linked)):
            return
        if self._lists and not self._pres:
            self._items.append(self._marker + text.replace("\n", " "))
            self._marker = "  " * len(self._lists)
        else:
            yield from self._end_list()
            for paragraph in text.split("\n\n"):
                yield self._block(paragraph, BlockKind.PROSE)

    def _take(self) -> str:
        """The text read since; a break is a new line, two are a new paragraph."""
        text = "".join(self._parts).replace(_SOFT_HYPHEN, "")
        self._parts = []
        self._linked = 0
        if self._pres and self._table is None:
            return text.replace(_BREAK, "\n").strip("\n").rstrip()
        lines = [line.strip() for line in _BLANKS.sub(" ", text).split(_BREAK)]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def _begin_item(self) -> None:
        depth = "  " * (len(self._lists) - 1)
        number = self._lists[-1] if self._lists else 0
        self._marker = f"{depth}{number}. " if number else f"{depth}- "
        if number:
            self._lists[-1] += 1

    def _end_list(self) -> Iterator[Block]:
        if self._items:
            yield self._block("\n".join(self._items), BlockKind.PROSE)
            self._items = []

    def _end_pre(self) -> Iterator[Block]:
        text = self._take()
        self._pres -= 1
        if text.strip():
            yield from self._end_list()
            yield self._block(text, BlockKind.CODE)

    def _end_heading(self, level: int) -> Iterator[Block]:
        text = self._take().replace("\n", " ")
        label = self._outside and level > 1 and _is_link_list(text, 0)
        if text and (self._everything or not (self._navs or label)):
            yield from self._end_list()
            self.first_heading = self.first_heading or text
            self._outline.enter(level, text)
            yield self._block(text, BlockKind.HEADING)

    def _block(self, text: str, kind: BlockKind) -> Block:
        return Block(text=text, kind=kind, heading=self._outline.path)


def _is_navigation(node: "LexborNode", tag: str) -> bool:
    return tag == "nav" or node.attributes.get("role") == "navigation"


def _is_link_list(text: str, linked: int) -> bool:
    """Whether what stands in a navigation is links, not a sentence with one in it."""
    return 2 * linked >= len(text) or len(text.split()) < 3


def _alternative(node: "LexborNode") -> str:
    """What is written for those who don't see the picture."""
    text = (node.attributes.get("alt") or "").strip()
    return "" if _FILE_NAME.fullmatch(text) else f" {text} "


def _first_number(node: "LexborNode") -> int:
    start = node.attributes.get("start") or "1"
    return int(start) if re.fullmatch(r"[1-9]\d{0,5}", start) else 1


def _children_backwards(node: "LexborNode") -> Iterator["LexborNode"]:
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev
