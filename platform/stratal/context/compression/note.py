"""What a summary says of messages that went without one."""

import re

_NOTE = re.compile(
    r"\[Emergency compression dropped (\d{1,12}) oldest messages due to context limit\]"
)


def note(count: int) -> str:
    """The note about `count` dropped messages; it belongs into the summary (P26, Ps3)."""
    return f"[Emergency compression dropped {count} oldest messages due to context limit]"


def with_note(summary: str, count: int) -> str:
    """`summary` with the note after a blank line (Ps3); the note alone when there is none.

    A note that is there already counts these messages too: notes do not pile up.

    >>> with_note(with_note("They met.", 2), 3).splitlines()
    ['They met.', '', '[Emergency compression dropped 5 oldest messages due to context limit]']
    """
    told, before = without_note(summary)
    said = note(before + count)
    return f"{told}\n\n{said}" if told else said


def without_note(summary: str) -> tuple[str, int]:
    """The summary without its notes, and how many messages these count."""
    return _NOTE.sub("", summary).strip(), sum(int(one[1]) for one in _NOTE.finditer(summary))
