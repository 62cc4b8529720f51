"""What an erase says at its end, and what of that stays."""

import json
from dataclasses import dataclass
from datetime import datetime

from stratal_memory.erase.siblings import Sibling
from stratal_memory.erase.target import What


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was erased, and what a look at every file found afterwards."""

    id: str
    at: datetime
    what: What
    name: str
    counts: tuple[tuple[str, int], ...]  # rows by what they were
    files_removed: tuple[str, ...]
    searched: int  # strings looked for: texts in all their forms, and vectors
    shared: int  # strings not looked for: other rows that stay hold the same
    files: int  # looked through, byte by byte
    bytes: int
    hits: tuple[tuple[str, int], ...]  # a file that still holds some of it, and in how many places
    backups: tuple[tuple[str, str], ...]  # copies that still hold it, or may
    left: tuple[Sibling, ...] = ()  # rows that stay and still say it: `Target.siblings`

    @property
    def clean(self) -> bool:
        """Whether no file holds any of it."""
        return not self.hits


def kept(receipt: Receipt) -> str:
    """The receipt as it stays in the database: counts, no names and no paths."""
    return json.dumps(
        {
            "what": receipt.what,
            "counts": dict(receipt.counts),
            "files": receipt.files,
            "searched": receipt.searched,
            "hits": len(receipt.hits),
            "backups": len(receipt.backups),
            "left": len(receipt.left),
        }
    )
