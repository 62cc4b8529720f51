"""Tiny documents made in code, and a store that keeps what it is given in memory."""

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime

from stratal_memory.incoming import NewDocument
from stratal_memory.records import Document, Passage, Scope, ScopeKind


def words(text: str) -> int:
    """One token a word."""
    return len(text.split())


def pdf(*pages: str) -> bytes:
    """A PDF of one line of ASCII text a page."""
    first = 4  # objects 1 to 3 are the catalog, the pages and the font
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {first + 2 * number + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return _numbered(objects)


def _numbered(objects: Sequence[str]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("ascii")
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += "".join(f"{offset:010} 00000 n \n" for offset in offsets).encode()
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n".encode()
    return bytes(out + f"startxref\n{table}\n%%EOF\n".encode())


def zipped(**entries: bytes) -> bytes:
    """A ZIP; `__` in a name stands for `/`, `_xml` for `.xml`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), data)
    return out.getvalue()


class MemoryStore:
    """Keeps documents by path, and counts how often something was written."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.passages: dict[str, Sequence[Passage]] = {}
        self.writes = 0

    def find(self, path: str) -> Document | None:
        return self.documents.get(path)

    def put(self, document: NewDocument, passages: Sequence[Passage]) -> Document:
        self.writes += 1
        stored = Document(
            id=f"doc_{self.writes}",
            scope=Scope(ScopeKind.USER, "alice"),
            path=document.path,
            title=document.title,
            format=document.format,
            content_hash=document.content_hash,
            characters=document.characters,
            pages=document.pages,
            chunks=len(passages),
            trust=document.trust,
            added=datetime(2026, 1, 1, tzinfo=UTC),
        )
        self.documents[document.path] = stored
        self.passages[document.path] = passages
        return stored
