"""A document in passages: whole sentences, rows and definitions, each under its headings."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from stratal_ingest.boundaries import Span, parts
from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_memory.records import Passage

Count = Callable[[str], int]  # text in, tokens of the embedder out

# A word of 100 characters and more is one unknown token to a WordPiece vocabulary.
_CHARACTERS_PER_TOKEN = 8
_PAGE_TOKENS = 8  # ", p. 1234" after the headings, and the line's end
_SMALLEST = 32  # tokens; no sentence fits into less


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large passages are, in tokens of the embedder.

    It ignores what lies beyond its window without a word, and the title and headings the store
    puts before a passage stand in it too: under long ones passages are shorter. Chosen on the
    development set of RETRIEVAL by scripts/measure_chunking.py: of 500 to 2,000 tokens retrieved,
    nothing between 120 and 240 was better by more than its noise, and every size well before
    fixed pieces of 512 (Os16).
    """

    target: int = 200
    max: int = 240
    overlap: int = 45
    window: int = 254  # of all-MiniLM-L6-v2, beside its two tokens for begin and end

    @property
    def max_characters(self) -> int:
        """The longest passage in characters, whatever the counter says."""
        return _CHARACTERS_PER_TOKEN * self.max

    @classmethod
    def of_window(cls, window: int) -> "Sizes":
        """The sizes for an embedder that takes in `window` tokens; never larger than the default.

        Larger passages are found worse, whatever the embedder takes in.
        """
        usual = cls()
        if window >= usual.window:
            return replace(usual, window=window)
        share = max(window, _SMALLEST) / usual.window
        return cls(
            target=int(usual.target * share),
            max=int(usual.max * share),
            overlap=int(usual.overlap * share),
            window=max(window, _SMALLEST),
        )

    def under(self, headings: int) -> "Sizes":
        """What is left of them under a title and headings of so many tokens; a third at least."""
        most = max(self.window - headings, self.max // 3)
        if most >= self.max:
            return self
        return replace(self, target=min(self.target, most), max=most)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """What is never parted again."""

    span: Span
    tokens: int
    block: Block


def chunk(document: ReadDocument, *, count: Count, sizes: Sizes | None = None) -> list[Passage]:
    """The passages of `document`, in its order; every visible character is in at least one.

    None is over `sizes.max` tokens (a single character can't be parted). A passage stays under
    one heading path; neighbours in running text share about a sentence.
    """
    text = document.text
    packer = _Packer(document, count, sizes or Sizes())
    spans = [span for start, block in document.placed() for span in packer.take(start, block)]
    spans.extend(packer.finish())
    return [_passage(text, pieces, ordinal) for ordinal, pieces in enumerate(spans)]


def _passage(text: str, pieces: Sequence[_Piece], ordinal: int) -> Passage:
    start, end = pieces[0].span[0], pieces[-1].span[1]
    whole = text[start:end]
    start += len(whole) - len(whole.lstrip("\n"))
    end -= len(whole) - len(whole.rstrip())
    body = next((p.block for p in pieces if p.block.kind != BlockKind.HEADING), pieces[-1].block)
    return Passage(
        text=text[start:end],
        ordinal=ordinal,
        start=start,
        end=end,
        page=body.page,
        heading=body.heading,
    )


class _Packer:
    """Fills one passage after the other with pieces."""

    def __init__(self, document: ReadDocument, count: Count, sizes: Sizes) -> None:
        self._text = document.text
        self._title = document.title
        self._count = count
        self._chosen = self._sizes = sizes
        self._places: dict[tuple[str, ...], int] = {}
        self._open: list[_Piece] = []
        self._fresh = 0  # pieces of `_open` that no closed passage holds

    def take(self, start: int, block: Block) -> Iterator[Sequence[_Piece]]:
        """Put `block`, which begins at `start`, into passages; yields those that are full."""
        if self._begins_section(block):
            yield from self._close(overlap=False)
        self._sizes = self._chosen.under(self._place_tokens(block))
        pieces = list(self._pieces(start, block))
        if self._better_apart(pieces):
            yield from self._turn_over(block, self._tokens(pieces))
        for piece in pieces:
            if self._tokens(self._open) + piece.tokens > self._room():
                yield from self._turn_over(block, piece.tokens)
            self._open.append(piece)
            self._fresh += 1

    def _turn_over(self, block: Block, coming: int) -> Iterator[Sequence[_Piece]]:
        """Close the open passage; of its end stays what has room beside `coming` tokens."""
        yield from self._close(overlap=block.kind == BlockKind.PROSE)
        if self._tokens(self._open) + coming > self._sizes.target:
            self._open = []

    def _place_tokens(self, block: Block) -> int:
        """What the title and the headings of `block` take of the window."""
        path = (self._title, *block.heading)
        if path not in self._places:
            self._places[path] = self._count(" › ".join(path)) + _PAGE_TOKENS
        return self._places[path]

    def finish(self) -> Iterator[Sequence[_Piece]]:
        """The last passage."""
        yield from self._close(overlap=False)

    def _pieces(self, start: int, block: Block) -> Iterator[_Piece]:
        whole = (start, start + len(block.text))
        for span in parts(self._text, whole, block.kind, fits=self._fits_piece):
            words = self._text[span[0] : span[1]]
            if words.strip():
                yield _Piece(span=span, tokens=self._count(words), block=block)

    def _fits_piece(self, start: int, end: int) -> bool:
        return self._fits(start, end, limit=self._sizes.target)

    def _fits(self, start: int, end: int, *, limit: int) -> bool:
        short = end - start <= self._sizes.max_characters
        return short and self._count(self._text[start:end]) <= limit

    def _begins_section(self, block: Block) -> bool:
        """Whether `block` stands under another heading than the text already in the passage."""
        return self._has_body() and self._open[-1].block.heading != block.heading

    def _has_body(self) -> bool:
        return any(piece.block.kind != BlockKind.HEADING for piece in self._open)

    def _better_apart(self, pieces: Sequence[_Piece]) -> bool:
        """Whether a block stays whole if it begins a passage, and the open one is large enough."""
        opened, whole = self._tokens(self._open), self._tokens(pieces)
        return whole <= self._sizes.target < opened + whole and 2 * opened >= self._sizes.target

    def _room(self) -> int:
        """A heading alone is no passage, so what follows it may use all there is."""
        return self._sizes.target if self._has_body() else self._sizes.max

    def _close(self, *, overlap: bool) -> Iterator[Sequence[_Piece]]:
        done, fresh = self._open, self._fresh
        self._fresh = 0
        self._open = self._tail(done) if overlap and fresh else []
        if fresh:
            yield from self._fitting(done)

    def _tail(self, pieces: Sequence[_Piece]) -> list[_Piece]:
        """The last sentences, as many as the overlap allows; never the whole passage."""
        tail: list[_Piece] = []
        for piece in reversed(pieces[1:]):
            room = self._sizes.overlap - self._tokens(tail)
            if piece.block.kind != BlockKind.PROSE or piece.tokens > room:
                break
            tail.insert(0, piece)
        return tail

    def _fitting(self, pieces: Sequence[_Piece]) -> Iterator[Sequence[_Piece]]:
        """`pieces` as one passage; as several where what lies between them costs too much."""
        start, end = pieces[0].span[0], pieces[-1].span[1]
        if len(pieces) == 1 or self._fits(start, end, limit=self._sizes.max):
            yield pieces
            return
        middle = len(pieces) // 2
        yield from self._fitting(pieces[:middle])
        yield from self._fitting(pieces[middle:])

    def _tokens(self, pieces: Sequence[_Piece]) -> int:
        return sum(piece.tokens for piece in pieces)
