"""Files made to break a parser, each in a few lines; none is larger than it has to be."""

import bz2
import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Sequence

from tests.ingest.compound import ole
from tests.ingest.samples import numbered_pdf, pdf

MIB = 1024 * 1024


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tar_of(names: Sequence[str], data: bytes = b"text") -> bytes:
    return tarred(*((tarfile.TarInfo(name), data) for name in names))


def gzip_bomb() -> bytes:
    return gzip.compress(b"\0" * 30 * MIB)


def tar_bomb() -> bytes:
    return bz2.compress(tar_of([f"{n}.txt" for n in range(30)], b" " * MIB))


def tar_of_too_many() -> bytes:
    return tar_of([f"{n}.txt" for n in range(2_100)], b"")


def tar_with_a_giant_that_is_not_there() -> bytes:
    info = tarfile.TarInfo("a.txt")
    info.size = 10**11
    return info.tobuf() + b"text".ljust(1024, b"\0")


def tar_of_links() -> bytes:
    links = []
    for name, kind, target in (
        ("hard.txt", tarfile.LNKTYPE, "/etc/passwd"),
        ("soft.txt", tarfile.SYMTYPE, "../../etc/passwd"),
        ("device.txt", tarfile.CHRTYPE, ""),
        ("pipe.txt", tarfile.FIFOTYPE, ""),
    ):
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        links.append((info, b""))
    return tarred(*links)


def tar_with_a_loop() -> bytes:
    """A pax header whose size is negative leads some readers back to itself."""
    info = tarfile.TarInfo("a.txt")
    info.type = tarfile.XHDTYPE
    header = bytearray(info.tobuf())
    header[124:136] = b"-0000001000\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"\0" * 1024


def stored(names: Sequence[str], data: bytes = b"text") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return out.getvalue()


def zip_that_lies() -> bytes:
    """Both headers say 9 bytes; a megabyte comes out."""
    data = b"0" * MIB
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(data) + packed.flush()
    fields = (0, 8, 0, 0, zlib.crc32(data), len(body), 9, 5)
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, *fields, 0) + b"a.txt" + body
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, *fields, 0, 0, 0, 0, 0, 0)
    entry += b"a.txt"
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entry), len(local), 0)
    return local + entry + end


def zip_with_overlaps() -> bytes:
    """Three names for the same bytes."""
    whole = stored(["a.txt"], b"x" * 2_000)
    directory = whole.index(b"PK\x01\x02")
    entry = whole[directory : whole.index(b"PK\x05\x06")]
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 3, 3, 3 * len(entry), directory, 0)
    return whole[:directory] + 3 * entry + end


def zip_in_zip() -> bytes:
    return stored(["inner.zip"], stored(["a.txt"]))


def strange_names() -> bytes:
    return stored(
        [
            "/etc/passwd.txt",
            "..\\..\\windows\\system.txt",
            "C:\\secret.txt:stream",
            "\\\\server\\share\\a.txt",
            "one\ntwo\r\n\x1b[31mred\x1b[0m.txt",
            "nul.txt\u202etxt.exe",
            "a" * 5_000 + ".txt",
        ]
    )


def mail_of_many_parts() -> bytes:
    part = b"--b\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\n%PDF-\r\n"
    head = b"From: a@example.org\r\nMIME-Version: 1.0\r\nSubject: many\r\n"
    return head + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part * 10_000 + b"--b--"


def mail_within_itself(depth: int = 2_000) -> bytes:
    """Nested deeper than anything that reads it by recursion can go."""
    level = b"From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n"
    return level * depth + b"Subject: the innermost\r\n\r\ntext"


def mail_of_multiparts() -> bytes:
    lines = [b"From: a@example.org\r\nMIME-Version: 1.0\r\n"]
    for n in range(2_000):
        lines.append(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n))
    return b"".join(lines)


def mail_with_a_giant_header() -> bytes:
    to = b", ".join(b"=?utf-8?q?a=%02x?= <a%d@example.org>" % (n % 256, n) for n in range(40_000))
    return b"From: a@example.org\nMessage-ID: <1>\nTo: " + to + b"\nSubject: hi\n\ntext"


def one_tag(megabytes: int = 5) -> bytes:
    return b"<html><body>" + b"<b>" * (megabytes * MIB // 3) + b"end"


def one_attribute() -> bytes:
    return b"<html><body><p " + b"a=b " * MIB + b">end"


def tables_in_tables() -> bytes:
    return b"<html><body>" + b"<table><tr><td>x" * 20_000 + b"end"


def pdf_with_looping_pages() -> bytes:
    return numbered_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [2 0 R 2 0 R 3 0 R] /Count 1000000 >>",
            "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 9 >>",
        ]
    )


def pdf_with_looping_outline() -> bytes:
    whole = pdf("Hello")
    changed = whole.replace(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Catalog /Pages 2 0 R /Outlines << /First 9 0 R /Last 9 0 R /Count 9 >> >>",
    )
    loop = b"9 0 obj\n<< /Title (Loop) /Next 9 0 R /First 9 0 R /Dest [4 0 R /Fit] >>\nendobj\n"
    return changed.replace(b"xref", loop + b"xref", 1)


def pdf_that_says_a_million_pages() -> bytes:
    return pdf("Hello").replace(b"/Count 1 ", b"/Count 1000000 ")


def epub_outside(root: str = "../../etc/passwd", href: str = "a.xhtml") -> bytes:
    out = io.BytesIO()
    container = f'<container><rootfiles><rootfile full-path="{root}"/></rootfiles></container>'
    package = (
        f'<package><manifest><item id="a" href="{href}" media-type="application/xhtml+xml"/>'
        '</manifest><spine><itemref idref="a"/></spine></package>'
    )
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("book.opf", package)
        archive.writestr("a.xhtml", "<html><body><p>text</p></body></html>")
    return out.getvalue()


def epub_with_entities() -> bytes:
    bomb = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><package>&b;</package>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("b.opf", bomb)
    return out.getvalue()


def mail_from_outlook() -> bytes:
    return ole(
        {
            "__properties_version1.0": b"\0" * 32,
            "__substg1.0_0037001F": "Subject".encode("utf-16-le"),
            "__substg1.0_1000001F": ("The body. " * 400).encode("utf-16-le"),
        }
    )
