"""The tool that shows the rest of a tool result that was shortened in sight."""

from typing import Annotated

from pydantic import Field

from stratal.context.request import Count
from stratal.errors import NotFound
from stratal.tools.tool import Tool, tool
from stratal_memory.store import Store
from stratal_memory.truth import messages

NAME = "expand_result"
MOST_TOKENS = 4_000  # of one piece (Ps11)
FOOTER = 100  # characters that say which piece it is
FIRST_GUESS = 4  # characters a token, to begin with

Digest = Annotated[str, Field(description="What stands in the note of a short result.")]
Start = Annotated[int, Field(ge=0, description="The character to begin at.")]


def result_tools(
    store: Store, *, session: str, count: Count, shown: int | None
) -> tuple[Tool, ...]:
    """`expand_result` for the results of `session` and of no other conversation.

    A piece has at most 4,000 tokens, and with its footer the `shown` characters that a result
    may show: it is one itself.
    """
    most = MOST_TOKENS * FIRST_GUESS if shown is None else max(1, shown - FOOTER)

    def expand_result(digest: Digest, start: Start = 0) -> str:
        """Show a tool result of this conversation from the character `start` on."""
        with store.read() as connection:
            found = messages.by_hash(connection, session, digest)
        if found is None:
            raise NotFound(
                f"no tool result {digest[:40]!r} in this conversation",
                hint="Take the digest from the note inside the shortened result.",
            )
        return _piece(found.text, start, most, count)

    return (tool(expand_result, writes=False, timeout=None),)


def _piece(text: str, start: int, most: int, count: Count) -> str:
    """What fits of `text` from `start` on, and where the next piece begins."""
    if start >= len(text):
        return f"[the result ends at character {len(text):,}]"
    size = min(MOST_TOKENS * FIRST_GUESS, most)
    while count(text[start : start + size]) > MOST_TOKENS and size > 1:
        size = size * 3 // 4
    end = min(len(text), start + size)
    rest = f"; go on with start={end}" if end < len(text) else ", the end"
    return f"{text[start:end]}\n[characters {start:,} to {end:,} of {len(text):,}{rest}]"
