"""The profile: a few fixed slots, pinned in every prompt, built from facts the user stated.

Its text changes only when its content does, so that the prompt's cached prefix holds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_

from stratal_memory.learning.trust import confidence
from stratal_memory.records import (
    TRUST_ORDER,
    Evidence,
    Form,
    Kind,
    Memory,
    Scope,
    ScopeKind,
    Status,
    Trust,
    lowest_trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table


@dataclass(frozen=True, slots=True)
class Slot:
    """One line of the profile: which facets fill it, and how many values it may hold."""

    name: str
    title: str
    facets: tuple[str, ...]  # exact facet, or the part before the first dot
    values: int = 1


# In the order they are shown. Z4 and O-caps: a profile stays under about 500 tokens.
SLOTS = (
    Slot("name", "Name", ("name",)),
    Slot("home", "Home", ("home",)),
    Slot("origin", "From", ("origin",)),
    Slot("work", "Work", ("work",), 3),
    Slot("birthday", "Birthday", ("birthday",)),
    Slot("languages", "Languages", ("language", "languages"), 5),
    Slot("family", "Family", ("family",), 8),
    Slot("pets", "Pets", ("pet",), 5),
    Slot("allergies", "Allergies", ("allergy",), 6),
    Slot("diet", "Diet", ("diet",), 2),
    Slot("preferences", "Prefers", ("preference", "favourite"), 8),
    Slot("dislikes", "Dislikes", ("dislike",), 5),
)
_MY = re.compile(r"\bmy\b", re.IGNORECASE)  # values are the user's own words
VALUE_LENGTH = 80  # characters of one value in its line


@dataclass(frozen=True, slots=True)
class Change:
    """One slot before and after a rebuild; empty text where there was or is none."""

    slot: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of one user."""

    store: Store

    def slots(self) -> list[Memory]:
        """The filled slots, in the order of `SLOTS`."""
        where = visible(self.store.reach, forms=(Form.SLOT,))
        with self.store.read() as connection:
            found = memories.select_memories(connection, where)
        place = {slot.name: position for position, slot in enumerate(SLOTS)}
        return sorted(found, key=lambda memory: place.get(memory.facet, len(place)))

    def render(self) -> str:
        """The profile as the model reads it, a line a slot; empty when nothing is known."""
        return "\n".join(slot.text for slot in self.slots())

    def rebuild(self, journal: Journal) -> list[Change]:
        """Fill the slots from active facts of the user that the user stated themselves."""
        scope = self.store.reach.principal.scope(ScopeKind.USER)
        current = {memory.facet: memory for memory in self._in(journal, scope, Form.SLOT)}
        facts = [
            fact
            for fact in self._in(journal, scope, Form.FACT)
            if TRUST_ORDER.index(fact.trust) <= TRUST_ORDER.index(Trust.USER)
        ]
        changes = [
            _fill(journal, scope, slot, _chosen(slot, facts), current.get(slot.name))
            for slot in SLOTS
        ]
        return [change for change in changes if change is not None]

    def _in(self, journal: Journal, scope: Scope, form: Form) -> list[Memory]:
        where = and_(
            visible(self.store.reach, forms=(form,)),
            table.c.scope_kind == scope.kind,
            table.c.scope_id == scope.id,
        )
        return memories.select_memories(journal.connection, where)


def _chosen(slot: Slot, facts: Sequence[Memory]) -> list[Memory]:
    """The facts of a slot: the newest that fit, shown oldest first."""
    mine = [
        fact
        for fact in facts
        if fact.facet and (fact.facet in slot.facets or fact.facet.split(".")[0] in slot.facets)
    ]
    # Equal times keep the order they were recorded in: an id would be chance.
    return sorted(mine, key=lambda fact: fact.valid_from)[-slot.values :]


def _line(slot: Slot, facts: Sequence[Memory]) -> str:
    shown = [_value(fact) for fact in facts]
    return f"{slot.title}: {'; '.join(shown)}" if shown else ""


def _value(fact: Memory) -> str:
    """What a line shows of a fact: `sister: Eva` for family.sister, `hazelnuts` for allergy."""
    _, _, detail = fact.facet.partition(".")
    value = _MY.sub("their", " ".join((fact.value or fact.text).split()))[:VALUE_LENGTH]
    return f"{detail.replace('.', ' ')}: {value}" if detail else value


def _fill(
    journal: Journal, scope: Scope, slot: Slot, facts: Sequence[Memory], old: Memory | None
) -> Change | None:
    text = _line(slot, facts)
    if text == (old.text if old else ""):
        return None
    if old:
        reason = f"now: {text}" if text else "nothing is known any more"
        journal.close(old, status=Status.SUPERSEDED, reason=reason, valid_to=journal.at)
    if text:
        journal.add(_slot_memory(journal, scope, slot, facts, text, old), reason="profile rebuilt")
    return Change(slot.name, old.text if old else "", text)


def _slot_memory(
    journal: Journal,
    scope: Scope,
    slot: Slot,
    facts: Sequence[Memory],
    text: str,
    old: Memory | None,
) -> Memory:
    trust = lowest_trust(*(fact.trust for fact in facts))
    return Memory(
        id=new_id("mem"),
        key=old.key if old else new_id("key"),
        version=old.version + 1 if old else 1,
        text=text,
        kind=Kind.PROFILE,
        form=Form.SLOT,
        scope=scope,
        trust=trust,
        status=Status.ACTIVE,
        confidence=confidence(trust, support=sum(fact.support for fact in facts)),
        source="profile",
        facet=slot.name,
        recorded_at=journal.at,
        valid_from=max(fact.valid_from for fact in facts),
        supersedes=old.id if old else "",
        support=len(facts),
        evidence=tuple(Evidence(ref=fact.id, quote=fact.text) for fact in facts),
    )
