from stratal_ingest.document import BlockKind
from stratal_ingest.readers.registry import read

PAGE = b"""=====
Guide
=====
Hello there.

Leave
-----

Thirty days::

    code here

Sick
----
Call.
"""


def test_underlines_make_the_headings() -> None:
    document = read(PAGE, "guide.rst")

    assert document.title == "Guide"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Guide",), "Guide"),
        (BlockKind.PROSE, ("Guide",), "Hello there."),
        (BlockKind.HEADING, ("Guide", "Leave"), "Leave"),
        (BlockKind.PROSE, ("Guide", "Leave"), "Thirty days::"),
        (BlockKind.CODE, ("Guide", "Leave"), "    code here"),
        (BlockKind.HEADING, ("Guide", "Sick"), "Sick"),
        (BlockKind.PROSE, ("Guide", "Sick"), "Call."),
    ]
