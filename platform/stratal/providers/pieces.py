"""A text in the pieces in which a model would have written it."""

from collections.abc import Iterator

from stratal.providers.provider import Completion, StreamItem, TextDelta

PIECE = 24  # characters


def in_pieces(completion: Completion, *, size: int = PIECE) -> Iterator[StreamItem]:
    """`completion` as a stream: its text in pieces of `size` characters, then itself."""
    for start in range(0, len(completion.text), size):
        yield TextDelta(text=completion.text[start : start + size])
    yield completion
