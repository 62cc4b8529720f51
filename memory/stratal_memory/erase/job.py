"""The note of an erase that is going on: a crash leaves it, and the next one goes on from it."""

import base64
import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from stratal_memory.erase.siblings import Sibling
from stratal_memory.erase.target import Target, What
from stratal_memory.errors import StorageError
from stratal_memory.records import new_id
from stratal_memory.scopes import Principal

FILE_NAME = "erase.job"
VERSION = 1


@dataclass(slots=True, kw_only=True)
class Job:
    """What is erased, how far it came, and what is looked for at its end.

    It holds the texts themselves until then; it is overwritten before it is removed.
    """

    target: Target
    id: str = field(default_factory=lambda: new_id("erase"))
    done: list[str] = field(default_factory=list[str])  # names of finished steps
    counts: Counter[str] = field(default_factory=Counter[str])
    texts: list[str] = field(default_factory=list[str])
    heads: list[bytes] = field(default_factory=list[bytes])
    removed: list[str] = field(default_factory=list[str])  # files, below the directory
    left: list[Sibling] = field(default_factory=list[Sibling])  # stays, and says it still
    fresh: bool = False  # begun now, not found after a crash; never written down

    def save(self, folder: Path) -> None:
        """Write it, durably and whole."""
        heads = [base64.b85encode(head).decode() for head in self.heads]
        body = {
            "version": VERSION,
            "id": self.id,
            "what": self.target.what,
            "name": self.target.name,
            "principal": asdict(self.target.principal),
            "siblings": self.target.siblings,
            "done": self.done,
            "counts": self.counts,
            "texts": self.texts,
            "heads": heads,
            "removed": self.removed,
            "left": [asdict(one) for one in self.left],
        }
        path = folder / FILE_NAME
        temporary = path.with_suffix(".new")
        with temporary.open("w", encoding="utf-8") as file:
            temporary.chmod(0o600)
            json.dump(body, file)
            file.flush()
            os.fsync(file.fileno())
        old = path.open("r+b") if path.exists() else None
        temporary.replace(path)
        if old is not None:
            with old:
                _overwrite(old)  # it has no name any more, and soon no bytes

    def finish(self, folder: Path) -> None:
        """Take the note away, its bytes first."""
        for path in reversed(paths(folder)):
            if path.exists():
                with path.open("r+b") as file:
                    _overwrite(file)
                path.unlink()


def _overwrite(file: IO[bytes]) -> None:
    file.write(bytes(os.fstat(file.fileno()).st_size))
    file.flush()
    os.fsync(file.fileno())


def paths(folder: Path) -> tuple[Path, Path]:
    """The files of the note: it, and what a crash may have left of a newer one."""
    return folder / FILE_NAME, folder / "erase.new"


def pending(folder: Path) -> Job | None:
    """The erase that a crash cut off in `folder`; None when there is none.

    Raises `StorageError` when its note can't be read.
    """
    path = folder / FILE_NAME
    if not path.exists():
        return None
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        return Job(
            target=Target(
                what=What(body["what"]),
                name=body["name"],
                principal=Principal(**body["principal"]),
                siblings=body.get("siblings", False),
            ),
            id=body["id"],
            done=list(body["done"]),
            counts=Counter(body["counts"]),
            texts=list(body["texts"]),
            heads=[base64.b85decode(head) for head in body["heads"]],
            removed=list(body["removed"]),
            left=[Sibling(**one) for one in body.get("left", ())],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"the note of an interrupted erase, {path}, can't be read: {error}",
            hint="Remove it and run the same erase again.",
        ) from error
