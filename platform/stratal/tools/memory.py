"""The memory tools: save, search, correct and forget what is known, search the documents."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import Annotated

from pydantic import Field

from stratal.errors import AccessDenied, InputError
from stratal.prompt.modes import Area
from stratal.tools.invocation import Effect, Invocation
from stratal.tools.tool import Tool, tool
from stratal_memory.recall.candidates import Candidate
from stratal_memory.recall.formatter import item_text
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, ScopeKind, Status, Trust, lowest_trust
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Done, Editing
from stratal_memory.tiers.semantic import Facts

SAVED = "saved by the assistant"
CORRECTED = "corrected by the assistant"
WHY = "forgotten by the assistant"
REMEMBERED = (Form.FACT, Form.OBSERVATION, Form.EPISODE, Form.MESSAGE)


class Reading:
    """The lowest trust of what the model has read so far, while a turn goes on.

    Several tools may note what they showed at the same time.
    """

    def __init__(self, *read: Trust) -> None:
        """`read` before the first tool ran; what the model writes is never above its own word."""
        self.trust = lowest_trust(Trust.ASSISTANT, *read)
        self.found: dict[str, float] = {}  # memories the tools showed, with their scores
        self._lock = Lock()

    def note(self, *read: Trust) -> None:
        """The model has read this too."""
        with self._lock:
            self.trust = lowest_trust(self.trust, *read)

    def note_found(self, hits: Sequence[Candidate]) -> None:
        """The model has been shown these memories."""
        with self._lock:
            self.found.update((hit.memory.id, hit.score) for hit in hits)
        self.note(*(hit.memory.trust for hit in hits))

    def during(self, tool: Tool) -> Tool:
        """`tool`, whose results are read with the trust of a tool."""

        def runs(arguments: str, invocation: Invocation) -> str:
            self.note(Trust.TOOL)
            return tool.runs(arguments, invocation)

        return replace(tool, runs=runs)


def memory_tools(store: Store, *, settings: RecallSettings, reading: Reading) -> tuple[Tool, ...]:
    """The tools that save and search what `store` remembers.

    What the model saves carries the trust of `reading` at that moment, and what it finds lowers
    it, so that a document can't speak with the user's voice.
    """
    return (_saving(store, reading), _searching(store, settings, reading))


def mending_tools(store: Store, *, reading: Reading) -> tuple[Tool, ...]:
    """The tools that correct and forget the user's own facts, by the ids that a search shows.

    Once untrusted text was read, nothing is changed without a person's word.
    """
    return (_correcting(store, reading), _forgetting(store, reading))


def knowledge_tools(
    store: Store, *, settings: RecallSettings, reading: Reading
) -> tuple[Tool, ...]:
    """The tool that searches the documents within reach of `store`."""

    def search_knowledge(query: Query, limit: Most = 5) -> str:
        """Search the documents; each passage comes with its source."""
        hits = search(store, query, settings=settings, forms=(Form.CHUNK,), limit=limit)
        reading.note_found(hits)
        return _listed(hits, store)

    return (tool(search_knowledge, writes=False, area=Area.KNOWLEDGE, timeout=None),)


Query = Annotated[str, Field(description="What to look for, in words.")]
Most = Annotated[int, Field(ge=1, le=20, description="How many at most.")]
Id = Annotated[str, Field(description="The id that memory_search shows.")]
Said = Annotated[str, Field(description="One self-contained statement about the user.")]
Right = Annotated[str, Field(description="The whole statement as it is right.")]


def _saving(store: Store, reading: Reading) -> Tool:
    def memory_save(text: Said) -> str:
        """Remember one fact about the user for later conversations."""
        if reading.trust is not Trust.ASSISTANT:
            held = Status.QUARANTINED
            Facts(store).add(text, trust=reading.trust, source=SAVED, status=held)
            return f"held back: untrusted text ({reading.trust}) was read before; the user decides"
        done = Facts(store).add(text, trust=reading.trust, source=SAVED)
        return f"{done.action}: {done.memory.text} ({done.reason})"

    return replace(_writing(memory_save), guarded=True)  # it holds back by itself


def _searching(store: Store, settings: RecallSettings, reading: Reading) -> Tool:
    def memory_search(query: Query, limit: Most = 5) -> str:
        """Search what is remembered of the user and of past conversations."""
        hits = search(store, query, settings=settings, forms=REMEMBERED, limit=limit)
        reading.note_found(hits)
        return _listed(hits, store)

    return tool(memory_search, writes=False, area=Area.MEMORY, timeout=None)


def _correcting(store: Store, reading: Reading) -> Tool:
    def memory_correct(id: Id, text: Right, call: Invocation) -> str:
        """Put a fact about the user right that was never true as it stands."""
        trust = _allowed(reading, call, act=f"stratal memory edit {id[:40]} TEXT")
        own = _own(store, id)
        done = Editing(store).edit(own.id, text, trust=trust, source=CORRECTED)
        return f"corrected: {done.memory.text} ({done.reason}){_undo(done)}"

    return _writing(memory_correct)


def _forgetting(store: Store, reading: Reading) -> Tool:
    def memory_forget(id: Id, call: Invocation) -> str:
        """Stop recalling a fact about the user, when they ask for it."""
        _allowed(reading, call, act=f"stratal memory forget {id[:40]}")
        own = _own(store, id)
        done = Editing(store).forget(own.id, reason=WHY)[-1]
        return f"forgotten: {own.text}{_undo(done)}"

    return _writing(memory_forget)


def _writing(function: object) -> Tool:
    assert callable(function)
    return tool(function, writes=True, area=Area.MEMORY, effect=Effect.LOCAL, timeout=None)


def _allowed(reading: Reading, call: Invocation, *, act: str) -> Trust:
    """Whose word the change is; `AccessDenied` where untrusted text may be the one who speaks."""
    if reading.trust is not Trust.ASSISTANT and not call.approved:
        raise AccessDenied(
            f"nothing was changed: untrusted text ({reading.trust}) was read before, so the user"
            " decides.",
            hint=f"Tell them what you would change, and why; they can do it with `{act}`.",
        )
    return reading.trust


def _own(store: Store, id: str) -> Memory:
    """The user's own fact of that id; `InputError` for anything else within reach."""
    found = Facts(store).show(id)
    if not _is_own(found[-1], store):
        raise InputError(
            f"{id[:80]} is no fact of the user's own", hint="Take an id from memory_search."
        )
    return next((one for one in found if one.id == id), found[-1])


def _is_own(memory: Memory, store: Store) -> bool:
    mine = store.reach.principal.scope(ScopeKind.USER)
    return memory.form is Form.FACT and memory.scope == mine


def _undo(done: Done) -> str:
    return f"; `stratal memory undo {done.event}` takes it back" if done.event else ""


def _listed(found: Sequence[Candidate], store: Store) -> str:
    """The hits as data: dated, with source and trust; what may be changed with its id."""
    if not found:
        return "Nothing relevant is remembered."
    return "\n".join(_item(candidate.memory, store) for candidate in found)


def _item(memory: Memory, store: Store) -> str:
    shown = item_text(memory)
    return f"{shown} [{memory.id}]" if _is_own(memory, store) else shown
