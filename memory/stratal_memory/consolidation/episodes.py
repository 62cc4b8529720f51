"""Sessions settle into episodes: a dated one for each stretch of them; the raw messages stay."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, and_

from stratal_memory.consolidation.drafting import Draft, drafted
from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.noticing import remember
from stratal_memory.consolidation.report import Change
from stratal_memory.consolidation.segments import Segment, segments
from stratal_memory.consolidation.step import Item, Plan
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import (
    Evidence,
    Form,
    Kind,
    Memory,
    Message,
    ScopeKind,
    Session,
    Status,
    Trust,
    lowest_trust,
    new_id,
)
from stratal_memory.store import Store
from stratal_memory.truth import memories
from stratal_memory.truth.access import visible
from stratal_memory.truth.archiving import ARCHIVE_TEXT
from stratal_memory.truth.forgotten import LeftOut, left_out
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.messages import of_ids, of_session
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.sessions import find_sessions, lowest_read

SESSIONS = 200  # a run; the next run goes on
_TOLD = (Status.ACTIVE, Status.RETRACTED)  # what a person forgot is not told again
PARKED = "episode.parked"  # a model's answer could not be used: the rules have told it


def plan(night: Night) -> Plan:
    """Items for each session that is over and changed since it was last told."""
    principal = night.store.reach.principal
    with night.read() as connection:
        found = find_sessions(connection, user=principal.user, agent=principal.agent)
        hidden = left_out(connection, user=principal.user)
    due = [
        session
        for session in found
        if session.messages
        and session.episode_of != session.last_active
        and session.last_active <= night.idle_before
    ]
    how = "rules" if night.asking.model is None else "model"
    return Plan(items=_items(night, due[:SESSIONS], hidden), looked_at=len(due), how=how)


def _items(night: Night, due: Sequence[Session], hidden: LeftOut) -> Iterator[Item]:
    """One for each stretch that is new, told when it is asked for; the last settles the session.

    So a long conversation that costs more than a day may spend is gone on with, not begun anew.
    """
    for session in due:
        new, read = _new(night, session), _read(night, session)
        for left, part in zip(range(len(new) - 1, -1, -1), new, strict=True):
            draft = drafted(night, session, part, hidden=hidden, read=read)
            if draft is not None or not left:
                yield _item(night, session, draft, settles=not left)
        if not new:
            yield _item(night, session, None, settles=True)


def _new(night: Night, session: Session) -> list[Segment]:
    """The stretches of a session that no episode tells as they are."""
    with night.read() as connection:
        said = of_session(connection, session.id)
        found = segments([one for one in said if one.text != ARCHIVE_TEXT])
        known = {_refs(old) for old in _episodes(night.store, connection, session, *_TOLD)}
    return [part for part in found if _ids(part.said) not in known]


def _read(night: Night, session: Session) -> set[str]:
    """The messages that an episode told before, whatever became of it."""
    with night.read() as connection:
        told = _episodes(night.store, connection, session, Status.SUPERSEDED, *_TOLD)
    return {ref for one in told for ref in _refs(one)}


def _ids(said: Sequence[Message]) -> tuple[str, ...]:
    return tuple(message.id for message in said)


def _refs(memory: Memory) -> tuple[str, ...]:
    return tuple(seen.ref for seen in memory.evidence)


def _item(night: Night, session: Session, draft: Draft | None, *, settles: bool) -> Item:
    """It does nothing when words that it rests on went since, and where the session did."""

    def do(journal: Journal) -> list[Change]:
        if not _stands(journal.connection, session, draft):
            return []
        made = _write(night.store, journal, session, draft) if draft else []
        made += remember(night.store, journal, session, draft.facts) if draft else []
        if draft and draft.failure:
            told = f"told by the rules: {draft.failure}"
            journal.note(PARKED, reason=told, detail=(("session", session.id),))
        if settles:
            journal.settle(session, reason="told" if made else "nothing new was said")
        return made

    return Item(do)


def _stands(connection: Connection, session: Session, draft: Draft | None) -> bool:
    """Whether nothing that was told was erased, archived or forgotten meanwhile."""
    if draft is None:
        return bool(find_sessions(connection, user=session.user, id=session.id))
    planned = {one.id: one.text for one in draft.segment.messages}
    now = of_ids(connection, session.id, list(planned))
    unchanged = {one.id: one.text for one in now} == planned
    return unchanged and draft.left_out.still(connection)


def _episodes(
    store: Store, connection: Connection, session: Session, *statuses: Status
) -> list[Memory]:
    here = visible(store.reach, forms=(Form.EPISODE,), statuses=statuses)
    return memories.select_memories(connection, and_(here, table.c.session == session.id))


def _write(store: Store, journal: Journal, session: Session, item: Draft) -> list[Change]:
    """The episode, in place of those that were told of some of the same messages."""
    said = _ids(item.segment.said)
    known = _episodes(store, journal.connection, session, Status.ACTIVE)
    olds = [old for old in known if set(said).intersection(_refs(old))]
    if any(_refs(old) == said for old in olds):
        return []
    began = item.segment.said[0].created or session.started
    many = "1 message" if len(said) == 1 else f"{len(said)} messages"
    reason = f"{many} of the user on {began:%Y-%m-%d}"
    for one in olds:
        journal.close(one, status=Status.SUPERSEDED, reason="the session went on")
    old = olds[0] if olds else None
    keys = {one.key for one in known}
    before = old or _fallen(store, journal, session, said, but=keys)
    made = _episode(store, journal, session, item, before)
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


def _fallen(
    store: Store, journal: Journal, session: Session, said: Sequence[str], *, but: set[str]
) -> Memory | None:
    """What told some of these messages last, where something it told was forgotten since."""
    past = _episodes(store, journal.connection, session, Status.SUPERSEDED)
    olds = [one for one in past if one.key not in but and set(said).intersection(_refs(one))]
    return olds[-1] if olds else None


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
        version=memories.next_version(journal.connection, old.key) if old else 1,
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
