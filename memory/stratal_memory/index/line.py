"""One memory as the ranker sees it."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from stratal_memory.records import Form

_NAME = re.compile(r"([^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}): ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One memory as the ranker sees it."""

    seq: int
    form: Form
    session: str
    by_user: bool
    at: datetime
    text: str
    words: tuple[str, ...]  # its terms, in order

    @property
    def speaker(self) -> str:
        """The name a message begins with, in lower case; empty when it names nobody."""
        return _named(self.text) if self.form is Form.MESSAGE else ""


@lru_cache(maxsize=8_192)  # the same lines are looked at for every question
def _named(text: str) -> str:
    found = _NAME.match(text)
    return found.group(1).casefold() if found else ""
