"""Many short byte strings looked for at once, and the forms a text takes on a disk.

Sixteen bytes of every string (of a short one eight) are its anchor. A file is read as numbers of
eight bytes at each of eight offsets, and a table says which of them may begin an anchor: some
50 MB a second, however many strings there are.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

SHORTEST = 12  # characters; shorter texts are found everywhere by chance
WINDOW = 48  # characters of one sample of a long text
SAMPLES = 8  # of one long text
TOGETHER = 4 * 1024 * 1024  # bytes of many short values that are looked through at once
_BETWEEN = b"\0\xff\0"
_WORD = 8  # bytes; the least a needle may have
_BITS = 22  # of the table: 4 MB
_ODD = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)
Numbers = NDArray[np.uint64]
Places = NDArray[np.int64]


class Traces:
    """Needles of at least eight bytes; shorter ones are left out."""

    def __init__(self, needles: Iterable[bytes]) -> None:
        fit = {one for one in needles if len(one) >= _WORD}
        long = [one for one in fit if len(one) >= 2 * _WORD]
        short = [one for one in fit if len(one) < 2 * _WORD]
        self._parts = [_Anchored(some, words) for some, words in ((long, 2), (short, 1)) if some]

    def __bool__(self) -> bool:
        return bool(self._parts)

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Where each needle stands in `data`, in no promised order."""
        for part in self._parts:
            yield from part.find(data)

    def held(self, values: Iterable[bytes]) -> set[bytes]:
        """The needles that some of `values` hold; many short ones are looked through together.

        The bytes between two values are in no text.
        """
        found: set[bytes] = set()
        waiting: list[bytes] = []
        size = 0
        for value in values:
            waiting.append(value)
            size += len(value)
            if size >= TOGETHER:
                found.update(needle for _, needle in self.find(_BETWEEN.join(waiting)))
                waiting, size = [], 0
        found.update(needle for _, needle in self.find(_BETWEEN.join(waiting)))
        return found


class _Anchored:
    """Needles known by anchors of one or two words of eight bytes."""

    def __init__(self, needles: Sequence[bytes], words: int) -> None:
        self._words = words
        offsets, hashes = self._anchors(needles, size=words * _WORD)
        order = np.argsort(hashes, kind="stable")
        self._needles = [needles[place] for place in order.tolist()]
        self._offsets: list[int] = offsets[order].tolist()
        self._hashes = hashes[order]
        self._table = np.zeros(1 << _BITS, dtype=bool)
        self._table[_slots(self._hashes)] = True

    def _anchors(self, needles: Sequence[bytes], *, size: int) -> tuple[Places, Numbers]:
        """Where each needle's anchor begins, and its hash: of four places the rarest.

        Many statements begin alike, and many end alike.
        """
        data = np.frombuffer(b"".join(needles), dtype=np.uint8)
        lengths = np.array([len(one) for one in needles], dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        last = lengths - size
        choices = np.stack([last // 2, last, last // 4, np.zeros_like(last)])
        hashed = np.stack([self._at(data, starts + choice, size=size) for choice in choices])
        rarest = np.argmin(np.stack([_shared(row) for row in hashed]), axis=0)
        every = np.arange(len(needles))
        return choices[rarest, every], hashed[rarest, every]

    def _at(self, data: NDArray[np.uint8], starts: Places, *, size: int) -> Numbers:
        """The hash of the `size` bytes from each of `starts` on."""
        taken = np.ascontiguousarray(data[starts[:, None] + np.arange(size)])
        return self._hashed(taken.view("<u8").ravel())[:: self._words]

    def _hashed(self, numbers: Numbers) -> Numbers:
        """One number for the words from each place on; the last places may lack one."""
        if self._words == 1:
            return numbers * _ODD
        return numbers[:-1] * _ODD + numbers[1:] * _OTHER

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for shift in range(_WORD):
            count = (len(data) - shift) // _WORD
            if count < self._words:
                return
            hashes = self._hashed(np.frombuffer(data, dtype="<u8", count=count, offset=shift))
            for place in self._known(hashes).tolist():
                yield from self._whole(data, place * _WORD + shift, int(hashes[place]))

    def _known(self, hashes: Numbers) -> Places:
        """The places whose hash is that of an anchor."""
        maybe = np.flatnonzero(self._table[_slots(hashes)])
        found = np.searchsorted(self._hashes, hashes[maybe])
        found[found == len(self._hashes)] = 0
        same: NDArray[np.bool_] = self._hashes[found] == hashes[maybe]
        return maybe[same]

    def _whole(self, data: bytes, at: int, number: int) -> Iterator[tuple[int, bytes]]:
        anchor = np.uint64(number)
        first = int(np.searchsorted(self._hashes, anchor, side="left"))
        behind = int(np.searchsorted(self._hashes, anchor, side="right"))
        for place in range(first, behind):
            start = at - self._offsets[place]
            if start >= 0 and data.startswith(self._needles[place], start):
                yield start, self._needles[place]


def _slots(numbers: Numbers) -> Numbers:
    return numbers >> np.uint64(64 - _BITS)


def _shared(hashes: Numbers) -> NDArray[np.int64]:
    """How many have the same hash as each."""
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    shared: NDArray[np.int64] = counts[inverse]
    return shared


def samples(text: str) -> list[str]:
    """`text` itself, or windows of a long one: its beginning, its end, and between them."""
    if len(text) < SHORTEST:
        return []
    if len(text) <= WINDOW * 2:
        return [text]
    step = (len(text) - WINDOW) / (SAMPLES - 1)
    starts = [round(number * step) for number in range(SAMPLES)]
    return [text[start : start + WINDOW] for start in starts]


def forms(text: str) -> set[bytes]:
    """`text` in UTF-8, both UTF-16, escaped as JSON, and base64 at its three alignments."""
    plain = text.encode("utf-8", "surrogatepass")
    found = {
        plain,
        text.encode("utf-16-le", "surrogatepass"),
        text.encode("utf-16-be", "surrogatepass"),
        json.dumps(text)[1:-1].encode("ascii"),
        json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"),
    }
    for before in range(3):
        found |= _in_base64(plain, before=before)
    return found


def _in_base64(plain: bytes, *, before: int) -> set[bytes]:
    """What is the same of its base64 whatever stands around it, in both alphabets."""
    whole = base64.b64encode(bytes(before) + plain)
    first, last = -(-before * 8 // 6), (before + len(plain)) * 8 // 6
    core = whole[first:last]
    return {core, core.translate(bytes.maketrans(b"+/", b"-_"))}
