"""Whether any file of a data directory still holds what was erased."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, LargeBinary, String, select, text

from stratal_memory.erase.traces import Traces, forms
from stratal_memory.truth.tables import metadata

BLOCK = 4 * 1024 * 1024  # bytes read at once
PACKED = (".zip", ".gz", ".bz2", ".xz", ".zst", ".tar", ".tgz", ".7z")
COPIES = (".bak", ".backup", ".old", ".orig", ".sql", ".dump", ".jsonl")  # what people keep


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """What a look at every file found."""

    files: int
    bytes: int
    hits: tuple[tuple[str, int], ...]  # path below the directory, and how many places
    backups: tuple[tuple[str, str], ...]  # a path, and what is known of it


def kept_elsewhere(connection: Connection, traces: Traces) -> set[bytes]:
    """What of `traces` a row that stays holds: it is not what was erased."""
    return traces.held(_values(connection))


def _values(connection: Connection) -> Iterator[bytes]:
    """Every text and blob of every table, with the words of full text."""
    for table in metadata.sorted_tables:
        columns = [one for one in table.c if isinstance(one.type, String | LargeBinary)]
        if not columns:
            continue
        found = connection.execute(select(*columns).execution_options(yield_per=1_000))
        for row in found:
            yield b"\0".join(_bytes(value) for value in row if value)
    for (body,) in connection.execute(text("SELECT c1 FROM full_text_content")):
        yield _bytes(body)


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def needles(texts: Collection[str], heads: Collection[bytes]) -> set[bytes]:
    """The bytes looked for: every text in every form, and the vectors."""
    return {form for one in texts for form in forms(one)} | set(heads)


def scan(
    folder: Path,
    traces: Traces,
    *,
    shared: Collection[bytes] = frozenset(),
    skip: Collection[Path] = (),
    beside: Collection[Path] = (),
    on_file: Callable[[Path], None] | None = None,
) -> Scanned:
    """What every file below `folder` holds of `traces`, but for what is `shared`.

    `beside` are folders of backups.
    """
    files, size = 0, 0
    hits: list[tuple[str, int]] = []
    backups: list[tuple[str, str]] = []
    for path, outside in [*_files(folder, skip), *_outside(beside)]:
        if on_file:
            on_file(path)
        count, length = _hits(path, traces, shared)
        files, size = files + 1, size + length
        name = str(path) if outside else path.relative_to(folder).as_posix()
        if outside or _is_copy(path):
            backups += [(name, _told(path, count))] if count or _is_packed(path) else []
        elif count:
            hits.append((name, count))
    return Scanned(files=files, bytes=size, hits=tuple(hits), backups=tuple(backups))


def _files(folder: Path, skip: Collection[Path]) -> list[tuple[Path, bool]]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [(path, False) for path in found if path not in skip]


def _outside(folders: Collection[Path]) -> list[tuple[Path, bool]]:
    return [(path, True) for one in folders for path in sorted(one.rglob("*")) if path.is_file()]


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() in PACKED


def _is_copy(path: Path) -> bool:
    return _is_packed(path) or any(end in path.name.lower() for end in COPIES)


def _told(path: Path, count: int) -> str:
    return f"holds it in {count} places" if count else "packed: it can't be looked into"


def _hits(path: Path, traces: Traces, shared: Collection[bytes]) -> tuple[int, int]:
    """How many places of a file hold a needle, and its size; needles may cross blocks."""
    found: set[int] = set()
    longest, at, tail = 4_096, 0, b""
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                data = tail + block
                start = at - len(tail)
                found.update(
                    start + place for place, needle in traces.find(data) if needle not in shared
                )
                at += len(block)
                tail = data[-longest:]
    except FileNotFoundError:
        return 0, 0  # a lock file that went meanwhile
    return len(found), at
