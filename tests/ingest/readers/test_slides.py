import io
import zipfile

import pptx
from pptx.chart.data import ChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation
from pptx.shapes.autoshape import Shape
from pptx.util import Inches

from stratal_ingest.document import BlockKind
from stratal_ingest.readers.registry import read
from tests.ingest.office_samples import zip_of

HERE = (Inches(1), Inches(2), Inches(3), Inches(1))


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    """The ZIP in `data` with `old` written as `new` in every part."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return zip_of({n: archive.read(n).replace(old, new) for n in archive.namelist()})


def saved(presentation: Presentation) -> bytes:
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def test_a_slide_is_a_page_under_its_title_and_its_notes_come_last() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    title, placeholder = slide.placeholders
    assert isinstance(title, Shape)
    assert isinstance(placeholder, Shape)
    title.text_frame.text = "Plan"
    body = placeholder.text_frame
    body.text = "Top"
    below = body.add_paragraph()
    below.text, below.level = "Sub", 1
    notes = slide.notes_slide.notes_text_frame
    assert notes is not None
    notes.text = "Say hello"

    document = read(saved(presentation), "a.pptx")

    assert (document.title, document.pages) == ("Plan", 1)
    assert [(b.kind, b.heading, b.page, b.text) for b in document.blocks] == [
        (BlockKind.HEADING, ("Plan",), 1, "Plan"),
        (BlockKind.PROSE, ("Plan",), 1, "Top\n  - Sub"),
        (BlockKind.PROSE, ("Plan",), 1, "Notes:\nSay hello"),
    ]


def test_grouped_shapes_are_read_as_they_lie() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    for text, left, top in (("right", 4, 2), ("left", 1, 2), ("above", 2, 1)):
        box = group.shapes.add_textbox(Inches(left), Inches(top), Inches(1), Inches(1))
        box.text_frame.text = text

    assert read(saved(presentation), "a.pptx").text == "above\n\nleft\n\nright"


def test_charts_and_tables_are_rows() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    numbers = ChartData()  # type: ignore[no-untyped-call]
    numbers.categories = ["Q1", "Q2"]
    numbers.add_series("East", (1.5, 2))  # type: ignore[no-untyped-call]
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *HERE, numbers)
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(5), Inches(3), Inches(1)).table
    for row, texts in enumerate((("who", "weeks"), ("all", "1"), ("", "2"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))

    chart, listed = read(saved(presentation), "a.pptx").blocks

    assert (chart.kind, chart.text) == (BlockKind.TABLE, "East\nQ1\t1.5\nQ2\t2")
    assert (listed.kind, listed.text) == (BlockKind.TABLE, "who\tweeks\nall\t1\nall\t2")


def test_a_hidden_slide_says_so() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    title = slide.shapes.title
    assert title is not None
    title.text = "Draft"

    data = replaced(saved(presentation), b"<p:sld ", b'<p:sld show="0" ')
    assert read(data, "a.pptx").text == "Draft (hidden slide)"
