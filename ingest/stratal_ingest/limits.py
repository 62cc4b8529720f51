"""How much one document may cost."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one file may take; over any of them it is refused with `LimitExceeded`.

    Source: RELIABILITY, section 6 rule 11. `open_files` leaves room for the imports of a reader.
    """

    file_bytes: int = 50 * MIB
    seconds: int = 20  # of processor time, and on the clock
    memory_bytes: int = 768 * MIB  # address space of the child
    open_files: int = 64
    answer_bytes: int = 64 * MIB  # what a child may send back
    archive_entries: int = 2_000  # also of files inside one document, at any depth
    archive_bytes: int = 100 * 1_000_000  # of everything in it, declared and counted
    archive_ratio: int = 100  # declared : packed
    nested: int = 3  # documents in each other that may lie around a file
