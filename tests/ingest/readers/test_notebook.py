import json

import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.registry import read


def notebook(*cells: dict[str, object]) -> bytes:
    kernel = {"language_info": {"name": "python"}}
    return json.dumps({"cells": list(cells), "metadata": kernel, "nbformat": 4}).encode()


def code(source: str, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source.splitlines(True), "outputs": list(outputs)}


def test_markdown_gives_the_headings_and_code_comes_with_its_output() -> None:
    data = notebook(
        {"cell_type": "markdown", "source": ["# Leave\n", "Thirty days."]},
        code("x = 1\n\nprint(x)", {"output_type": "stream", "text": ["1\n"]}),
        {"cell_type": "raw", "source": "raw"},
    )

    document = read(data, "a.ipynb")

    assert (document.format, document.title) == ("ipynb", "Leave")
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Leave",), "Leave"),
        (BlockKind.PROSE, ("Leave",), "Thirty days."),
        (BlockKind.CODE, ("Leave",), "```python\nx = 1\n\nprint(x)\n```"),
        (BlockKind.CODE, ("Leave",), "```output\n1\n```"),
        (BlockKind.CODE, ("Leave",), "```\nraw\n```"),
    ]


def test_pictures_are_left_out_errors_kept_and_long_outputs_cut() -> None:
    data = notebook(
        code("a", {"data": {"image/png": "AAAA"}}),
        code("b", {"output_type": "error", "ename": "ValueError", "evalue": "no"}),
        code("c", {"data": {"text/plain": "~" * 5_000, "text/html": "<b>"}}),
    )

    text = read(data, "a.ipynb").text

    assert "AAAA" not in text
    assert "ValueError: no" in text
    assert text.count("~") == 2_000
    assert "[3,000 characters more]" in text


def test_code_that_holds_fences_stays_one_block() -> None:
    assert len(read(notebook(code("a\n```\nb")), "a.ipynb").blocks) == 1


def test_the_older_format_is_read() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code"}]
    old = {"worksheets": [{"cells": cells}], "nbformat": 3}

    assert read(json.dumps(old).encode(), "a.ipynb").title == "Old"


@pytest.mark.parametrize("data", [b'{"cells": [{"source"', b"[1]", b'{"cells": 3}'])
def test_what_is_no_notebook_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument):
        read(data, "a.ipynb")
