"""What a person does to a memory by hand: edit, pin, forget, share. Each act can be undone."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from stratal_memory.errors import InputError, ScopeError
from stratal_memory.facets import found_by
from stratal_memory.learning.resolution import DATED, Statement, found_by_text, resolve
from stratal_memory.learning.settling import settle
from stratal_memory.learning.trust import confidence
from stratal_memory.learning.understanding import understood
from stratal_memory.records import (
    Evidence,
    Form,
    Memory,
    ScopeKind,
    Status,
    Trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.tiers.forgetting import Forgetting
from stratal_memory.tiers.naming import one_standing, standing
from stratal_memory.tiers.profile import PROJECT_SLOTS, Profile
from stratal_memory.tiers.semantic import checked_text
from stratal_memory.truth import events, memories
from stratal_memory.truth.access import SHARED
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

FORGETTABLE = (Form.FACT, Form.OBSERVATION, Form.EPISODE, Form.MESSAGE)
BY_HAND = "edited by hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An act: the memory as it stands now, and the event that `undo` takes."""

    memory: Memory
    reason: str
    event: str  # empty when there was nothing to do


@contextmanager
def acting(store: Store) -> Generator[Journal]:
    """A transaction for one act of a person, which is undone as a whole.

    The profile follows what the act took back.
    """
    with store.write(run=new_id("act")) as journal:
        yield journal
        Profile(store).refresh(journal)


def done(journal: Journal, id: str, *, reason: str) -> Done:
    """What became of the version `id` in this act."""
    [memory] = memories.select_memories(journal.connection, table.c.id == id)
    happened = events.of_run(journal.connection, journal.run)
    mine = [event.id for event in happened if event.key == memory.key]
    return Done(memory=memory, reason=reason, event=mine[-1] if mine else "")


def settle_key(journal: Journal, key: str) -> None:
    """Bring the versions of one key in order after one of them was judged."""
    known = memories.select_memories(journal.connection, table.c.key == key)
    settle(journal, [one for one in known if one.status in DATED])


def take_out(journal: Journal, memory: Memory, *, status: Status, reason: str) -> None:
    """End a version as one that never was true."""
    journal.close(memory, status=status, reason=reason, valid_to=memory.valid_from)


@dataclass(frozen=True, slots=True)
class Editing:
    """The memories one principal may change."""

    store: Store

    def edit(
        self, name: str, text: str, *, trust: Trust = Trust.USER, source: str = BY_HAND
    ) -> Done:
        """A new version with `text`, on the user's own word; the old one was never true.

        `trust` and `source` say whose word it is where it is not the user's. Raises `NotFound`,
        and `InputError` for a text that can't be a fact, says nothing new, or for a memory that is
        no current fact.
        """
        clean = checked_text(self.store, text)
        with self.store.read() as connection:
            old = one_standing(connection, self.store.reach, name)
        if clean == old.text:
            raise InputError(f"{old.id} says that already")
        vector = self.store.embed([found_by(old.facet, clean, clean)])[0]
        with acting(self.store) as journal:
            old = one_standing(journal.connection, self.store.reach, old.id)
            take_out(journal, old, status=Status.SUPERSEDED, reason=f"edited: “{clean}”")
            made = _edited(journal, old, self._said(old, clean, trust=trust, source=source))
            journal.add(made, reason=source, vector=vector)
            settle_key(journal, old.key)
            return done(journal, made.id, reason=f"replaces “{old.text}”")

    def _said(self, old: Memory, text: str, *, trust: Trust, source: str) -> Statement:
        """The edited text, with its value as the rules read it where it is about the same."""
        said = Statement(
            text=text,
            scope=old.scope,
            trust=trust,
            source=source,
            valid_from=old.valid_from,
            evidence=Evidence(ref=old.id, end=len(text), quote=text, source=source),
        )
        read = understood(said, self.store.gate)
        same = read.facet == old.facet and not read.retracts
        return replace(said, value=(read.value if same else "") or _edited_value(old, text))

    def pin(self, name: str, *, pinned: bool = True) -> Done:
        """Keep a fact from decaying and expiring and recall it whatever is asked, or no more.

        What was provisional is active once it is pinned. Raises `NotFound` and `InputError`.
        """
        with acting(self.store) as journal:
            found = one_standing(journal.connection, self.store.reach, name)
            reason = "pinned by hand" if pinned else "unpinned by hand"
            if found.pinned is pinned:
                return done(journal, found.id, reason=f"was {reason.split()[0]} already")
            journal.pin(found, pinned=pinned, reason=reason)
            return done(journal, found.id, reason=reason)

    def forget(self, name: str, *, reason: str = "") -> list[Done]:
        """Retract a fact, an episode or a searchable message: it is never recalled again.

        By key all that stands of it. What it had replaced does not come back. Nor are the sentences
        recalled that it was learned from, by their lines or by an episode. The history and the
        words of the conversation stay; `erase` takes those. Raises `NotFound` and `InputError`.
        """
        told = f": {checked_text(self.store, reason)}" if reason else ""
        why = f"forgotten by hand{told}"
        with self.store.read() as connection:
            rows = Forgetting(self.store, self._forgettable(connection, name)).vectors()
        with acting(self.store) as journal:
            found = self._forgettable(journal.connection, name)
            Forgetting(self.store, found).leave_out(journal, rows)
            for one in found:
                take_out(journal, one, status=Status.RETRACTED, reason=why)
            if found[0].form is Form.FACT:
                settle_key(journal, found[0].key)
            return [done(journal, one.id, reason=why) for one in found]

    def _forgettable(self, connection: Connection, name: str) -> tuple[Memory, ...]:
        found = standing(
            connection,
            self.store.reach,
            name,
            statuses=(*LIVE, Status.QUARANTINED, Status.SUPERSEDED),
            forms=FORGETTABLE,
        )
        if name == found[0].key:
            found = [one for one in found if one.status is not Status.SUPERSEDED] or found
        return tuple(found)

    def promote(self, name: str, to: ScopeKind) -> Done:
        """Share a fact with the project or org the principal stands in.

        A new memory there, as trusted as the one it rests on, with evidence pointing back; the
        personal one stays. What it says of a person fills no slot of the shared profile.

        Raises `ScopeError` when `to` is not shared or not chosen, `AccessDenied` when it is not
        the principal's to use any more, `NotFound`, and `InputError` when it is no active fact or
        stands there already.
        """
        if to not in SHARED:
            raise ScopeError(f"{to} is not shared", hint="Promote to project or to org.")
        target = self.store.reach.principal.scope(to)
        with self.store.read() as connection:
            own = one_standing(connection, self.store.reach, name, statuses=(Status.ACTIVE,))
        if own.scope == target:
            raise InputError(f"{own.id} belongs to {target} already")
        said = _shared(own, to=to, store=self.store)
        vector = self.store.embed([found_by_text(said)])[0]
        with acting(self.store) as journal:
            own = one_standing(
                journal.connection, self.store.reach, own.id, statuses=(Status.ACTIVE,)
            )
            made = resolve(journal, said, vector=vector)
            return done(journal, made.memory.id, reason=f"{made.action} in {target}: {made.reason}")


def _edited(journal: Journal, old: Memory, said: Statement) -> Memory:
    return replace(
        old,
        id=new_id("mem"),
        version=memories.next_version(journal.connection, old.key),
        text=said.text,
        trust=said.trust,
        status=Status.ACTIVE,
        confidence=confidence(said.trust, support=1),
        support=1,
        source=said.source,
        value=said.value,
        supersedes=old.id,
        recorded_at=journal.at,
        evidence=(said.evidence,),
    )


def _edited_value(old: Memory, text: str) -> str:
    """The value in the edited text: what stands where the old one stood; empty: the whole text.

    "The user lives in Lisbon." with Lisbon for its value, edited to "The user lives in Porto.".
    """
    if not old.value or old.value not in old.text:
        return ""
    head, _, tail = old.text.partition(old.value)
    if old.value in text:
        return old.value
    same = text.startswith(head) and text.endswith(tail) and len(text) > len(head) + len(tail)
    return text[len(head) : len(text) - len(tail)] if same else ""


def _shared(own: Memory, *, to: ScopeKind, store: Store) -> Statement:
    kept = any(own.facet.partition(".")[0] in slot.facets for slot in PROJECT_SLOTS)
    return Statement(
        text=own.text,
        scope=store.reach.principal.scope(to),
        trust=own.trust,
        source=f"promoted by {store.user}",
        valid_from=own.valid_from,
        evidence=Evidence(ref=own.id, end=len(own.text), quote=own.text),
        facet=own.facet if kept else "",
        value=own.value if kept else "",
    )
