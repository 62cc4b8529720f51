"""Text made fit for a terminal, and streams made fit for any text."""

import re
import sys

# What moves the cursor, colours the rest or rings: a document must not steer a terminal.
# Neither must it write backwards: with bidi controls a name ends other than it looks.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""`text` with control and bidi characters shown as U+FFFD; line ends and tabs stay.

    >>> printable("a\x1b[2Jb\n") == "a\N{REPLACEMENT CHARACTER}[2Jb\n"
    True
    """
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def tolerate_unprintable() -> None:
    """Let both streams escape what their encoding can't show, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
