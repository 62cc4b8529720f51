"""What an erase names, as rows: where it begins."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Connection, and_, false, or_, select

from stratal_memory.erase.target import Target, What
from stratal_memory.errors import AccessDenied, NotFound
from stratal_memory.records import Form, Scope, ScopeKind
from stratal_memory.truth import access
from stratal_memory.truth.schema import (
    chunks,
    documents,
    events,
    evidence,
    grants,
    memories,
    messages,
    sessions,
    spaces,
    turns,
)

PAGE = 500  # ids of one IN (...) list
Span = tuple[int, int]  # characters, the end not included


@dataclass(slots=True, kw_only=True)
class Doomed:
    """The rows that go, by id, and what of the rest is changed. Empty: nothing is left to do."""

    user: str = ""  # whose whole memory goes, if anybody's
    spaces: set[Scope] = field(default_factory=set[Scope])  # nobody else uses these
    sessions: set[str] = field(default_factory=set[str])
    turns: set[str] = field(default_factory=set[str])
    messages: set[str] = field(default_factory=set[str])
    documents: set[str] = field(default_factory=set[str])
    memories: set[str] = field(default_factory=set[str])
    shared: set[str] = field(default_factory=set[str])  # passages that other documents hold too
    spans: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])  # blanked
    procedures: set[str] = field(default_factory=set[str])  # by key
    weakened: set[str] = field(default_factory=set[str])  # facts that lost part of their evidence


def pages(ids: Collection[str]) -> Iterator[list[str]]:
    """`ids` in lists short enough for one statement, in one order."""
    every = sorted(ids)
    for start in range(0, len(every), PAGE):
        yield every[start : start + PAGE]


def named(connection: Connection, target: Target) -> Doomed:
    """The rows that `target` names, before anything derived from them.

    Raises `NotFound` when there is nothing of that name within reach, and `AccessDenied` for what
    lies in a project or org of somebody else.
    """
    if target.what is What.USER:
        return _of_user(connection, target.principal.user)
    access.check(connection, target.principal)
    if target.what is What.KEY:
        return _of_key(connection, target)
    return _of_source(connection, target)


def _ids(
    connection: Connection, column: ColumnElement[str], where: ColumnElement[bool]
) -> set[str]:
    return set(connection.execute(select(column).where(where)).scalars())


def _of_user(connection: Connection, user: str) -> Doomed:
    doomed = Doomed(user=user, spaces=_alone_in(connection, user))
    doomed.sessions = _ids(connection, sessions.c.id, sessions.c.user == user)
    doomed.turns = _ids(connection, turns.c.id, turns.c.user == user)
    _add_messages(connection, doomed)
    own = {Scope(ScopeKind.USER, user)} | doomed.spaces
    own |= {Scope(ScopeKind.SESSION, session) for session in doomed.sessions}
    for scope in own:
        here = and_(memories.c.scope_kind == scope.kind, memories.c.scope_id == scope.id)
        doomed.memories |= _ids(connection, memories.c.id, here)
        there = and_(documents.c.scope_kind == scope.kind, documents.c.scope_id == scope.id)
        doomed.documents |= _ids(connection, documents.c.id, there)
    for page in pages(doomed.sessions):
        doomed.memories |= _ids(connection, memories.c.id, memories.c.session.in_(page))
    stated = select(events.c.memory).where(events.c.user == user, events.c.kind == "memory.added")
    given = and_(memories.c.form == Form.FACT, memories.c.id.in_(stated))
    doomed.memories |= _ids(connection, memories.c.id, given)  # also what they told a project
    return doomed


def _alone_in(connection: Connection, user: str) -> set[Scope]:
    """The projects and orgs of `user` that nobody else was given access to."""
    shared = select(grants.c.id).where(grants.c.kind == spaces.c.kind, grants.c.id == spaces.c.id)
    found = connection.execute(
        select(spaces.c.kind, spaces.c.id).where(spaces.c.owner == user, ~shared.exists())
    )
    return {Scope(ScopeKind(kind), id) for kind, id in found}


def _add_messages(connection: Connection, doomed: Doomed) -> None:
    for page in pages(doomed.turns):
        doomed.messages |= _ids(connection, messages.c.id, messages.c.turn.in_(page))


def within(target: Target) -> ColumnElement[bool]:
    """Memories in the scopes of who asks, and in those of their conversations."""
    principal = target.principal
    mine = select(sessions.c.id).where(sessions.c.user == principal.user)
    return or_(
        *(
            and_(memories.c.scope_kind == scope.kind, memories.c.scope_id == scope.id)
            for scope in principal.scopes()
        ),
        and_(memories.c.scope_kind == ScopeKind.SESSION, memories.c.scope_id.in_(mine)),
    )


def _of_key(connection: Connection, target: Target) -> Doomed:
    keys = connection.execute(
        select(memories.c.key, memories.c.scope_kind, memories.c.scope_id)
        .distinct()
        .where(within(target), or_(memories.c.key == target.name, memories.c.id == target.name))
    ).all()
    if not keys:
        raise NotFound(
            f"no memory {target.name!r} here", hint="`stratal memory list` shows what there is."
        )
    for row in keys:
        _may_erase(connection, Scope(ScopeKind(row.scope_kind), row.scope_id), target)
    here = and_(within(target), memories.c.key.in_([row.key for row in keys]))
    doomed = Doomed(memories=_ids(connection, memories.c.id, here))
    add_spans(connection, doomed)
    return doomed


def _may_erase(connection: Connection, scope: Scope, target: Target) -> None:
    """Only the owner of a project or org erases what is shared there."""
    if scope.kind in access.SHARED:
        owner = access.owner_of(connection, scope)
        if owner != target.principal.user:
            raise AccessDenied(
                f"{scope} belongs to somebody else: only its owner can erase there",
                hint="Ask its owner.",
            )


def add_spans(connection: Connection, doomed: Doomed) -> None:
    """The words in messages that the doomed memories were drawn from."""
    for page in pages(doomed.memories):
        found = connection.execute(
            select(evidence, messages.c.text.label("said"))
            .join(memories, memories.c.id == evidence.c.memory)
            .join(messages, messages.c.id == evidence.c.ref)
            .where(evidence.c.memory.in_(page), memories.c.form.in_([Form.FACT, Form.MESSAGE]))
        )
        for row in found:
            span = _span(row.said, row.quote, start=row.start, end=row.end)
            if span is not None:
                doomed.spans.setdefault(row.ref, []).append(span)


def _span(said: str, quote: str, *, start: int, end: int) -> Span | None:
    if not quote or said[start:end] == quote:
        return (start, end) if end > start else None
    at = said.find(quote)
    return None if at < 0 else (at, at + len(quote))


def _of_source(connection: Connection, target: Target) -> Doomed:
    for look in (_documents, _session, _turn, _told):
        doomed = look(connection, target)
        if doomed.documents or doomed.turns or doomed.sessions or doomed.memories:
            return doomed
    raise NotFound(
        f"no document, conversation, message or source {target.name!r} here",
        hint="`stratal documents list` and `stratal session list` show what there is.",
    )


def _documents(connection: Connection, target: Target) -> Doomed:
    """Every version of a document, by its path or the id of one of them, and what lies in it.

    A passage that another live document holds too stays with that one.
    """
    here = or_(
        false(),
        *(
            and_(documents.c.scope_kind == scope.kind, documents.c.scope_id == scope.id)
            for scope in target.principal.scopes()
        ),
    )
    name = target.name
    found = connection.execute(
        select(documents).where(here, or_(documents.c.id == name, documents.c.path == name))
    ).all()
    doomed = Doomed()
    for row in found:
        _may_erase(connection, Scope(ScopeKind(row.scope_kind), row.scope_id), target)
        same = and_(
            documents.c.scope_kind == row.scope_kind,
            documents.c.scope_id == row.scope_id,
            documents.c.path == row.path,
        )
        doomed.documents |= _ids(connection, documents.c.id, same)
    _add_relatives(connection, doomed)
    for page in pages(doomed.documents):
        doomed.memories |= _ids(connection, chunks.c.memory, chunks.c.document.in_(page))
    doomed.shared = _held_elsewhere(connection, doomed)
    doomed.memories -= doomed.shared
    return doomed


def _add_relatives(connection: Connection, doomed: Doomed) -> None:
    """The other versions of doomed documents, also under another path, and what lies in them."""
    looked: set[str] = set()
    while fresh := doomed.documents - looked:
        looked |= fresh
        for page in pages(fresh):
            ids = documents.c.id
            live = _ids(connection, documents.c.version_of, ids.in_(page)) - {""}
            doomed.documents |= live
            doomed.documents |= _ids(connection, ids, documents.c.version_of.in_(page))
            doomed.documents |= _ids(connection, ids, documents.c.parent.in_(page))


def _held_elsewhere(connection: Connection, doomed: Doomed) -> set[str]:
    """The doomed passages that stand in a live document which is not doomed."""
    found: set[str] = set()
    for page in pages(doomed.memories):
        held = connection.execute(
            select(chunks.c.memory, chunks.c.document)
            .join(documents, documents.c.id == chunks.c.document)
            .where(
                chunks.c.memory.in_(page),
                documents.c.retired.is_(None),
                documents.c.version_of == "",
            )
        )
        found |= {row.memory for row in held if row.document not in doomed.documents}
    return found


def _session(connection: Connection, target: Target) -> Doomed:
    name = target.name
    here = or_(sessions.c.id == name, sessions.c.parent == name) if name else false()
    mine = and_(here, sessions.c.user == target.principal.user)
    doomed = Doomed(sessions=_ids(connection, sessions.c.id, mine))
    for page in pages(doomed.sessions):
        doomed.turns |= _ids(connection, turns.c.id, turns.c.session.in_(page))
        here = and_(memories.c.session.in_(page), memories.c.form != Form.FACT)
        doomed.memories |= _ids(connection, memories.c.id, here)
    _add_messages(connection, doomed)
    return doomed


def _turn(connection: Connection, target: Target) -> Doomed:
    """The whole turn that has this id or holds this message: half a turn is no history."""
    of_message = select(messages.c.turn).where(messages.c.id == target.name)
    named = or_(turns.c.id == target.name, turns.c.id.in_(of_message))
    mine = and_(turns.c.user == target.principal.user, named)
    doomed = Doomed(turns=_ids(connection, turns.c.id, mine))
    _add_messages(connection, doomed)
    return doomed


def _told(connection: Connection, target: Target) -> Doomed:
    """The user's own facts whose source is this text, as `imported from mem0`."""
    scope = target.principal.scope(ScopeKind.USER)
    mine = and_(
        memories.c.scope_kind == scope.kind,
        memories.c.scope_id == scope.id,
        memories.c.form == Form.FACT,
        memories.c.source == target.name,
    )
    doomed = Doomed(memories=_ids(connection, memories.c.id, mine))
    add_spans(connection, doomed)
    return doomed
