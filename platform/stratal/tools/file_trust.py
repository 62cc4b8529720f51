"""Whose word the files of a workspace are: the least trusted thing their writer had read."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from os import stat_result
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from stratal_memory.records import Trust

RECORD = ".trust.json"  # of one workspace, in it: no tool can name it, and it goes with the files
OUTSIDE = Trust.TOOL  # of what nobody wrote here: anybody may have

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a file was left when it was written here, and whose word it was then.

    Told by its place on the disk and not by a hash: one of an erased text would outlive it.
    """

    trust: Trust
    size: int  # bytes
    changed: int  # nanoseconds since 1970
    inode: int

    def fits(self, found: stat_result) -> bool:
        """Whether nobody has changed the file since."""
        now = (found.st_size, found.st_mtime_ns, found.st_ino)
        return now == (self.size, self.changed, self.inode)


_MARKS = TypeAdapter(dict[str, Mark])


def mark_of(found: stat_result, trust: Trust) -> Mark:
    """The mark of a file as it is now."""
    return Mark(trust=trust, size=found.st_size, changed=found.st_mtime_ns, inode=found.st_ino)


def marks(root: Path) -> dict[str, Mark]:
    """The marks of a workspace by path; none where the record is broken: it vouches for nothing."""
    try:
        return _MARKS.validate_json((root / RECORD).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        log.warning("the record of trust in %s is not used: %s", root, type(error).__name__)
        return {}


def packed(known: Mapping[str, Mark]) -> bytes:
    """The record of these marks."""
    return _MARKS.dump_json(dict(known))


def trust_of(known: Mapping[str, Mark], path: str, found: stat_result) -> Trust:
    """Whose word the file at `path` is; `OUTSIDE` unless it is as it was written here."""
    mark = known.get(path)
    return mark.trust if mark is not None and mark.fits(found) else OUTSIDE
