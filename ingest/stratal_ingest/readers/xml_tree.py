"""XML as a tree of elements, with nothing in it that reaches beyond the bytes."""

import html
import importlib
import io
import re
from collections.abc import Iterator, Mapping
from typing import Protocol, Self, cast

from stratal_ingest.errors import CorruptDocument

_ENCODING = re.compile(rb"""(<\?xml[^>]{0,200}?)\s+encoding\s*=\s*["'][^"'>]{0,40}["']""")


class Element(Protocol):
    """What is used of an element of lxml, which has no types of its own."""

    tag: str
    text: str | None
    tail: str | None

    @property
    def attrib(self) -> Mapping[str, str]:
        """Its attributes."""
        ...

    def __iter__(self) -> Iterator[Self]: ...
    def __reversed__(self) -> Iterator[Self]: ...
    def __len__(self) -> int: ...
    def iter(self, *tags: str) -> Iterator[Self]:
        """The element and all in it, those of `tags` if any are named."""
        ...

    def iterancestors(self, *tags: str) -> Iterator[Self]:
        """What it is in, the innermost first."""
        ...

    def itertext(self) -> Iterator[str]:
        """The texts in it, in order."""
        ...

    def find(self, path: str) -> Self | None:
        """The first element at `path`."""
        ...

    def findall(self, path: str) -> list[Self]:
        """The elements at `path`."""
        ...

    def get(self, key: str, default: str = ...) -> str:
        """An attribute."""
        ...

    def getparent(self) -> Self | None:
        """What it is in."""
        ...


def parse_xml(data: bytes, what: str, *, document_type: bool = False) -> Element:
    """The root of the XML in `data`; comments and processing instructions are left out.

    `what` names it in messages. A document type is refused unless `document_type` allows one,
    entities that it declares always. Raises `CorruptDocument`; nothing is fetched or expanded.
    """
    etree = importlib.import_module("lxml.etree")  # it has no types
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise CorruptDocument(f"{what} is not readable XML: {str(error)[:200]}") from error
    _refuse_document_type(root.getroottree().docinfo, what, allowed=document_type)
    return cast(Element, root)


def stream_xml(data: bytes, what: str, *tags: str) -> Iterator[Element]:
    """The elements of `tags` in `data`, each freed after its use: a sheet has a million rows.

    Raises what `parse_xml` raises, perhaps after some elements.
    """
    etree = importlib.import_module("lxml.etree")
    events = etree.iterparse(
        io.BytesIO(data), events=("end",), tag=tags, resolve_entities=False, no_network=True,
        huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        for _, found in events:
            yield cast(Element, found)
            found.clear(keep_tail=False)
            while found.getprevious() is not None:
                del found.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise CorruptDocument(f"{what} is not readable XML: {str(error)[:200]}") from error
    if events.root is not None:
        _refuse_document_type(events.root.getroottree().docinfo, what, allowed=False)


class _Type(Protocol):
    def iterentities(self) -> Iterator[object]: ...


class _Info(Protocol):
    doctype: str
    internalDTD: _Type | None


def _refuse_document_type(info: _Info, what: str, *, allowed: bool) -> None:
    if info.doctype and not allowed:
        raise CorruptDocument(f"{what} declares a document type, which no Office program writes")
    if info.internalDTD is not None and next(iter(info.internalDTD.iterentities()), None):
        raise CorruptDocument(f"{what} declares entities of its own, which are never expanded")


def without_encoding(data: bytes) -> bytes:
    """`data` without the encoding its XML declaration names."""
    return _ENCODING.sub(rb"\1", data, count=1)


def local(tag: object) -> str:
    """The name of a tag without its namespace; empty for an entity that was not expanded.

    >>> local("{urn:x}p")
    'p'
    """
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def text_of(element: Element) -> str:
    """All the text in `element`, an entity such as `&nbsp;` as its character."""
    parts: list[str] = []
    stack: list[Element | str] = [element]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        parts.append(html.unescape(node.text or "") if not local(node.tag) else node.text or "")
        for child in reversed(node):
            stack.append(child.tail or "")
            stack.append(child)
    return "".join(parts)
