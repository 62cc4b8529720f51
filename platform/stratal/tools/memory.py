"""The memory tools: save a fact, search what is remembered, search the documents."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from stratal.prompt.modes import Area
from stratal.tools.tool import Tool, tool
from stratal_memory.recall.candidates import Candidate
from stratal_memory.recall.formatter import item_text
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Status, Trust, lowest_trust
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts

REMEMBERED = (Form.FACT, Form.OBSERVATION, Form.EPISODE, Form.MESSAGE)


class Reading:
    """The lowest trust of what the model has read so far, while a turn goes on."""

    def __init__(self, *read: Trust) -> None:
        """`read` before the first tool ran; what the model writes is never above its own word."""
        self.trust = lowest_trust(Trust.ASSISTANT, *read)
        self.found: dict[str, float] = {}  # memories the tools showed, with their scores

    def note(self, *read: Trust) -> None:
        """The model has read this too."""
        self.trust = lowest_trust(self.trust, *read)

    def during(self, tool: Tool) -> Tool:
        """`tool`, whose results are read with the trust of a tool."""

        def run(arguments: str) -> str:
            self.note(Trust.TOOL)
            return tool.run(arguments)

        return replace(tool, run=run)


def memory_tools(store: Store, *, settings: RecallSettings, reading: Reading) -> tuple[Tool, ...]:
    """The three tools for `store`.

    What the model saves carries the trust of `reading` at that moment, and what it finds lowers
    it, so that a document can't speak with the user's voice.
    """
    return (
        _saving(store, reading),
        _searching(store, settings, reading),
        _searching_knowledge(store, settings, reading),
    )


Query = Annotated[str, Field(description="What to look for, in words.")]
Most = Annotated[int, Field(ge=1, le=20, description="How many at most.")]


def _saving(store: Store, reading: Reading) -> Tool:
    def memory_save(
        text: Annotated[str, Field(description="One self-contained statement about the user.")],
    ) -> str:
        """Remember one fact about the user for later conversations."""
        if reading.trust is not Trust.ASSISTANT:
            Facts(store).add(
                text,
                trust=reading.trust,
                source="saved by the assistant",
                status=Status.QUARANTINED,
            )
            return f"held back: untrusted text ({reading.trust}) was read before; the user decides"
        done = Facts(store).add(text, trust=reading.trust, source="saved by the assistant")
        return f"{done.action}: {done.memory.text} ({done.reason})"

    return tool(memory_save, writes=True, area=Area.MEMORY)


def _searching(store: Store, settings: RecallSettings, reading: Reading) -> Tool:
    def memory_search(query: Query, limit: Most = 5) -> str:
        """Search what is remembered of the user and of past conversations."""
        hits = search(store, query, settings=settings, forms=REMEMBERED, limit=limit)
        return _read(hits, reading)

    return tool(memory_search, writes=False, area=Area.MEMORY)


def _searching_knowledge(store: Store, settings: RecallSettings, reading: Reading) -> Tool:
    def search_knowledge(query: Query, limit: Most = 5) -> str:
        """Search the documents; each passage comes with its source."""
        hits = search(store, query, settings=settings, forms=(Form.CHUNK,), limit=limit)
        return _read(hits, reading)

    return tool(search_knowledge, writes=False, area=Area.KNOWLEDGE)


def _read(hits: Sequence[Candidate], reading: Reading) -> str:
    """What the model is shown of the hits, from which it now knows what it knows."""
    reading.note(*(hit.memory.trust for hit in hits))
    reading.found.update((hit.memory.id, hit.score) for hit in hits)
    return _listed(hits)


def _listed(found: Sequence[Candidate]) -> str:
    """The hits as data: dated, with source and trust."""
    if not found:
        return "Nothing relevant is remembered."
    return "\n".join(item_text(candidate.memory) for candidate in found)
