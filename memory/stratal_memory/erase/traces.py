"""Many short byte strings looked for at once, and the forms a text takes on a disk.

Sixteen bytes of every string (of a short one eight) are its anchor. A file is read as numbers of
eight bytes at each of eight offsets, and a table says which of them may begin an anchor: some
50 MB a second, however many strings there are.
"""

import base64
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

SHORTEST = 12  # characters; shorter texts are found everywhere by chance
WINDOW = 48  # characters of one sample of a long text
SAMPLES = 8  # of one long text
_WORD = 8  # bytes; the least a needle may have
_BITS = 22  # of the table: 4 MB
_ODD = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)
Numbers = NDArray[np.uint64]


class Traces:
    """Needles of at least eight bytes; shorter ones are left out."""

    def __init__(self, needles: Iterable[bytes]) -> None:
        fit = sorted({one for one in needles if len(one) >= _WORD})
        long = [one for one in fit if len(one) >= 2 * _WORD]
        short = [one for one in fit if len(one) < 2 * _WORD]
        self._parts = [_Anchored(some, words) for some, words in ((long, 2), (short, 1)) if some]

    def __bool__(self) -> bool:
        return bool(self._parts)

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Where each needle stands in `data`, in no promised order."""
        for part in self._parts:
            yield from part.find(data)


class _Anchored:
    """Needles known by anchors of one or two words of eight bytes."""

    def __init__(self, needles: Sequence[bytes], words: int) -> None:
        self._words = words
        self._by_hash: dict[int, list[tuple[bytes, int]]] = {}
        size = words * _WORD
        seen: Counter[bytes] = Counter()
        chosen: list[tuple[bytes, int]] = []
        for needle in needles:
            offset = _rarest(needle, seen, size=size)
            seen[needle[offset : offset + size]] += 1
            chosen.append((needle, offset))
        joined = b"".join(needle[offset : offset + size] for needle, offset in chosen)
        hashes = self._hashed(np.frombuffer(joined, dtype="<u8"))[::words]
        for number, one in zip(hashes.tolist(), chosen, strict=True):
            self._by_hash.setdefault(number, []).append(one)
        self._sorted = np.unique(hashes)
        self._table = np.zeros(1 << _BITS, dtype=bool)
        self._table[_slots(self._sorted)] = True

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

    def _known(self, hashes: Numbers) -> NDArray[np.int64]:
        """The places whose hash is that of an anchor."""
        maybe = np.flatnonzero(self._table[_slots(hashes)])
        if not maybe.size:
            return maybe
        found = np.searchsorted(self._sorted, hashes[maybe])
        found[found == len(self._sorted)] = 0
        same: NDArray[np.bool_] = self._sorted[found] == hashes[maybe]
        return maybe[same]

    def _whole(self, data: bytes, at: int, number: int) -> Iterator[tuple[int, bytes]]:
        for needle, offset in self._by_hash[number]:
            start = at - offset
            if start >= 0 and data.startswith(needle, start):
                yield start, needle


def _slots(numbers: Numbers) -> Numbers:
    return numbers >> np.uint64(64 - _BITS)


def _rarest(needle: bytes, seen: Counter[bytes], *, size: int) -> int:
    """The offset of the anchor fewest others share: many statements begin alike."""
    last = len(needle) - size
    choices = (last // 2, last, last // 4, 0)
    return min(choices, key=lambda offset: seen[needle[offset : offset + size]])


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
