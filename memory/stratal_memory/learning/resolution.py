"""Where a new statement meets what is known in its scope: new, again, instead of, or no more."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations

from sqlalchemy import ColumnElement, and_

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.contrasts import opposed
from stratal_memory.learning.family import evidence_of, folded, says_same
from stratal_memory.learning.rivals import end_rivals, outranks
from stratal_memory.learning.settling import settle
from stratal_memory.learning.statement import Action, Resolution, Statement, found_by_text
from stratal_memory.learning.trust import confidence
from stratal_memory.records import Form, Kind, Memory, Status, new_id
from stratal_memory.text import text_hash
from stratal_memory.truth import memories
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

__all__ = ["DATED", "Action", "Resolution", "Statement", "found_by_text", "resolve"]

# What was true once has its place in the order of dates too.
DATED = (*LIVE, Status.SUPERSEDED, Status.RETRACTED)
SAID_NOW = timedelta(hours=1)  # what is remembered so soon after it was said is no past


def resolve(journal: Journal, statement: Statement, *, vector: Vectors | None) -> Resolution:
    """Remember `statement` in the journal's transaction; the whole scope is looked at."""
    if statement.status is Status.QUARANTINED:
        reason = f"its source is {statement.trust}: kept apart until a person decides"
        return _add(journal, statement, vector, Action.QUARANTINED, reason)
    about = _about(journal, statement)
    known = [memory for memory in reversed(about) if memory.status in LIVE]  # newest first
    if statement.retracts:
        return _retract(journal, statement, known, vector)
    if statement.single_valued and _shares_its_value(statement, known):
        statement = replace(statement, single_valued=False)
    same = [memory for memory in known if says_same(memory, statement)]
    if same and any(_heard(one, statement) for one in about if says_same(one, statement)):
        return Resolution(Action.REINFORCED, same[0], "known from this very message")
    if statement.correction or statement.instead_of:
        corrected = _correct(journal, statement, known, vector)
        if corrected is not None:
            return corrected
    done = _in_order(journal, statement, vector, about)
    return end_rivals(journal, statement, done)


def _shares_its_value(statement: Statement, known: Sequence[Memory]) -> bool:
    """Whether two facts have the value of the statement: the day and the night shift at one place.

    Then they stand side by side; what has another value still replaces them all.
    """
    same = [one.text for one in known if folded(one) == folded(statement)]
    pairs = combinations(dict.fromkeys([statement.text, *same]), 2)
    return any(opposed(one, other, value=statement.value) for one, other in pairs)


def _heard(memory: Memory, statement: Statement) -> bool:
    said = any(seen.ref == statement.evidence.ref for seen in memory.evidence)
    return said and memory.valid_from <= statement.valid_from


def _in_order(
    journal: Journal, statement: Statement, vector: Vectors | None, about: Sequence[Memory]
) -> Resolution:
    """Give a dated statement its place among all that was said about the same."""
    family = _family(journal, statement, about)
    held = _after_the_clock(journal.at, statement, family)
    done = settle(journal, family, statement=held, vector=vector)
    assert done is not None  # there was a statement
    return done


def _after_the_clock(at: datetime, statement: Statement, known: Sequence[Memory]) -> Statement:
    """The statement as newest where this machine's clock was set back behind what is known.

    Only what is said now is: an import of the past keeps its dates.
    """
    ahead = [one.recorded_at for one in known if one.recorded_at > at]
    said = statement.holds_at or statement.valid_from
    if not ahead or abs(at - said) > SAID_NOW:
        return statement
    return replace(statement, holds_at=max(ahead) + timedelta(microseconds=1))


def _family(journal: Journal, statement: Statement, about: Sequence[Memory]) -> list[Memory]:
    """All versions that the statement has to be ordered with, in the order they were recorded.

    Of a thing with one value at a time all of them; else those that say the same.
    """
    same = [one for one in about if says_same(one, statement)]
    mine = list(about) if statement.single_valued else same
    by_text = not statement.facet and not statement.instead_of  # then `about` is all there is
    if by_text or any(one.status in LIVE for one in same):
        return mine
    # The same words may have been learned without what they are about.
    ids = {one.id for one in mine}
    texts = _select(journal, statement, table.c.text_hash == text_hash(statement.text))
    return [*mine, *(one for one in texts if one.status in LIVE and one.id not in ids)]


def _about(journal: Journal, statement: Statement) -> list[Memory]:
    """What was ever known about the same thing, in the order it was recorded."""
    if statement.facet:
        same = table.c.facet == statement.facet
    elif statement.instead_of:
        same = table.c.value == statement.instead_of  # "It's Alyce, not Alice" names no facet
    else:
        same = table.c.text_hash == text_hash(statement.text)
    return _select(journal, statement, same)


def _select(journal: Journal, statement: Statement, about: ColumnElement[bool]) -> list[Memory]:
    where = and_(
        table.c.scope_kind == statement.scope.kind,
        table.c.scope_id == statement.scope.id,
        table.c.form == Form.FACT,
        table.c.status.in_(DATED),
        about,
    )
    return memories.select_memories(journal.connection, where)


def _equal(one: str, other: str) -> bool:
    return text_hash(one) == text_hash(other)


def _correct(
    journal: Journal, statement: Statement, known: Sequence[Memory], vector: Vectors | None
) -> Resolution | None:
    """Replace what is corrected, whatever the dates: who corrects speaks of now.

    None when there is nothing to replace, or it is trusted more: then the dates decide.
    """
    rivals = _rivals(statement, known)
    if not rivals or any(outranks(memory.trust, statement.trust) for memory in rivals):
        return None
    others = [memory for memory in rivals if not says_same(memory, statement)]
    if not others and rivals[0].status is not Status.CONTESTED:
        return None
    for memory in rivals:
        journal.close(
            memory,
            status=Status.SUPERSEDED,
            reason=f"replaced by “{statement.value or statement.text}”",
            valid_to=_end(memory, statement),
        )
    settled = [memory for memory in others if memory.status is not Status.CONTESTED]
    replaced = (settled or others or rivals)[0]
    reason = f"replaces “{replaced.value or replaced.text}”"
    return _add(journal, statement, vector, Action.SUPERSEDED, reason, replaces=replaced)


def _rivals(statement: Statement, known: Sequence[Memory]) -> list[Memory]:
    """The live memories that can't stand beside the corrected one, newest first."""
    if statement.single_valued:
        return list(known)
    same = [memory for memory in known if says_same(memory, statement)]
    named = [
        memory
        for memory in known
        if statement.instead_of and _equal(memory.value, statement.instead_of)
    ]
    if named:
        return [*named, *(memory for memory in same if memory not in named)]
    return (same or list(known[:1])) if statement.correction else []


def _retract(
    journal: Journal, statement: Statement, known: Sequence[Memory], vector: Vectors | None
) -> Resolution:
    """End what is meant; what was never known is noted as a plain sentence that fills no facet."""
    meant = [
        memory for memory in known if not statement.value or _equal(memory.value, statement.value)
    ]
    ended = [memory for memory in meant if not outranks(memory.trust, statement.trust)]
    if not ended:
        return _note_retraction(journal, statement, meant, vector)
    reason = f"no longer true: “{statement.evidence.quote}”"
    for memory in ended:
        journal.close(
            memory, status=Status.RETRACTED, reason=reason, valid_to=_end(memory, statement)
        )
    return Resolution(Action.RETRACTED, ended[0], reason)


def _note_retraction(
    journal: Journal, statement: Statement, meant: Sequence[Memory], vector: Vectors | None
) -> Resolution:
    plain = replace(statement, facet="", value="", retracts=False, correction=False, instead_of="")
    if not meant:
        done = _in_order(journal, plain, vector, _about(journal, plain))
        added = done.action is Action.ADDED
        reason = "nothing known that it could end" if added else done.reason
        return replace(done, reason=reason)
    contested = replace(plain, status=Status.CONTESTED)
    reason = f"can't end {meant[0].id}, whose source is trusted more"
    return _add(journal, contested, vector, Action.CONTESTED, reason)


def _end(memory: Memory, statement: Statement) -> datetime:
    """When `memory` stopped being true; never before it began."""
    return max(memory.valid_from, statement.valid_from)


def _add(
    journal: Journal,
    statement: Statement,
    vector: Vectors | None,
    action: Action,
    reason: str,
    *,
    replaces: Memory | None = None,
) -> Resolution:
    """A version of its own, or the next one of what it replaces."""
    memory = Memory(
        id=new_id("mem"),
        key=replaces.key if replaces else new_id("key"),
        version=memories.next_version(journal.connection, replaces.key) if replaces else 1,
        text=statement.text,
        kind=Kind.SEMANTIC,
        form=Form.FACT,
        scope=statement.scope,
        session=statement.session,
        trust=statement.trust,
        status=statement.status,
        confidence=confidence(statement.trust, support=1),
        source=statement.source,
        facet=statement.facet or (replaces.facet if replaces else ""),
        value=statement.value,
        supersedes=replaces.id if replaces else "",
        recorded_at=journal.at,
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
        pinned=replaces.pinned if replaces else False,
        evidence=(evidence_of(statement),),
    )
    journal.add(memory, reason=reason, vector=vector)
    return Resolution(action, memory, reason)
