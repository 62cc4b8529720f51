"""A document without its secrets, before it is cut: every offset counts what is kept."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stratal_ingest.document import Block, ReadDocument
from stratal_memory.learning.redaction import Secret, find_secrets


def without_secrets(document: ReadDocument) -> ReadDocument:
    """`document` with each secret replaced as `redact` does, also where two blocks share one.

    The title, the headings above a block and the files inside are left to whoever stores them.
    """
    secrets = find_secrets(document.text)
    return replace(document, blocks=tuple(_blocks(document, secrets))) if secrets else document


def _blocks(document: ReadDocument, secrets: Sequence[Secret]) -> Iterator[Block]:
    starts = [secret.start for secret in secrets]
    ends = [secret.end for secret in secrets]
    for start, block in document.placed():
        after = bisect_left(starts, start + len(block.text))
        text = _without(block.text, start, secrets[bisect_right(ends, start) : after])
        if text.strip():
            yield replace(block, text=text)


def _without(text: str, start: int, secrets: Sequence[Secret]) -> str:
    """The `text` that stands at `start`, each of `secrets` in it or reaching into it."""
    parts: list[str] = []
    place = 0
    for secret in secrets:
        parts.append(text[place : max(secret.start - start, 0)])
        if secret.start >= start:
            parts.append(f"[secret: {secret.kind}]")
        place = secret.end - start
    return "".join((*parts, text[place:]))
