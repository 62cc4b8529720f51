"""Plain text: paragraphs between blank lines."""

from stratal_ingest.document import Block, ReadDocument
from stratal_ingest.readers.encoding import decode


class PlainReader:
    """Reads text in any encoding."""

    formats = ("text",)
    libraries: tuple[str, ...] = ("charset_normalizer",)

    def read(self, data: bytes, name: str) -> ReadDocument:
        """One block a paragraph."""
        blocks = tuple(Block(text=part) for part in paragraphs(decode(data)))
        return ReadDocument(format="text", blocks=blocks)


def paragraphs(text: str) -> list[str]:
    r"""The runs of lines that are not blank.

    >>> paragraphs("a\nb\n \nc")
    ['a\nb', 'c']
    """
    found: list[str] = []
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            found.append("\n".join(lines))
            lines = []
    return found
