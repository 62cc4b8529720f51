"""Sessions settle into episodes: a dated one for each stretch of them; the raw messages stay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, select

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.segments import Segment, segments
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.consolidation.telling import Told, tell
from stratal_memory.consolidation.telling_model import tell_by_model
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.model_answer import ModelAnswerError
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Message,
    Role,
    ScopeKind,
    Session,
    Status,
    Trust,
    lowest_trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.truth import memories, sqlite
from stratal_memory.truth.access import visible
from stratal_memory.truth.archiving import ARCHIVE_TEXT
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.memories import QUESTIONS
from stratal_memory.truth.messages import of_ids, of_session
from stratal_memory.truth.schema import evidence
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.sessions import find_sessions, lowest_read

SESSIONS = 200  # a run; the next run goes on
PARKED = "episode.parked"  # a model's answer could not be used: the rules have told it


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The episode of one segment, ready to be written."""

    segment: Segment
    told: Told
    vector: Vectors | None = None
    failure: str = ""  # why a model could not tell it


def plan(night: Night) -> Plan:
    """Items for each session that is over and changed since it was last told."""
    principal = night.store.reach.principal
    with night.read() as connection:
        found = find_sessions(connection, user=principal.user, agent=principal.agent)
    due = [
        session
        for session in found
        if session.messages
        and session.episode_of != session.last_active
        and session.last_active <= night.idle_before
    ]
    how = "rules" if night.asking.model is None else "model"
    return Plan(items=_items(night, due[:SESSIONS]), looked_at=len(due), how=how)


def _items(night: Night, due: Sequence[Session]) -> Iterator[Item]:
    """One for each stretch that is new, told when it is asked for; the last settles the session.

    So a long conversation that costs more than a day may spend is gone on with, not begun anew.
    """
    for session in due:
        new = _new(night, session)
        for left, part in zip(range(len(new) - 1, -1, -1), new, strict=True):
            draft = _draft(night, part)
            if draft is not None or not left:
                yield _item(night, session, draft, settles=not left)
        if not new:
            yield _item(night, session, None, settles=True)


def _new(night: Night, session: Session) -> list[Segment]:
    """The stretches of a session that no episode tells as they are."""
    with night.read() as connection:
        said = of_session(connection, session.id)
        found = segments([one for one in said if one.text != ARCHIVE_TEXT])
        known = {_refs(old) for old in _episodes(night.store, connection, session)}
    return [part for part in found if _ids(part.said) not in known]


def _draft(night: Night, part: Segment) -> Draft | None:
    """A stretch told and embedded; None where nothing was said."""
    with night.read() as connection:
        told = _tell(night.store, connection, part)
    if told is None:
        return None
    failure = ""
    if night.asking.model is not None:
        try:
            told = tell_by_model(night.asking, _lines(night.store, part))
        except ModelAnswerError as error:
            failure = str(error)
    [vector] = night.embed([told.text.partition(QUESTIONS)[0]])
    return Draft(segment=part, told=told, vector=vector, failure=failure)


def _ids(said: Sequence[Message]) -> tuple[str, ...]:
    return tuple(message.id for message in said)


def _refs(memory: Memory) -> tuple[str, ...]:
    return tuple(seen.ref for seen in memory.evidence)


def _tell(store: Store, connection: Connection, part: Segment) -> Told | None:
    # Whole messages: half of an e-mail address at the end of a sentence looks like none.
    texts = [store.private(strip_injected(message.text)) for message in part.said]
    return tell(
        texts,
        rarity=lambda sentences: sqlite.rarity(connection, sentences),
        facts=_learned_from(connection, _ids(part.said)),
    )


def _learned_from(connection: Connection, messages: Sequence[str]) -> list[str]:
    """The words in these messages that facts rest on: the key facts are among them."""
    fact = and_(table.c.id == evidence.c.memory, table.c.form == Form.FACT)
    found: list[str] = []
    for start in range(0, len(messages), memories.PAGE):
        page = evidence.c.ref.in_(messages[start : start + memories.PAGE])
        query = select(evidence.c.quote).where(page, fact)
        found += connection.execute(query).scalars()
    return found


def _lines(store: Store, part: Segment) -> list[str]:
    return [
        f"{one.role}: {store.private(strip_injected(one.text))}"
        for one in part.messages
        if one.role in (Role.USER, Role.ASSISTANT) and one.text.strip()
    ]


def _item(night: Night, session: Session, draft: Draft | None, *, settles: bool) -> Item:
    """It does nothing when words that it rests on went since, and where the session did."""

    def do(journal: Journal) -> list[Change]:
        if not _stands(journal.connection, session, draft):
            return []
        made = _write(night.store, journal, session, draft) if draft else []
        if draft and draft.failure:
            told = f"told by the rules: {draft.failure}"
            journal.note(PARKED, reason=told, detail=(("session", session.id),))
        if settles:
            journal.settle(session, reason="told" if made else "nothing new was said")
        return made

    return Item(do)


def _stands(connection: Connection, session: Session, draft: Draft | None) -> bool:
    """Whether nothing that was told was erased or archived meanwhile."""
    if draft is None:
        return bool(find_sessions(connection, user=session.user, id=session.id))
    planned = {one.id: one.text for one in draft.segment.messages}
    now = of_ids(connection, session.id, list(planned))
    return {one.id: one.text for one in now} == planned


def _episodes(store: Store, connection: Connection, session: Session) -> list[Memory]:
    where = and_(visible(store.reach, forms=(Form.EPISODE,)), table.c.session == session.id)
    return memories.select_memories(connection, where)


def _write(store: Store, journal: Journal, session: Session, item: Draft) -> list[Change]:
    """The episode, in place of those that were told of some of the same messages."""
    said = _ids(item.segment.said)
    known = _episodes(store, journal.connection, session)
    olds = [old for old in known if set(said).intersection(_refs(old))]
    if any(_refs(old) == said for old in olds):
        return []
    began = item.segment.said[0].created or session.started
    many = "1 message" if len(said) == 1 else f"{len(said)} messages"
    reason = f"{many} of the user on {began:%Y-%m-%d}"
    for one in olds:
        journal.close(one, status=Status.SUPERSEDED, reason="the session went on")
    old = olds[0] if olds else None
    made = _episode(store, journal, session, item, old)
    journal.add(made, reason=reason, vector=item.vector)
    change = Change(
        step="episodes",
        action="replaced" if old else "added",
        before=old.text if old else "",
        after=item.told.text,
        reason=reason,
        evidence=said,
    )
    return [change]


def _episode(
    store: Store,
    journal: Journal,
    session: Session,
    item: Draft,
    old: Memory | None,
) -> Memory:
    told, said = item.told, item.segment.said
    # A model's telling rests on the assistant's words too, and on what it had read.
    read = lowest_read(journal.connection, session.id)
    heard = told.how == "model"
    trust = lowest_trust(Trust.USER, Trust.ASSISTANT, read) if heard else Trust.USER
    return Memory(
        id=new_id("mem"),
        key=old.key if old else new_id("key"),
        version=old.version + 1 if old else 1,
        text=told.text,
        value=told.title,
        kind=Kind.EPISODIC,
        form=Form.EPISODE,
        scope=store.reach.principal.scope(ScopeKind.USER),
        agent=session.agent,
        session=session.id,
        trust=trust,
        status=Status.ACTIVE,
        confidence=CONFIDENCE[trust],
        source="a past conversation",
        recorded_at=journal.at,
        valid_from=said[0].created or session.started,
        valid_to=said[-1].created or session.last_active,
        supersedes=old.id if old else "",
        evidence=tuple(Evidence(ref=message.id, end=len(message.text)) for message in said),
    )
