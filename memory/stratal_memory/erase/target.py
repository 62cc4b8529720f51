"""What is to be erased, and for whom."""

from dataclasses import dataclass
from enum import StrEnum

from stratal_memory.errors import StratalError
from stratal_memory.scopes import Principal


class What(StrEnum):
    """What an erase names."""

    USER = "user"  # all of one user
    KEY = "key"  # one memory with all its versions, and the words it was drawn from
    SOURCE = "source"  # a document, a conversation, a turn, or everything with one source text


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One wish to erase; `principal` is whose memory it is."""

    what: What
    name: str  # the user's id; a key or the id of a version; the id, path or text of a source
    principal: Principal
    siblings: bool = False  # of one memory: what still says it goes too

    @classmethod
    def everything_of(cls, principal: Principal) -> "Target":
        """All of one user."""
        return cls(what=What.USER, name=principal.user, principal=principal)


class EraseFailed(StratalError):
    """An erase could not be finished; nothing that was to be erased is read any more."""
