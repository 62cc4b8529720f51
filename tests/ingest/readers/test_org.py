from stratal_ingest.document import BlockKind
from stratal_ingest.readers.registry import read

PAGE = b"""#+TITLE: Hand /book/
#+OPTIONS: toc:nil
* TODO Leave :hr:paid:
:PROPERTIES:
:ID: 7
:END:
Thirty *days* a [[https://x.org][year]], see [[https://y.org]].
# a comment
| who | days |
|-----+------|
| all |   30 |
** Code
#+begin_src python
x = 1 * 2 * 3
#+end_src
#+begin_quote
Said so.
#+end_quote
"""


def test_stars_make_the_headings_and_marks_go() -> None:
    document = read(PAGE, "a.org")

    leave = ("Hand book", "TODO Leave")
    assert document.title == "Hand book"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, ("Hand book",), "Hand book"),
        (BlockKind.HEADING, leave, "TODO Leave"),
        (BlockKind.PROSE, leave, "Thirty days a year, see https://y.org."),
        (BlockKind.TABLE, leave, "who\tdays\nall\t30"),
        (BlockKind.HEADING, (*leave, "Code"), "Code"),
        (BlockKind.CODE, (*leave, "Code"), "x = 1 * 2 * 3"),
        (BlockKind.PROSE, (*leave, "Code"), "Said so."),
    ]


def test_a_block_and_a_drawer_that_never_end_lose_nothing() -> None:
    assert read(b"#+begin_src\nx", "a.org").text == "x"
    assert read(b":draw:\nx\n* h", "a.org").text == ":draw:\nx\n\nh"
