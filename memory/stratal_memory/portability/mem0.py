"""Memories as mem0 gives them: `get_all()` (`{"results": [...]}`), a list, or one a line."""

from collections.abc import Iterator

from stratal_memory.portability.past import Item, Noted, moment
from stratal_memory.portability.reading import Object, text_of
from stratal_memory.portability.report import Refused

LISTS = ("results", "memories")


def is_mem0(value: Object) -> bool:
    """Whether an element looks like a memory of mem0."""
    return isinstance(value.get("memory"), str) and ("id" in value or "user_id" in value)


class Mem0:
    """Reads memories of one of mem0's users: the one named, or whoever comes first."""

    def __init__(self, user: str | None) -> None:
        self._user = user

    def read(self, value: Object) -> Iterator[Item]:
        """The statement. Raises `Refused` for one of another user: two never become one here."""
        owner = text_of(value.get("user_id"))
        if self._user is None and owner:
            self._user = owner
        if owner and owner != self._user:
            raise Refused(f"it is of mem0's user {owner[:80]!r}, not of {self._user!r}")
        at = moment(value.get("created_at")) or moment(value.get("updated_at"))
        if at is None:
            raise Refused("it has no date")
        text, id = text_of(value.get("memory")).strip(), text_of(value.get("id"))
        if not text:
            raise Refused("it has no text")
        yield Noted(id=id or text, text=text, at=at)
