"""What an agent remembers, and what a person may do with it: the part that needs no model."""

from collections.abc import Sequence
from datetime import datetime

from stratal.settings import Settings
from stratal.stores import recall_settings
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.recall.candidates import Candidate
from stratal_memory.recall.recall import SEARCHABLE, search
from stratal_memory.recall.threshold import Gate, gate_of
from stratal_memory.records import Event, Form, ScopeKind
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.reviewing import Reviewing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions


class Remembering:
    """The memory of one user, within the reach of its store; an agent is one that also talks."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self.settings = settings

    @property
    def store(self) -> Store:
        """The user's memory, by the embedding model that serves now."""
        self._store = self._store.current()
        return self._store

    @property
    def facts(self) -> Facts:
        """The user's facts."""
        return Facts(self.store)

    @property
    def profile(self) -> Profile:
        """The user's profile."""
        return Profile(self.store)

    @property
    def versions(self) -> Versions:
        """What is and was known, through time."""
        return Versions(self.store)

    @property
    def editing(self) -> Editing:
        """What a person may do to a memory by hand."""
        return Editing(self.store)

    @property
    def reviewing(self) -> Reviewing:
        """What waits for a person's word, and the word."""
        return Reviewing(self.store)

    def documents(self, scope: ScopeKind = ScopeKind.USER) -> Documents:
        """The documents within reach; new ones go to `scope`."""
        return Documents(self.store, scope)

    def search(
        self,
        text: str,
        *,
        forms: Sequence[Form] = SEARCHABLE,
        limit: int = 10,
        gate: bool = True,
        as_of: datetime | None = None,
    ) -> list[Candidate]:
        """The best memories for `text`, best first; `gate` off shows what it cut.

        With `as_of` among what was true then.
        """
        return search(
            self.store,
            text,
            settings=recall_settings(self.settings),
            forms=forms,
            limit=limit,
            gate=gate,
            as_of=as_of,
        )

    def gate(self) -> Gate:
        """What a memory must reach to be recalled."""
        return gate_of(self.store, recall_settings(self.settings))

    def undo(self, name: str) -> list[Event]:
        """Take back a run of consolidation, or what an event belongs to; see `Versions.undo`."""
        if name.startswith("run_"):
            return undo_run(self.store, name)
        return self.versions.undo(name)
