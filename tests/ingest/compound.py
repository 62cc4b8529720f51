"""OLE compound files made in code, as Outlook and the old Office write them ([MS-CFB])."""

import struct
from collections.abc import Mapping

SECTOR, MINI, CUTOFF = 512, 64, 4096
FREE, END, FAT_SECTOR, NOTHING = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
STORAGE, STREAM, ROOT = 1, 2, 5


def ole(streams: Mapping[str, bytes]) -> bytes:
    """A file of these streams; a `/` in a name parts storages."""
    return _Writer(streams).whole()


class _Writer:
    def __init__(self, streams: Mapping[str, bytes]) -> None:
        self._sectors: list[bytes] = []
        self._fat: list[int] = []
        self._minis = b""
        self._mini_fat: list[int] = []
        self._streams = dict(streams)

    def whole(self) -> bytes:
        paths = self._paths()
        places = [self._placed(self._streams.get(path, b"")) for path in paths[1:]]
        root = self._chain(self._minis) if self._minis else END
        minis = b"".join(struct.pack("<I", entry) for entry in self._mini_fat)
        mini_fat = self._chain(minis) if minis else END
        mini_sectors = -(-len(minis) // SECTOR)
        directory = self._chain(self._directory(paths, [(root, len(self._minis)), *places]))
        fats = 1
        while len(self._fat) + fats > fats * SECTOR // 4:
            fats += 1
        first = len(self._fat)
        self._fat += [FAT_SECTOR] * fats
        table = b"".join(struct.pack("<I", entry) for entry in self._fat)
        table = table.ljust(fats * SECTOR, b"\xff")
        difat = [*range(first, first + fats), *[FREE] * (109 - fats)]
        header = struct.pack(
            "<8s16sHHHHH6xIIIIIIIII109I",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            *(b"", 0x3E, 3, 0xFFFE, 9, 6, 0, fats, directory, 0, CUTOFF, mini_fat, mini_sectors),
            *(END, 0, *difat),
        )
        return header + b"".join(self._sectors) + table

    def _paths(self) -> list[str]:
        """Every storage and stream, the root first."""
        found = {""}
        for path in self._streams:
            parts = path.split("/")
            found |= {"/".join(parts[: n + 1]) for n in range(len(parts))}
        return sorted(found)

    def _placed(self, data: bytes) -> tuple[int, int]:
        """Where a stream begins, and its size."""
        if not data:
            return (END, 0)
        if len(data) >= CUTOFF:
            return (self._chain(data), len(data))
        first = len(self._minis) // MINI
        count = -(-len(data) // MINI)
        self._minis += data.ljust(count * MINI, b"\0")
        self._mini_fat += [*range(first + 1, first + count), END]
        return (first, len(data))

    def _chain(self, data: bytes) -> int:
        first, count = len(self._sectors), -(-len(data) // SECTOR)
        padded = data.ljust(count * SECTOR, b"\0")
        self._sectors += [padded[n * SECTOR : (n + 1) * SECTOR] for n in range(count)]
        self._fat += [*range(first + 1, first + count), END]
        return first

    def _directory(self, paths: list[str], places: list[tuple[int, int]]) -> bytes:
        entries = []
        for number, path in enumerate(paths):
            below = [n for n, p in enumerate(paths) if n and _parent(p) == path and p != path]
            beside = [n for n, p in enumerate(paths) if n > number and _parent(p) == _parent(path)]
            kind = ROOT if not number else STREAM if path in self._streams else STORAGE
            name = ("Root Entry" if not number else path.rpartition("/")[2]).encode("utf-16-le")
            entries.append(
                struct.pack(
                    "<64sHBBIII16sIQQIQ",
                    *(name, len(name) + 2, kind, 1, NOTHING),
                    beside[0] if beside and number else NOTHING,
                    below[0] if below else NOTHING,
                    *(b"", 0, 0, 0, *places[number]),
                )
            )
        return b"".join(entries)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
