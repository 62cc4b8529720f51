"""The gate: what of a message becomes memory, with a reason for every decision. Read down."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import InputError, StratalError
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.injected import restates, strip_injected
from stratal_memory.learning.redaction import redact
from stratal_memory.learning.resolution import Action, Statement, found_by_text, resolve
from stratal_memory.learning.rules.extraction import extract, unexamined
from stratal_memory.learning.worth import Verdict, worth
from stratal_memory.recall.recalled import recalled_before
from stratal_memory.records import (
    Evidence,
    Form,
    Memory,
    Message,
    Role,
    ScopeKind,
    Session,
    Status,
    Trust,
)
from stratal_memory.store import Store
from stratal_memory.tiers.episodic import Episodes
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.messages import Unremembered, not_remembered, unremembered

SOURCE = "said by the user"
STILL_OPEN = timedelta(minutes=15)  # a turn older than this will not go on
REFUSED = "candidate.refused"


# What an embedder or a store may raise on one message without the next being lost too.
UNLEARNABLE = (StratalError, RuntimeError, ValueError)
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+|[^.!?\n]+$")


class Fate(StrEnum):
    """What became of a candidate."""

    ENDED = "ended"  # it told that something is true no more
    CONTESTED = "contested"  # it disagrees with something more trusted
    PAST = "past"  # it was true once, and is kept as that

    LEARNED = "learned"
    KNOWN = "known"
    HELD = "held"
    REFUSED = "refused"


# Where the resolution says more than the gate knew.
FATES = {
    Action.RETRACTED: Fate.ENDED,
    Action.CONTESTED: Fate.CONTESTED,
    Action.LATE: Fate.PAST,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One candidate, its fate, and why; `memory` names the memory it ended in, if any."""

    fate: Fate
    text: str
    reason: str
    memory: str = ""


@dataclass(frozen=True, slots=True)
class _Accepted:
    statement: Statement
    fate: Fate


def take_in(store: Store, session: Session, messages: Sequence[Message]) -> list[Decision]:
    """What was learned from the stored `messages` of one session; they are searchable now.

    All of it is one transaction: after a crash the messages count as not taken in, and
    `catch_up` does it. A message that was taken in before, by whomever, is passed over. What was
    recalled in the session is never learned again.
    """
    injected = _injected(store, session)
    takings = [_taking(store, session, message, injected) for message in messages]
    with store.write() as journal:
        left = not_remembered(journal.connection, [message.id for message in messages])
        return [
            decision
            for taking in takings
            if taking.message.id in left
            for decision in _settle(store, journal, taking)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taking:
    """What one message would leave behind: worked out before the transaction begins."""

    message: Message
    refused: tuple[Decision, ...]
    accepted: tuple[_Accepted, ...]
    windows: tuple[Memory, ...]
    rows: tuple[Vectors | None, ...]  # of the accepted, then of the windows


def _taking(store: Store, session: Session, message: Message, injected: list[str]) -> _Taking:
    refused: list[Decision] = []
    accepted: list[_Accepted] = []
    if message.role is Role.USER:
        _judge(store, session, message, injected, accepted=accepted, refused=refused)
    windows = Episodes(store).windows(session, [_without_injected(message, injected)])
    rows = store.embed(
        [found_by_text(item.statement) for item in accepted] + [memory.text for memory in windows]
    )
    return _Taking(
        message=message,
        refused=tuple(refused),
        accepted=tuple(accepted),
        windows=tuple(windows),
        rows=tuple(rows),
    )


def _settle(store: Store, journal: Journal, taking: _Taking) -> list[Decision]:
    """Write what a message leaves behind; every decision on it."""
    for decision in taking.refused:
        journal.note(REFUSED, reason=decision.reason, detail=(("text", decision.text),))
    decisions = list(taking.refused)
    for item, row in zip(taking.accepted, taking.rows, strict=False):
        done = resolve(journal, item.statement, vector=row)
        decisions.append(
            Decision(
                fate=FATES.get(done.action, item.fate),
                text=done.memory.text,
                reason=done.reason,
                memory=done.memory.id,
            )
        )
    _note_unexamined(journal, taking.message)
    searchable = taking.rows[len(taking.accepted) :]
    Episodes(store).write(journal, [taking.message], taking.windows, searchable)
    return decisions


def _injected(store: Store, session: Session) -> list[str]:
    """The texts of what was recalled in the session so far.

    The user's own words are not among them: to say something again is to confirm it.
    """
    return [
        memory.text
        for memory in recalled_before(store, session.id)
        if memory.form is not Form.EPISODE
        and (memory.form is not Form.MESSAGE or memory.trust is not Trust.USER)
    ]


def _without_injected(message: Message, injected: Sequence[str]) -> Message:
    """The message without our fences, an answer also without each sentence that was recalled."""
    text = strip_injected(message.text, injected if message.role is Role.ASSISTANT else ())
    if message.role is Role.ASSISTANT:
        kept = [part for part in _SENTENCE.findall(text) if restates(part, injected) is None]
        text = "".join(kept)
    return message if text == message.text else _with_text(message, text)


def _with_text(message: Message, text: str) -> Message:
    return Message(role=message.role, text=text, id=message.id, created=message.created)


def _judge(
    store: Store,
    session: Session,
    message: Message,
    injected: Sequence[str],
    *,
    accepted: list[_Accepted],
    refused: list[Decision],
) -> None:
    """Sort the candidates of one message of the user into accepted and refused ones."""
    if message.created is None:
        raise InputError(f"message {message.id!r} has no time", hint="Take in stored messages.")
    for found in extract(strip_injected(message.text, injected), message.created):
        reason = _reason_against(found, message, injected)
        judged = worth(found)
        if reason or judged.verdict is Verdict.REFUSE:
            fate = Fate.KNOWN if reason.startswith("repeats") else Fate.REFUSED
            refused.append(Decision(fate=fate, text=_clean(found), reason=reason or judged.reason))
            continue
        held = judged.verdict is Verdict.PROVISIONAL
        accepted.append(
            _Accepted(
                _statement(store, session, message, found, held=held),
                Fate.HELD if held else Fate.LEARNED,
            )
        )


def _clean(found: Found) -> str:
    """What was refused, fit to be written down in an event: without its secret."""
    quote = redact(found.quote)
    return quote.text if quote.kinds else redact(found.text).text


def _reason_against(found: Found, message: Message, injected: Sequence[str]) -> str:
    # The quote too: our rewording may have broken the shape a secret is known by.
    kinds = redact(found.quote).kinds or redact(found.text).kinds
    if kinds or "[secret: " in found.quote:
        return f"it holds a secret ({', '.join(kinds) or 'redacted'})"
    try:
        found.checked_against(message.text)
    except InputError as error:
        return str(error)
    repeated = restates(found.quote, injected)
    if repeated is not None and not found.explicit:
        return f"repeats what was recalled: “{injected[repeated][:60]}”"
    return ""


def _statement(
    store: Store, session: Session, message: Message, found: Found, *, held: bool
) -> Statement:
    start, end = found.span
    assert message.created is not None
    return Statement(
        text=found.text,
        scope=store.reach.principal.scope(ScopeKind.USER),
        trust=Trust.USER,
        source=SOURCE,
        valid_from=found.valid_from or message.created,
        evidence=Evidence(ref=message.id, start=start, end=end, quote=found.quote),
        facet=found.facet,
        value=found.value,
        single_valued=found.single_valued,
        correction=found.correction,
        retracts=found.retracts,
        instead_of=found.instead_of,
        session=session.id,
        status=Status.PROVISIONAL if held else Status.ACTIVE,
    )


def _note_unexamined(journal: Journal, message: Message) -> None:
    """Say what of a huge message no rule has looked at; it stays in the history."""
    start, end = unexamined(message.text) if message.role is Role.USER else (0, 0)
    if end > start:
        journal.note(
            "message.partly_examined",
            reason=f"characters {start:,} to {end:,} were not examined for facts",
            detail=(("message", message.id),),
        )


def catch_up(store: Store) -> int:
    """How many messages were taken in that a crash had left out, oldest first.

    One that can't be taken in is noted with its reason, stays as it is, and is tried again next
    time; it keeps no other one waiting.
    """
    done, after = 0, 0
    while True:
        with store.read() as connection:
            left = unremembered(
                connection, user=store.user, before=store.clock() - STILL_OPEN, after=after
            )
        if not left:
            return done
        for item in left:
            done += _try_again(store, item)
        after = left[-1].seq


def _try_again(store: Store, item: Unremembered) -> bool:
    try:
        take_in(store, item.session, [item.message])
    except UNLEARNABLE as error:
        with store.write() as journal:
            journal.note(
                "message.not_taken_in",
                reason=f"tried again and failed: {error}",
                detail=(("message", item.message.id),),
            )
        return False
    return True
