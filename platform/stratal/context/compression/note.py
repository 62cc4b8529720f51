"""What a summary says of messages that went without one."""


def note(count: int) -> str:
    """The note about `count` dropped messages; it belongs into the summary (P26, Ps3)."""
    return f"[Emergency compression dropped {count} oldest messages due to context limit]"


def with_note(summary: str, count: int) -> str:
    """`summary` with the note after a blank line (Ps3); the note alone when there is none.

    >>> with_note("They met.", 2).splitlines()[0]
    'They met.'
    """
    return f"{summary}\n\n{note(count)}" if summary else note(count)
