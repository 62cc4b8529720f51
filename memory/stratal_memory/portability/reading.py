"""JSON read piece by piece, whatever its size: lines of a file, elements of a long array."""

import json
import re
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import JsonValue

from stratal_memory.errors import InputError
from stratal_memory.portability.report import Refused

LONGEST = 64 * 1024 * 1024  # bytes of one line or element
WHOLE = 512 * 1024 * 1024  # bytes of one value that is no array: it is held in memory at once
BLOCK = 1024 * 1024  # bytes read at once
LARGEST = 4 * 1024 * 1024 * 1024  # bytes of a member of an archive, really read
MEMBER = "conversations.json"
_SIGNS = re.compile(rb'["\\{}\[\],]')

Object = dict[str, JsonValue]
Piece = tuple[str, JsonValue | Refused]  # where it stood; its value, or why there is none


@contextmanager
def opened(path: Path) -> Generator[IO[bytes]]:
    """The bytes of a file, or of `conversations.json` inside an archive.

    Raises `InputError` when there is no such file or the archive holds none.
    """
    try:
        if not zipfile.is_zipfile(path):
            with path.open("rb") as file:
                yield file
            return
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.split("/")[-1] == MEMBER]
            if not names:
                raise InputError(
                    f"{path.name} holds no {MEMBER}", hint="Give the file of the export itself."
                )
            with archive.open(min(names, key=len)) as file:
                yield file
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"{path} can't be read: {why or error}",
            hint="Give the file of an export, as `stratal memory export` writes one.",
        ) from error


def lines(file: IO[bytes]) -> Iterator[Piece]:
    """Every line that is not blank as JSON; one that is none, or too long, as the reason."""
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        where = f"line {number}"
        if len(line) > LONGEST:
            while line and not line.endswith(b"\n"):
                line = file.readline(BLOCK)
            yield where, Refused(f"it is longer than {LONGEST // 1024**2} MiB")
        elif line.strip():
            yield where, parsed(line)


def parsed(data: bytes) -> JsonValue | Refused:
    """The value of one JSON text, or why it has none."""
    try:
        value: JsonValue = json.loads(data)
    except (ValueError, RecursionError) as error:
        return Refused(f"it is no JSON: {str(error)[:120]}")
    return value


def elements(file: IO[bytes], *, called: str) -> Iterator[Piece]:
    """The elements of the array a file holds, one at a time; another value as the only one.

    Raises `InputError` when the value is no array and longer than 512 MiB.
    """
    head = file.read(BLOCK).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith(b"["):
        yield "the file", _whole(head, file)
        return
    for number, piece in enumerate(_split(head[1:], file), 1):
        yield f"{called} {number}", parsed(piece) if isinstance(piece, bytes) else piece


def _whole(head: bytes, file: IO[bytes]) -> JsonValue | Refused:
    data = head + file.read(WHOLE)
    if len(data) > WHOLE:
        raise InputError(
            f"the file is one JSON object of more than {WHOLE // 1024**2} MiB",
            hint="Give the list inside it as a file of its own, or one object a line (.jsonl).",
        )
    return parsed(data)


def _split(data: bytes, file: IO[bytes]) -> Iterator[bytes | Refused]:
    """The texts between the commas of an array, as its bytes come in."""
    splitter = _Splitter()
    read = len(data)
    while data:
        yield from splitter.feed(data)
        if splitter.ended:
            return
        data = file.read(BLOCK)
        read += len(data)
        if read > LARGEST:
            yield Refused(f"the file goes on after {LARGEST // 1024**3} GiB: the rest is left out")
            return
    yield Refused("the file ends before its array does")


class _Splitter:
    """Finds the ends of elements: depth of brackets, outside of strings."""

    def __init__(self) -> None:
        self.ended = False
        self._depth = 0
        self._quoted = False
        self._escaped = -1  # the place of the sign a backslash took
        self._kept: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes | Refused]:
        """The elements that end in `data`."""
        begun = 0
        for sign in _SIGNS.finditer(data):
            at = sign.start()
            if at == self._escaped or not self._is_end(sign.group(), at):
                continue
            yield from self._element(data[begun:at])
            begun = at + 1
            if self.ended:
                return
        self._escaped -= len(data)
        self._keep(data[begun:])

    def _is_end(self, sign: bytes, at: int) -> bool:
        if self._quoted:
            if sign == b"\\":
                self._escaped = at + 1
            self._quoted = sign != b'"'
            return False
        if sign in b"{[":
            self._depth += 1
        elif sign in b"}]":
            self._depth -= 1
            self.ended = self._depth < 0
            return self.ended
        elif sign == b'"':
            self._quoted = True
        return sign == b"," and self._depth == 0

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= LONGEST:
            self._kept.append(part)
        else:
            self._kept.clear()

    def _element(self, part: bytes) -> Iterator[bytes | Refused]:
        self._keep(part)
        text, size = b"".join(self._kept).strip(), self._size
        self._kept, self._size = [], 0
        if size > LONGEST:
            yield Refused(f"it is longer than {LONGEST // 1024**2} MiB")
        elif text:
            yield text


def text_of(value: object) -> str:
    """`value` when it is text, else nothing."""
    return value if isinstance(value, str) else ""


def objects(value: object) -> list[Object]:
    """The objects in a list; everything else in it is left out."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def object_of(value: object) -> Object:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
