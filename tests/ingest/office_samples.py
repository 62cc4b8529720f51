"""Office files made byte by byte: a ZIP of parts, and the OLE wrapping of the old formats."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_URN = "urn:oasis:names:tc:opendocument:xmlns"
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR = 512
_SMALLEST = 4096  # bytes; smaller streams would lie in a stream of their own


def zip_of(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP of these parts, in their order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def relations(*links: tuple[str, str, str]) -> str:
    """A relationships part of (id, kind, target)."""
    inner = "".join(
        f'<Relationship Id="{id}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for id, kind, target in links
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def word(body: str, parts: Mapping[str, str] | None = None) -> bytes:
    """A DOCX with `body` in its body; `parts` are named by the kind of their relationship."""
    parts = parts or {}
    links = [(f"r{n}", kind, f"{kind}.xml") for n, kind in enumerate(parts)]
    root = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return zip_of(
        {
            "_rels/.rels": relations(("r", "officeDocument", "word/document.xml")),
            "word/document.xml": root,
            "word/_rels/document.xml.rels": relations(*links),
            **{
                f"word/{kind}.xml": f'<w:{kind} xmlns:w="{WORD}">{inner}</w:{kind}>'
                for kind, inner in parts.items()
            },
        }
    )


def open_document(kind: str, body: str, *, styles: str = "") -> bytes:
    """An OpenDocument file; `kind` is text, presentation or spreadsheet."""
    names = ("office", "text", "table", "style")
    spaces = "".join(f' xmlns:{name}="{_URN}:{name}:1.0"' for name in names)
    spaces += f' xmlns:draw="{_URN}:drawing:1.0" xmlns:svg="{_URN}:svg-compatible:1.0"'
    spaces += f' xmlns:presentation="{_URN}:presentation:1.0"'
    spaces += ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    return zip_of(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content{spaces}>{automatic}<office:body>"
            f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        }
    )


def ole(streams: Mapping[str, bytes]) -> bytes:
    """An OLE file with these streams at its root."""
    padded = {name: data.ljust(_SMALLEST, b"\0") for name, data in streams.items()}
    sectors: list[bytes] = []
    table: list[int] = []
    starts: list[int] = []
    for data in padded.values():
        count = -(-len(data) // _SECTOR)
        starts.append(len(sectors))
        table += [*range(len(sectors) + 1, len(sectors) + count), _END]
        sectors += [data[n * _SECTOR :][:_SECTOR].ljust(_SECTOR, b"\0") for n in range(count)]
    directory = _directory(padded, starts)
    first = len(sectors)
    count = len(directory) // _SECTOR
    table += [*range(first + 1, first + count), _END, _FAT]
    sectors += [directory[n * _SECTOR :][:_SECTOR] for n in range(count)]
    fat_at = len(sectors)
    table += [_FREE] * (_SECTOR // 4 - len(table))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    header += struct.pack("<HHHHH6xIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, first, 0, _SMALLEST,
                          _END, 0, _END, 0, fat_at)  # fmt: skip
    header += struct.pack("<108I", *[_FREE] * 108)
    return header + b"".join(sectors) + struct.pack(f"<{len(table)}I", *table)


def _directory(streams: Mapping[str, bytes], starts: Sequence[int]) -> bytes:
    """The root and the streams, each the right neighbour of the one before."""
    entries = [_entry("Root Entry", kind=5, child=1, right=_FREE, start=_END, size=0)]
    for number, (name, data) in enumerate(streams.items()):
        right = number + 2 if number + 1 < len(streams) else _FREE
        entries.append(
            _entry(name, kind=2, child=_FREE, right=right, start=starts[number], size=len(data))
        )
    entries += [b"\0" * 128] * (-len(entries) % 4)
    return b"".join(entries)


def _entry(name: str, *, kind: int, child: int, right: int, start: int, size: int) -> bytes:
    coded = name.encode("utf-16-le")
    head = coded.ljust(64, b"\0") + struct.pack(
        "<HBBIII", len(coded) + 2, kind, 1, _FREE, right, child
    )
    return head + b"\0" * 36 + struct.pack("<IQ", start, size)
