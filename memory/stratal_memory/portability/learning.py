"""Past conversations and statements taken in: through the gate, with the dates they had."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select, update

from stratal_memory.learning.gate import UNLEARNABLE, take_in
from stratal_memory.learning.redaction import redact
from stratal_memory.learning.remembering import remember
from stratal_memory.learning.resolution import Action, Statement
from stratal_memory.learning.understanding import understood
from stratal_memory.portability.past import Noted, Past, Said
from stratal_memory.portability.report import Imported, Refused
from stratal_memory.records import Evidence, Message, Role, ScopeKind, Session, TurnState
from stratal_memory.store import Store
from stratal_memory.text import content_hash, storable
from stratal_memory.tiers.semantic import LONGEST
from stratal_memory.truth import messages as message_rows
from stratal_memory.truth import turns as turn_rows
from stratal_memory.truth.schema import messages, sessions
from stratal_memory.truth.sessions import find_sessions

MODEL = "imported"  # of a turn nobody here answered
TOGETHER = 50  # messages learned from at once


def named(store: Store, prefix: str, format: str, id: str) -> str:
    """The id of an imported row: the same for the same import of the same user, and no other's."""
    return f"{prefix}_{content_hash(chr(0).join((format, store.user, id)))[:20]}"


def take_past(store: Store, past: Past, report: Imported, *, dry_run: bool) -> None:
    """One conversation as a session of the past; what is here of it already is left alone.

    Raises `Refused` when nothing in it was said by the user.
    """
    session = named(store, "ses", report.format, past.id)
    turns = _turns(past.said, report)
    if not turns:
        raise Refused("the user said nothing in it")
    with store.read() as connection:
        known = set(
            connection.execute(select(messages.c.id).where(messages.c.session == session)).scalars()
        )
    fresh = [
        turn
        for turn in turns
        if named(store, "msg", report.format, _key(past, turn[0])) not in known
    ]
    report.unchanged["message"] += sum(len(turn) for turn in turns) - sum(map(len, fresh))
    report.added["message"] += sum(map(len, fresh))
    report.unchanged["session"] += bool(known)
    report.added["session"] += not known
    if fresh and not dry_run:
        _write(store, session, past, fresh, report.format, new=not known)
        _learn(store, session, report)


def _key(past: Past, said: Said) -> str:
    return f"{past.id}/{said.id}"


def _turns(said: Sequence[Said], report: Imported) -> list[list[Said]]:
    """Messages by turns: each begins with what the user said."""
    turns: list[list[Said]] = []
    for one in said:
        if one.role is Role.USER:
            turns.append([one])
        elif turns:
            turns[-1].append(one)
        else:
            report.skipped["messages before the user said anything"] += 1
    return turns


def _write(
    store: Store, id: str, past: Past, turns: Sequence[Sequence[Said]], format: str, *, new: bool
) -> None:
    first, last = past.said[0].at, max(one.at for one in past.said)
    session = Session(
        id=id,
        user=store.user,
        agent=store.reach.principal.agent,
        started=first,
        last_active=last,
        title=redact(storable(past.title)).text[:200],
    )
    with store.write() as journal:
        if new:
            _insert_session(journal.connection, session)
        for turn in turns:
            _write_turn(store, journal.connection, session, past, turn, format)
        here = sessions.c.id == id
        journal.connection.execute(update(sessions).where(here).values(last_active=last))


def _insert_session(connection: Connection, session: Session) -> None:
    connection.execute(
        insert(sessions).values(
            id=session.id,
            user=session.user,
            agent=session.agent,
            title=session.title,
            started=session.started,
            last_active=session.last_active,
        )
    )


def _write_turn(
    store: Store,
    connection: Connection,
    session: Session,
    past: Past,
    said: Sequence[Said],
    format: str,
) -> None:
    ids = [named(store, "msg", format, _key(past, one)) for one in said]
    turn = turn_rows.start_turn(
        connection, session, request_id=f"{format}:{ids[0]}", model=MODEL, at=said[0].at
    )
    for id, one in zip(ids, said, strict=True):
        message = Message(role=one.role, text=redact(storable(one.text)).text, id=id)
        message_rows.append(connection, turn, [message], at=one.at)
    turn_rows.close_turn(connection, turn.id, state=TurnState.DONE, at=said[-1].at, usage="")


def _learn(store: Store, id: str, report: Imported) -> None:
    """What the gate makes of the messages that were not taken in yet."""
    with store.read() as connection:
        (session,) = find_sessions(connection, user=store.user, id=id)
        said = message_rows.of_session(connection, id)
        left = message_rows.not_remembered(connection, [one.id for one in said])
    waiting = [one for one in said if one.id in left]
    for start in range(0, len(waiting), TOGETHER):
        decisions = take_in(store, session, waiting[start : start + TOGETHER])
        report.added["fact"] += sum(decision.fate.value == "learned" for decision in decisions)


def statement_of(store: Store, noted: Noted, *, format: str) -> Statement:
    """A statement of another system's model: known and recalled, and never in the profile.

    Raises `Refused` when it is too long for a statement or holds a secret.
    """
    text = store.private(storable(noted.text))
    if len(text) > LONGEST:
        raise Refused(f"it has {len(text):,} characters, a statement may have {LONGEST:,}")
    secrets = redact(noted.text).kinds
    if secrets:
        raise Refused(f"it holds a secret ({', '.join(secrets)})")
    ref = named(store, "note", format, noted.id)
    said = Statement(
        text=text,
        scope=store.reach.principal.scope(ScopeKind.USER),
        trust=noted.trust,
        source=f"imported from {format}",
        valid_from=noted.at,
        evidence=Evidence(ref=ref, end=len(text), quote=text),
    )
    return understood(said, store.gate)


def take_noted(
    store: Store, noted: Sequence[tuple[str, Statement]], report: Imported, *, dry_run: bool
) -> None:
    """Statements, each with where it stands in the file: together, or one by one if that fails."""
    if dry_run:
        report.added["statement"] += len(noted)
        return
    try:
        done = remember(store, [statement for _, statement in noted])
    except UNLEARNABLE as error:
        if len(noted) == 1:
            (where, statement) = noted[0]
            report.refuse(where, statement.evidence.ref, str(error))
            return
        for one in noted:
            take_noted(store, [one], report, dry_run=dry_run)
        return
    known = sum(one.action is Action.REINFORCED for one in done)
    report.unchanged["statement"] += known
    report.added["statement"] += len(done) - known
