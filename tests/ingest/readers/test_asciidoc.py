import pytest

from stratal_ingest.document import BlockKind
from stratal_ingest.readers.registry import read

PAGE = b"""= Handbook
:toc: left
// a comment

== Leave
Thirty *days* a https://x.org[year], see <<sick,below>>.

* one
* two

.Days by person
[cols="1,1"]
|===
|who |days
|all |30
|===

[source,python]
----
x = 1

y = 2
----

====
NOTE: Ask first.
====

Sick
~~~~
Call.
"""


def test_signs_make_the_headings_and_marks_go() -> None:
    document = read(PAGE, "a.adoc")

    leave = ("Handbook", "Leave")
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Handbook",), "Handbook"),
        (BlockKind.HEADING, leave, "Leave"),
        (BlockKind.PROSE, leave, "Thirty days a year, see below."),
        (BlockKind.PROSE, leave, "* one\n* two"),
        (BlockKind.PROSE, leave, "Days by person"),
        (BlockKind.TABLE, leave, "who\tdays\nall\t30"),
        (BlockKind.CODE, leave, "x = 1\n\ny = 2"),
        (BlockKind.PROSE, leave, "NOTE: Ask first."),
        (BlockKind.HEADING, (*leave, "Sick"), "Sick"),
        (BlockKind.PROSE, (*leave, "Sick"), "Call."),
    ]


@pytest.mark.parametrize(
    ("inner", "rows"),
    [
        ('[cols="2*"]\n|===\n|a\n|b\n\n|c\n|d\n|===', "a\tb\nc\td"),
        ("|===\n|a |b\n\n|c\n|d\n|===", "a\tb\nc\td"),
        ("|===\n|a\\|b |c\n2+|d\n|===", "a\\|b\tc\nd"),
        ("[%header,format=csv]\n,===\na,b\nc,d\n,===", "a\tb\nc\td"),
    ],
)
def test_cells_are_counted_by_columns_or_lines(inner: str, rows: str) -> None:
    assert read(inner.encode(), "a.adoc").text == rows


def test_nothing_is_included() -> None:
    assert read(b"include::/etc/passwd[]\n\nx", "a.adoc").text == "x"
