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
        (BlockKind.PROSE, ("Guide", "Leave"), "Thirty days:"),
        (BlockKind.CODE, ("Guide", "Leave"), "code here"),
        (BlockKind.HEADING, ("Guide", "Sick"), "Sick"),
        (BlockKind.PROSE, ("Guide", "Sick"), "Call."),
    ]


def text_of(source: str) -> list[str]:
    return [block.text for block in read(source.encode(), "a.rst").blocks]


def test_what_only_sphinx_knows_is_read_and_nothing_is_included() -> None:
    source = (
        "See :class:`Foo <a.b>`.\n\n.. py:function:: send(x)\n   :noindex:\n\n   Sends *it*.\n\n"
        ".. toctree::\n\n   intro\n\n.. include:: /etc/passwd\n\n"
        ".. code-block:: python\n   :linenos:\n\n   x = 1\n"
    )

    assert text_of(source) == ["See Foo.", "send(x)", "Sends it.", "x = 1"]


def test_lists_and_tables_keep_their_order() -> None:
    source = (
        "3. three\n\n   - inner\n\n4. four\n\nTerm\n   What it means.\n\n"
        "=== ===\nwho day\n=== ===\nall 12\n=== ===\n"
    )

    assert text_of(source) == [
        "3. three\n  - inner\n4. four",
        "Term: What it means.",
        "who\tday\nall\t12",
    ]


def test_what_is_too_long_or_too_deep_for_docutils_is_read_by_its_lines() -> None:
    deep = b"".join(b" " * n + b"a\n\n" for n in range(600)) + b"last"
    long = PAGE + b"word " * 80_000

    assert read(deep, "a.rst").blocks[-1].text == "last"
    assert read(long, "a.rst").blocks[-1].heading == ("Guide", "Sick")
