from stratal_ingest.document import BlockKind
from stratal_ingest.readers.registry import read

PAGE = b"""---
title: "Handbook"
owner: HR
---
# Leave
Thirty days.

Parental
--------
| who | weeks |
|-----|-------|
| all | 12    |

```sh
# not a heading
```
> quoted
> text

## Sick ##
- call
- rest
"""


def test_structure_is_kept() -> None:
    document = read(PAGE, "handbook.md")

    assert document.title == "Handbook"
    assert [(block.kind, block.heading, block.text) for block in document.blocks] == [
        (BlockKind.PROSE, (), 'title: "Handbook"\nowner: HR'),
        (BlockKind.HEADING, ("Leave",), "Leave"),
        (BlockKind.PROSE, ("Leave",), "Thirty days."),
        (BlockKind.HEADING, ("Leave", "Parental"), "Parental"),
        (
            BlockKind.TABLE,
            ("Leave", "Parental"),
            "| who | weeks |\n|-----|-------|\n| all | 12    |",
        ),
        (BlockKind.CODE, ("Leave", "Parental"), "```sh\n# not a heading\n```"),
        (BlockKind.PROSE, ("Leave", "Parental"), "quoted\ntext"),
        (BlockKind.HEADING, ("Leave", "Sick"), "Sick"),
        (BlockKind.PROSE, ("Leave", "Sick"), "- call\n- rest"),
    ]


def test_a_fence_that_never_closes_reaches_to_the_end() -> None:
    document = read(b"```\n# a\n\nb", "a.md")

    assert [block.text for block in document.blocks] == ["```\n# a\n\nb"]


def test_a_rule_after_a_paragraph_makes_no_heading() -> None:
    document = read(b"one\ntwo\n\n---\n\nthree", "a.md")

    assert not any(block.kind == BlockKind.HEADING for block in document.blocks)


def test_thousands_of_quote_marks_cost_nothing() -> None:
    document = read(b">" * 200_000 + b" deep", "a.md")

    assert document.text == "deep"
