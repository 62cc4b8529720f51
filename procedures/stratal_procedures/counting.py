"""Uses of stored procedures are counted, and what they amount to decides on the procedure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from stratal_memory.records import Message
from stratal_memory.store import Store
from stratal_memory.truth import messages, practised
from stratal_memory.truth import procedures as rows
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.practised import Outcome, Used, Waiting
from stratal_memory.truth.procedures import IN_USE, StoredProcedure
from stratal_procedures.record import counted
from stratal_procedures.scoring import THRESHOLDS, next_state
from stratal_procedures.settling import verdict
from stratal_procedures.shelf import detail_of

SILENCE = "nothing was said against it"


def in_use(store: Store, name: str) -> StoredProcedure | None:
    """The stored procedure in use under a name; None when there is none, as for skill files."""
    with store.read() as connection:
        found = rows.find(connection, store.reach, states=IN_USE)
    return next((one for one in found if one.name.casefold() == name.casefold()), None)


def put_in(
    store: Store, turn: str, procedure: StoredProcedure, *, outcome: Outcome, why: str
) -> None:
    """Note that a procedure was put into a turn, and how that ended as far as it is known."""
    with store.write() as journal:
        used = Used(
            turn=turn,
            procedure=procedure.key,
            version=procedure.version,
            outcome=outcome,
            why=why,
            at=journal.at,
        )
        practised.note_outcome(journal.connection, used)
        if outcome is not Outcome.PENDING:
            _rescore(store, journal, procedure.key)


def settle(store: Store, *, session: str, turn: str, said: Sequence[Message]) -> tuple[str, ...]:
    """End the turns whose end is known by now; the signatures of episodes that ended well.

    In `session` the message that began `turn` says how the turns before it ended; elsewhere an
    hour of silence does.
    """
    with store.read() as connection:
        who = store.reach.principal
        waiting = practised.waiting(connection, user=who.user, agent=who.agent)
    old = store.clock() - timedelta(minutes=THRESHOLDS.idle_minutes) if waiting else None
    known = [
        one
        for one in waiting
        if one.turn != turn and ((one.session == session and said) or (old and one.ended <= old))
    ]
    if not known:
        return ()
    with store.write() as journal:
        found = [
            _settled(store, journal, one, said[0].text if one.session == session and said else "")
            for one in known
        ]
    return tuple(dict.fromkeys(signature for signature in found if signature))


def settle_idle(store: Store) -> tuple[str, ...]:
    """End the turns that nothing was said after for an hour; see `settle`."""
    return settle(store, session="", turn="", said=())


def _settled(store: Store, journal: Journal, one: Waiting, message: str) -> str:
    """The signature of an episode that ended well; empty for every other turn."""
    before = messages.of_turn(journal.connection, one.turn)
    if message and before:
        outcome, why = verdict(message, before=before[0].text)
    else:
        outcome, why = Outcome.SUCCESS, SILENCE
    used = practised.outcome_of(journal.connection, one.turn)
    if used is not None and used.outcome is Outcome.PENDING:
        practised.settle_outcome(
            journal.connection, one.turn, outcome=outcome, why=why, at=journal.at
        )
        _rescore(store, journal, used.procedure)
    episode = practised.episode_of(journal.connection, one.turn)
    if episode is None or episode.ok is not None:
        return ""
    good = outcome is Outcome.SUCCESS
    practised.settle_episode(journal.connection, one.turn, ok=good, why=why)
    return episode.signature if good else ""


def _rescore(store: Store, journal: Journal, key: str) -> None:
    """Let the outcomes of a procedure decide on the version in use."""
    used = practised.outcomes_of(journal.connection, key)
    for one in rows.find(journal.connection, store.reach, states=IN_USE):
        if one.key != key:
            continue
        state, why = next_state(one.state, counted(one, used))
        if state is not one.state:
            new = replace(one, state=state, why=why)
            rows.settle(journal.connection, new)
            journal.note(f"procedure.{state}", reason=why, detail=detail_of(new))
