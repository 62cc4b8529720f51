"""What was made from doomed rows: it goes too, or is made again from what else says so."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select, update

from stratal_memory.erase.doomed import Doomed, pages
from stratal_memory.learning.trust import confidence
from stratal_memory.records import Form, Memory, Role, Status
from stratal_memory.text import text_hash
from stratal_memory.truth import memories as rows
from stratal_memory.truth import writing
from stratal_memory.truth.mutable import Mutable
from stratal_memory.truth.schema import evidence, memories, messages, vectors
from stratal_memory.truth.vectors import LIVE

# Made anew as a whole from what is left: half a summary would still tell.
REMADE = (Form.EPISODE, Form.SLOT, Form.OBSERVATION)


def follow(connection: Connection, doomed: Doomed) -> None:
    """Add to `doomed` what rests on it, and on that, until nothing more does."""
    refs = {*doomed.memories, *doomed.messages, *doomed.documents}
    _drop_remade(connection, doomed, {*refs, *doomed.spans})
    looked: set[str] = set()
    while refs - looked:
        fresh = refs - looked
        looked |= fresh
        for page in pages(fresh):
            found = connection.execute(
                select(evidence.c.memory, memories.c.form)
                .distinct()
                .join(memories, memories.c.id == evidence.c.memory)
                .where(evidence.c.ref.in_(page))
            ).all()
            for id, form in found:
                _judge(connection, doomed, id, form=form, refs=refs)
        refs = {*doomed.memories, *doomed.messages, *doomed.documents}
    doomed.weakened -= doomed.memories


def _drop_remade(connection: Connection, doomed: Doomed, refs: set[str]) -> None:
    for page in pages(refs):
        found = connection.execute(
            select(evidence.c.memory)
            .join(memories, memories.c.id == evidence.c.memory)
            .where(evidence.c.ref.in_(page), memories.c.form.in_(REMADE))
        )
        doomed.memories |= set(found.scalars())


def _judge(connection: Connection, doomed: Doomed, id: str, *, form: str, refs: set[str]) -> None:
    """Whether a memory goes whole or loses a part of its evidence."""
    if id in doomed.memories or id in doomed.shared:
        return
    left = connection.execute(select(evidence.c.ref).where(evidence.c.memory == id)).scalars()
    if form in REMADE or refs.issuperset(left) or not _made_again(connection, doomed, id):
        doomed.memories.add(id)
        doomed.weakened.discard(id)
    else:
        doomed.weakened.add(id)


def _made_again(connection: Connection, doomed: Doomed, id: str) -> bool:
    fact = rows.select_memories(connection, memories.c.id == id)[0]
    return _remade(connection, fact, doomed) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remade:
    """A fact as what is left of its evidence says it."""

    text: str
    value: str
    session: str


def _remade(connection: Connection, fact: Memory, doomed: Doomed) -> _Remade | None:
    """The fact from its first piece of evidence that stays and says it; None when none does."""
    # Every rule is a module: loaded where something is derived anew.
    from stratal_memory.learning.rules.extraction import extract

    gone = {*doomed.memories, *doomed.messages, *doomed.documents}
    for seen in fact.evidence:
        if seen.ref in gone:
            continue
        if seen.quote and text_hash(seen.quote) == text_hash(fact.text):
            return _Remade(text=seen.quote, value=fact.value, session="")
        said = connection.execute(select(messages).where(messages.c.id == seen.ref)).first()
        if said is None or said.role != Role.USER:
            continue
        for found in extract(said.text, said.created):
            if found.facet == fact.facet and text_hash(found.value) == text_hash(fact.value):
                return _Remade(text=found.text, value=found.value, session=said.session)
    return None


def remake(connection: Connection, doomed: Doomed) -> list[str]:
    """Write the weakened facts as what is left of their evidence says them; their old texts."""
    before: list[str] = []
    for page in pages(doomed.weakened):
        for fact in rows.select_memories(connection, memories.c.id.in_(page)):
            remade = _remade(connection, fact, doomed)
            assert remade is not None, fact.id  # `follow` looked
            before += [fact.text] if fact.text != remade.text else []
            _rewrite(connection, fact, remade, doomed)
    return before


def _rewrite(connection: Connection, fact: Memory, remade: _Remade, doomed: Doomed) -> None:
    gone = {*doomed.memories, *doomed.messages, *doomed.documents}
    mine = evidence.c.memory == fact.id
    kept = connection.execute(select(evidence).where(mine).order_by(evidence.c.position))
    left = [dict(row) for row in kept.mappings() if row["ref"] not in gone]
    connection.execute(delete(evidence).where(mine))
    connection.execute(
        evidence.insert(), [{**row, "position": place} for place, row in enumerate(left)]
    )
    support = max(1, fact.support - (len(fact.evidence) - len(left)))
    connection.execute(
        update(memories)
        .where(memories.c.id == fact.id)
        .values(
            text=remade.text,
            text_hash=text_hash(remade.text),
            value=remade.value,
            session=remade.session,
            support=support,
            confidence=confidence(fact.trust, support=support),
        )
    )
    refresh(connection, fact.id)


def refresh(connection: Connection, id: str) -> None:
    """Full text by the memory as it is now; its vector goes and is made anew from the text."""
    seq = connection.execute(select(memories.c.seq).where(memories.c.id == id)).scalar_one()
    connection.execute(delete(vectors).where(vectors.c.memory == seq))
    memory = rows.select_memories(connection, memories.c.id == id)[0]
    writing.restore(connection, id, Mutable.of(memory))


def reopen(connection: Connection, doomed: Doomed, supersedes: Mapping[str, str]) -> list[str]:
    """Let facts that only doomed ones had replaced be true again; their ids.

    `supersedes` maps each doomed memory to the version it had replaced, read before they went.
    """
    opened: list[str] = []
    for page in pages(set(supersedes.values()) - doomed.memories - {""}):
        where = memories.c.id.in_(page) & (memories.c.status == Status.SUPERSEDED)
        for old in rows.select_memories(connection, where & (memories.c.form == Form.FACT)):
            live = select(func.count()).where(
                memories.c.key == old.key, memories.c.status.in_(LIVE)
            )
            if connection.execute(live).scalar_one() == 0:
                before = Mutable.of(old)
                connection.execute(
                    update(memories)
                    .where(memories.c.id == old.id)
                    .values(status=Status.ACTIVE, retired_at=None, valid_to=None)
                )
                now = rows.select_memories(connection, memories.c.id == old.id)[0]
                assert before.status is not now.status
                writing.restore(connection, old.id, Mutable.of(now))
                opened.append(old.id)
    return opened
