"""The profile: a few fixed slots, pinned in every prompt, built from facts that people stated.

The user's speaks of them, the project's of its stack, constraints and decisions (Zs3). Its text
changes only when its content does, so that the prompt's cached prefix holds.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
    Slot("habits", "Habits", ("habit",), 3),
    Slot("skills", "Skills", ("skill",), 5),
)
# Zs3: "project profile: stack, constraints, decisions".
PROJECT_SLOTS = (
    Slot("stack", "Stack", ("stack",), 8),
    Slot("constraints", "Constraints", ("constraint",), 6),
    Slot("decisions", "Decisions", ("decision",), 6),
)
SLOTS_OF = {ScopeKind.USER: SLOTS, ScopeKind.PROJECT: PROJECT_SLOTS}
_PLACE = {slot.name: place for place, slot in enumerate((*SLOTS, *PROJECT_SLOTS))}
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
    """The profile of one user, and of the project they stand in."""

    store: Store

    def slots(self) -> list[Memory]:
        """The filled slots in their fixed order, the user's before the project's."""
        where = and_(
            visible(self.store.reach, forms=(Form.SLOT,)), table.c.scope_kind.in_(SLOTS_OF)
        )
        with self.store.read() as connection:
            return in_order(memories.select_memories(connection, where))

    def render(self) -> str:
        """The profile as the model reads it, a line a slot; empty when nothing is known."""
        return rendered(self.slots())

    def rebuild(self, journal: Journal) -> list[Change]:
        """Fill the slots from active facts that people stated themselves."""
        return [
            change
            for scope in self._scopes()
            for change in self._fill(journal, scope, SLOTS_OF[scope.kind])
        ]

    def refresh(self, journal: Journal) -> list[Change]:
        """Rewrite the slots that their facts don't say, or no longer; nothing new comes in.

        What is learned waits for the next rebuild, so that the prompt's beginning stays; what was
        corrected or taken back does not.
        """
        return [
            change
            for scope in self._scopes()
            for change in self._fill(journal, scope, self._stale(journal, scope))
        ]

    def _scopes(self) -> list[Scope]:
        """The user's and, where they stand in one, the project's."""
        scopes = self.store.reach.scopes
        return [scope for kind in SLOTS_OF for scope in scopes if scope.kind is kind]

    def _fill(self, journal: Journal, scope: Scope, slots: Sequence[Slot]) -> list[Change]:
        if not slots:
            return []
        current = self._current(journal, scope, {slot.name for slot in slots})
        facts = self._facts(journal, scope)
        changes = [
            _fill(journal, scope, slot, _chosen(slot, facts), current.get(slot.name))
            for slot in slots
        ]
        return [change for change in changes if change is not None]

    def _current(self, journal: Journal, scope: Scope, names: Collection[str]) -> dict[str, Memory]:
        """The slots of these names; of two lines that an import left side by side the first."""
        current: dict[str, Memory] = {}
        for memory in self._in(journal, scope, Form.SLOT):
            if memory.facet in current and memory.facet in names:
                reason = "the profile has one such line"
                journal.close(memory, status=Status.SUPERSEDED, reason=reason, valid_to=journal.at)
            else:
                current[memory.facet] = memory
        return current

    def _stale(self, journal: Journal, scope: Scope) -> list[Slot]:
        """Slots that say what their facts don't, or no longer, and double ones."""
        filled = self._in(journal, scope, Form.SLOT)
        if not filled:
            return []
        live = {fact.id: fact for fact in self._facts(journal, scope)}
        times = Counter(slot.facet for slot in filled)
        lines = {slot.facet: slot for slot in filled}
        return [
            slot
            for slot in SLOTS_OF[scope.kind]
            if slot.name in lines
            and (times[slot.name] > 1 or not _told(slot, lines[slot.name], live))
        ]

    def _facts(self, journal: Journal, scope: Scope) -> list[Memory]:
        return [
            fact
            for fact in self._in(journal, scope, Form.FACT)
            if TRUST_ORDER.index(fact.trust) <= TRUST_ORDER.index(Trust.USER)
        ]

    def _in(self, journal: Journal, scope: Scope, form: Form) -> list[Memory]:
        where = and_(
            visible(self.store.reach, forms=(form,)),
            table.c.scope_kind == scope.kind,
            table.c.scope_id == scope.id,
            table.c.facet != "",
        )
        return memories.select_memories(journal.connection, where)


def in_order(slots: Sequence[Memory]) -> list[Memory]:
    """Slots as they are shown, whatever order they come in."""
    return sorted(slots, key=lambda slot: (slot.scope.kind != ScopeKind.USER, _place(slot)))


def _place(slot: Memory) -> int:
    return _PLACE.get(slot.facet, len(_PLACE))


def rendered(slots: Sequence[Memory]) -> str:
    """Slots in their order as text: the user's lines, then the project's under its name."""
    return "\n".join(
        slot.text
        if slot.scope.kind is ScopeKind.USER
        else f"Project {slot.scope.id}, {slot.text[0].lower()}{slot.text[1:]}"
        for slot in slots
    )


def _chosen(slot: Slot, facts: Sequence[Memory]) -> list[Memory]:
    """The facts of a slot: pinned ones and the newest that fit, shown oldest first."""
    mine = [
        fact
        for fact in facts
        if fact.facet in slot.facets or fact.facet.split(".")[0] in slot.facets
    ]
    # Equal times keep the order they were recorded in: an id would be chance.
    kept = sorted(mine, key=lambda fact: (fact.pinned, fact.valid_from))[-slot.values :]
    return sorted(kept, key=lambda fact: fact.valid_from)


def _line(slot: Slot, facts: Sequence[Memory]) -> str:
    shown = [_value(fact) for fact in facts]
    return f"{slot.title}: {'; '.join(shown)}" if shown else ""


def _value(fact: Memory) -> str:
    """What a line shows of a fact: `sister: Eva` for family.sister, `hazelnuts` for allergy."""
    _, _, detail = fact.facet.partition(".")
    value = _MY.sub("their", " ".join((fact.value or fact.text).split()))[:VALUE_LENGTH]
    return f"{detail.replace('.', ' ')}: {value}" if detail else value


def _told(slot: Slot, line: Memory, live: Mapping[str, Memory]) -> bool:
    """Whether a line says what the facts that it rests on say still."""
    facts = [live[seen.ref] for seen in line.evidence if seen.ref in live]
    return len(facts) == len(line.evidence) and line.text == _line(slot, facts)


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
        version=memories.next_version(journal.connection, old.key) if old else 1,
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
