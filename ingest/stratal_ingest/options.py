"""What may be chosen for a run of ingestion, and how far it is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from stratal_ingest.family import Chunker
from stratal_ingest.limits import Limits


class Fetched(Protocol):
    """What an address gave."""

    @property
    def data(self) -> bytes:
        """The bytes."""
        ...

    @property
    def name(self) -> str:
        """A file name that tells the format."""
        ...


Fetch = Callable[[str], Fetched]
"""An address in, its content out; raises a `StratalError`."""


def _silent(step: str) -> None:
    """What nobody listens to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a run reads; the defaults read files and no addresses."""

    dry_run: bool = False  # tell what would happen, store nothing
    again: bool = False  # read files anew that are unchanged; nothing moves or ends
    limits: Limits = field(default_factory=Limits)
    stdin_name: str = ""  # what standard input is called; its suffix tells the format
    fetch: Fetch | None = None  # None: addresses are refused
    chunker: Chunker | None = None  # None: passages by structure, for the embedder's window
    on_step: Callable[[str], None] = _silent  # for tests: told the name of each step


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the run is; told before each file, while it waits, and once more at the end."""

    done: int  # files looked at
    total: int
    path: str  # of the file being read; empty at the end
    chunks: int  # so far: embedded, or stored where nothing embeds
    bytes: int = 0  # of the files whose passages are stored
    total_bytes: int = 0
