"""The memory tools: save a fact, search what is remembered, search the documents."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from stratal.tools.tool import Tool, tool
from stratal_memory.recall.candidates import Candidate
from stratal_memory.recall.formatter import item_text
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts

REMEMBERED = (Form.FACT, Form.EPISODE, Form.MESSAGE)


def memory_tools(store: Store, *, settings: RecallSettings, trust: Trust) -> tuple[Tool, ...]:
    """The three tools for `store`.

    What the model saves carries `trust`: the lowest of what it has read in this turn, so that a
    document can't speak with the user's voice.
    """

    def memory_save(
        text: Annotated[str, Field(description="One self-contained statement about the user.")],
    ) -> str:
        """Remember one fact about the user for later conversations."""
        done = Facts(store).add(text, trust=trust, source="saved by the assistant")
        return f"{done.action}: {done.memory.text} ({done.reason})"

    def memory_search(
        query: Annotated[str, Field(description="What to look for, in words.")],
        limit: Annotated[int, Field(ge=1, le=20, description="How many at most.")] = 5,
    ) -> str:
        """Search what is remembered of the user and of past conversations."""
        return _listed(search(store, query, settings=settings, forms=REMEMBERED, limit=limit))

    def search_knowledge(
        query: Annotated[str, Field(description="What to look for, in words.")],
        limit: Annotated[int, Field(ge=1, le=20, description="How many at most.")] = 5,
    ) -> str:
        """Search the documents; each passage comes with its source."""
        return _listed(search(store, query, settings=settings, forms=(Form.CHUNK,), limit=limit))

    return (
        tool(memory_save, writes=True),
        tool(memory_search, writes=False),
        tool(search_knowledge, writes=False),
    )


def _listed(found: Sequence[Candidate]) -> str:
    """The hits as data: dated, with source and trust."""
    if not found:
        return "Nothing relevant is remembered."
    return "\n".join(item_text(candidate.memory) for candidate in found)
