"""The parts of an Office file: a ZIP of XML parts that point at each other by relationships."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from stratal_ingest.errors import CorruptDocument
from stratal_ingest.limits import Limits
from stratal_ingest.readers.archive import opened, unpacked
from stratal_ingest.readers.xml_tree import Element, parse_xml

# Files saved as "Strict Open XML" use other namespaces for the very same elements.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_PAGE_NUMBER = re.compile(r"[\W\d_]|\b(?:page|of|seite|von|p[aá]gina|de|sur)\b", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"(?:Microsoft (?:Word|PowerPoint|Excel)\b.*|PowerPoint[- ]Pr\w+|(?:Document|Presentation|"
    r"Dokument|Book|Slide)\s?\d*|untitled.*|title|[^ ]+\.(?:docx?|dotx?|pptx?|xlsx?|rtf|odt))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Where a part points: `kind` is the last word of the relationship's type."""

    id: str
    kind: str
    target: str  # name of a part


class Package:
    """An open Office file; a part that is missing is None, one that is broken is an error."""

    def __init__(self, data: bytes) -> None:
        self._archive = opened(data)
        self._names = {_folded(name): name for name in self._archive.namelist()}

    def bytes_of(self, name: str) -> bytes | None:
        """The part's bytes, namespaces of strict files written as those of all others."""
        stored = self._names.get(_folded(name))
        if stored is None:
            return None
        entry = self._archive.getinfo(stored)
        data = unpacked(self._archive, entry, limit=Limits().archive_bytes)
        return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)

    def part(self, name: str) -> Element | None:
        """The root element of a part."""
        data = self.bytes_of(name)
        return parse_xml(data, name) if data else None

    def main(self, usual: str) -> tuple[str, Element]:
        """The name and the root of the part everything hangs on; `usual` is where it often lies.

        Raises `CorruptDocument` where there is none.
        """
        found = [link.target for link in self.relations("") if link.kind == "officeDocument"]
        for name in (*found, usual):
            root = self.part(name)
            if root is not None:
                return name, root
        raise CorruptDocument(f"it holds no {usual}")

    def relations(self, name: str) -> list[Relation]:
        """Where the part `name` points, in the order of the file; the package itself is ""."""
        folder, file = posixpath.split(name)
        root = self.part(posixpath.join(folder, "_rels", f"{file}.rels"))
        return [] if root is None else list(_relations(root, folder))

    def related(self, name: str, kind: str) -> Iterator[Element]:
        """The roots of the parts of one kind that `name` points at."""
        for link in self.relations(name):
            root = self.part(link.target) if link.kind == kind else None
            if root is not None:
                yield root

    def title(self) -> str:
        """The title its properties name; empty where a program made it up."""
        root = next(self.related("", "core-properties"), None)
        found = None if root is None else root.find("{http://purl.org/dc/elements/1.1/}title")
        return sensible_title("" if found is None else found.text or "")


def says_something(text: str) -> bool:
    """Whether a header or footer holds more than the number of its page.

    >>> says_something("Page 3 of 12"), says_something("ACME, page 3")
    (False, True)
    """
    return bool(_PAGE_NUMBER.sub("", text))


def sensible_title(title: str) -> str:
    """`title`, or nothing where it is a file's name or a program's default.

    >>> sensible_title("Microsoft Word - x.doc"), sensible_title("Leave in 2024")
    ('', 'Leave in 2024')
    """
    words = " ".join(title.split())
    return "" if _NO_TITLE.fullmatch(words) else words


def _relations(root: Element, folder: str) -> Iterator[Relation]:
    for link in root.iter(_RELATIONS):
        if link.get("TargetMode", "") == "External":
            continue  # a web address or another file: never followed
        target = unquote(link.get("Target", "")).replace("\\", "/")
        path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = link.get("Type", "").rpartition("/")[2]
        yield Relation(id=link.get("Id", ""), kind=kind, target=path)


def _folded(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
