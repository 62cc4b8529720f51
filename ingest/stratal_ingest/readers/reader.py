"""The Protocol every reader follows."""

from typing import Protocol

from stratal_ingest.document import ReadDocument


class Reader(Protocol):
    """Understands one format, or a few that differ in a detail.

    It runs in a child process without network, environment or files to write.
    """

    @property
    def formats(self) -> tuple[str, ...]:
        """The names of what it reads, as `formats.format_of` gives them."""
        ...

    @property
    def libraries(self) -> tuple[str, ...]:
        """Import names of the third-party libraries it uses; loaded once for many files."""
        ...

    def read(self, data: bytes, name: str) -> ReadDocument:
        """The document in `data`; `name` is the file's name and only a hint.

        Raises a `DocumentError`. Whatever else it raises is reported as `CorruptDocument`.
        """
        ...
