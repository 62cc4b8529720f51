"""Writes the two binary samples, `data/samples/onboarding.docx` and `price-list.pdf`.

Run it after changing the text below: `.venv/bin/python scripts/make_samples.py`. The same bytes
come out each time: no clock is read, and the entries of the zip carry one fixed date.
"""

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent.parent / "data" / "samples"
WRITTEN = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)

ONBOARDING: tuple[tuple[str, str], ...] = (
    ("Title", "Your first weeks at Meridian Bakery Cooperative"),
    ("Normal", "For everyone who starts after 1 September 2026. Your guide walks beside you."),
    ("Heading 1", "Before the first day"),
    ("List Bullet", "Bring a passport or identity card, your tax number and bank details."),
    ("List Bullet", "The hygiene briefing of the health office is at most 3 months old."),
    ("List Bullet", "Pick up clothing at the Old Mill on the Friday before, 14:00 to 15:00."),
    ("Heading 1", "The first day"),
    (
        "Normal",
        "It begins at 08:30 in the Old Mill office, never at 03:30. Priya Nair shows you the "
        "house, the meeting point at the bicycle shed, and the first-aid boxes. At 10:00 you meet "
        "your guide.",
    ),
    ("Heading 1", "The first four weeks"),
    ("List Number", "Week 1: bakehouse, day shift, table 2, with your guide."),
    ("List Number", "Week 2: Harbour Street, till and counter; allergen folder test on Friday."),
    ("List Number", "Week 3: oven briefing on Tuesday at 11:00; nobody runs an oven before it."),
    ("List Number", "Week 4: early shift; feedback talk on Thursday."),
    ("Heading 1", "Who helps with what"),
)
HELPERS = (
    ("Question", "Person", "Extension"),
    ("Rota and swaps", "your shop lead", "21 to 23"),
    ("Pay and expenses", "Ingrid Sole", "14"),
    ("Safety and leave", "Priya Nair", "12"),
    ("Recipes and quality", "Jonas Weir", "18"),
)
PRICES = (
    "Meridian Bakery Cooperative: price list, valid from 1 October 2026",
    "",
    "Harbour sourdough, 1 kg          6.40 euros",
    "Mill rye, 1.5 kg                 7.90 euros",
    "Spelt loaf, 750 g                5.80 euros",
    "Roll                             0.75 euros",
    "Butter croissant                 2.10 euros",
    "Almond croissant                 2.90 euros",
    "Apple tart, whole               24.00 euros",
    "Stollen, 750 g                  16.50 euros, from 16 November",
    "Coffee                           2.60 euros, oat drink at no extra charge",
    "",
    "From 10 loaves: 8 percent off. Cakes are ordered 2 days ahead, before 12:00.",
    "Bread of the day before costs half; staff discount does not apply to it.",
)


def onboarding() -> bytes:
    """The Word file."""
    from docx import Document

    document = Document()
    for style, text in ONBOARDING:
        document.add_paragraph(text, style=style)
    table = document.add_table(rows=0, cols=3)
    for row in HELPERS:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    properties = document.core_properties
    properties.title, properties.author = ONBOARDING[0][1], "Priya Nair"
    properties.created = properties.modified = WRITTEN
    stream = io.BytesIO()
    document.save(stream)
    return _undated(stream.getvalue())


def _undated(content: bytes) -> bytes:
    """The same zip with a fixed date on each entry."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, WRITTEN.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, old.read(name))
    return stream.getvalue()


def price_list() -> bytes:
    """A PDF of one page: five objects, a cross-reference table and a trailer."""
    shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in PRICES)
    stream = f"BT /F1 10 Tf 15 TL 60 780 Td\n{shown}\nET".encode("ascii")
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    )
    content, offsets = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return content + head + table + tail + b"startxref\n%d\n%%%%EOF\n" % len(content)


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


if __name__ == "__main__":
    for name, content in (("onboarding.docx", onboarding()), ("price-list.pdf", price_list())):
        (SAMPLES / name).write_bytes(content)
        print(f"{SAMPLES / name}: {len(content):,} bytes")
