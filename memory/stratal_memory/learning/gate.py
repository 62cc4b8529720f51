"""The gate: what of a message becomes memory, with a reason for every decision. Read down."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import InputError, StratalError
from stratal_memory.learning.deciding import (
    KEPT,
    keep,
    refuse,
    statement_of,
)
from stratal_memory.learning.deciding import Decision as Decision
from stratal_memory.learning.deciding import Fate as Fate
from stratal_memory.learning.injected import restates, strip_injected
from stratal_memory.learning.judging import Injected, Judged, judged, nothing_in
from stratal_memory.learning.privacy import hidden, without
from stratal_memory.learning.resolution import found_by_text
from stratal_memory.learning.rules.answers import MAX_ANSWER
from stratal_memory.learning.rules.extraction import extract, unexamined
from stratal_memory.learning.settings import GateSettings
from stratal_memory.recall.recalled import recalled_before
from stratal_memory.records import (
    Form,
    Memory,
    Message,
    Role,
    Session,
    Trust,
)
from stratal_memory.store import Store
from stratal_memory.tiers.episodic import Episodes
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import waiting
from stratal_memory.truth.answers import answer_before
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.messages import Unremembered, not_remembered, unremembered

STILL_OPEN = timedelta(minutes=15)  # a turn older than this will not go on
EPISODE_ONLY, HIDDEN = "message.episode_only", "message.identifiers_hidden"
DEFAULT = GateSettings()


# What an embedder or a store may raise on one message without the next being lost too.
UNLEARNABLE = (StratalError, RuntimeError, ValueError)
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+|[^.!?\n]+$")


def take_in(
    store: Store,
    session: Session,
    messages: Sequence[Message],
    *,
    settings: GateSettings = DEFAULT,
    waits: bool = False,
) -> list[Decision]:
    """What was learned from the stored `messages` of one session; they are searchable now.

    All of it is one transaction: after a crash the messages count as not taken in, and
    `catch_up` does it. A message that was taken in before, by whomever, is passed over. What was
    recalled in the session is never learned again. With `waits` the user's messages are noted for
    a model to read too (`model_reading.read_waiting`); what the rules find is learned at once.
    """
    injected = _injected(store, session, settings)
    takings = [_taking(store, session, one, injected, settings) for one in messages]
    with store.write() as journal:
        left = not_remembered(journal.connection, [message.id for message in messages])
        decisions = [
            decision
            for taking in takings
            if taking.message.id in left
            for decision in _settle(store, session, journal, taking, waits=waits)
        ]
        if any(one.memory for one in decisions):
            Profile(store).refresh(journal)  # what was corrected leaves the prompt at once
        return decisions


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taking:
    """What one message would leave behind: worked out before the transaction begins."""

    message: Message
    judged: tuple[Judged, ...]
    hidden: tuple[str, ...]  # the kinds of identifiers kept out of memory
    windows: tuple[Memory, ...]
    rows: tuple[Vectors | None, ...]  # of the candidates that are kept, then of the windows

    @property
    def kept(self) -> list[Judged]:
        """The candidates that become memories."""
        return [one for one in self.judged if one.verdict in KEPT]


def _taking(
    store: Store,
    session: Session,
    message: Message,
    injected: Sequence[Injected],
    settings: GateSettings,
) -> _Taking:
    found: list[Judged] = []
    if message.role is Role.USER:
        found = _judge(message, injected, settings, asked=_asked(store, session, message))
    texts = [one.text for one in injected]
    windows, labels = _windows(store, session, _without_injected(message, texts), settings)
    taking = _Taking(
        message=message,
        judged=tuple(found),
        hidden=labels,
        windows=tuple(windows),
        rows=(),
    )
    statements = [statement_of(store, session, message, one) for one in taking.kept]
    rows = store.embed([found_by_text(one) for one in statements] + [one.text for one in windows])
    return replace(taking, rows=tuple(rows))


def _windows(
    store: Store, session: Session, message: Message, settings: GateSettings
) -> tuple[list[Memory], tuple[str, ...]]:
    """What makes the message searchable, without identifiers, and the kinds that were left out."""
    stretches = hidden(message.text, settings.privacy)
    windows = Episodes(store).windows(session, [message])
    if not stretches:
        return windows, ()
    clean: list[Memory] = []
    for window in windows:
        seen = window.evidence[0]
        text = without(message.text, stretches, start=seen.start, end=seen.end)
        clean.append(replace(window, text=text))
    return clean, tuple(dict.fromkeys(one.label[1:-1] for one in stretches))


def _asked(store: Store, session: Session, message: Message) -> str:
    """What the assistant said right before a short `message`; empty when it was the first."""
    if len(message.text) > MAX_ANSWER:
        return ""
    with store.read() as connection:
        return answer_before(connection, session.id, seq=message.seq)


def _judge(
    message: Message, injected: Sequence[Injected], settings: GateSettings, *, asked: str
) -> list[Judged]:
    """The candidates of one message of the user, judged."""
    if message.created is None:
        raise InputError(f"message {message.id!r} has no time", hint="Take in stored messages.")
    plain = strip_injected(message.text, [one.text for one in injected])
    stretches = hidden(message.text, settings.privacy)
    return [
        judged(
            found,
            message.text,
            stretches=stretches,
            injected=injected,
            privacy=settings.privacy,
        )
        for found in extract(plain, settings.local(message.created), asked=asked)
    ]


def _settle(
    store: Store, session: Session, journal: Journal, taking: _Taking, *, waits: bool
) -> list[Decision]:
    """Write what a message leaves behind; every decision on it."""
    message = taking.message
    decisions = [refuse(journal, one, message) for one in taking.judged if one.verdict not in KEPT]
    for one, row in zip(taking.kept, taking.rows, strict=False):
        decisions.append(keep(journal, statement_of(store, session, message, one), one, row))
    _note(journal, taking, waits=waits, session=session)
    searchable = taking.rows[len(taking.kept) :]
    Episodes(store).write(journal, [message], taking.windows, searchable)
    return decisions


def _injected(store: Store, session: Session, settings: GateSettings) -> list[Injected]:
    """What was recalled in the session so far, and our own prompts.

    The user's own words are not among them: to say something again is to confirm it.
    """
    recalled = [
        Injected(memory.text, memory.id)
        for memory in recalled_before(store, session.id)
        if memory.form is not Form.EPISODE
        and (memory.form is not Form.MESSAGE or memory.trust is not Trust.USER)
    ]
    return recalled + [Injected(text) for text in settings.system_text]


def _without_injected(message: Message, injected: Sequence[str]) -> Message:
    """The message without our fences, an answer also without each sentence that was recalled."""
    text = strip_injected(message.text, injected if message.role is Role.ASSISTANT else ())
    if message.role is Role.ASSISTANT:
        kept = [part for part in _SENTENCE.findall(text) if restates(part, injected) is None]
        text = "".join(kept)
    return message if text == message.text else replace(message, text=text)


def _note(journal: Journal, taking: _Taking, *, waits: bool, session: Session) -> None:
    """What else there is to say of a message: why nothing came of it, what was left out."""
    message = taking.message
    about = (("message", message.id),)
    if taking.hidden:
        kinds = ", ".join(taking.hidden)
        journal.note(HIDDEN, reason=f"kept out of memory: {kinds}", detail=about)
    if message.role is not Role.USER:
        return
    if not taking.judged:
        journal.note(EPISODE_ONLY, reason=nothing_in(message.text), detail=about)
    start, end = unexamined(message.text)
    if end > start:
        reason = f"characters {start:,} to {end:,} were not examined for facts"
        journal.note("message.partly_examined", reason=reason, detail=about)
    if waits:
        journal.note(
            waiting.WAITING,
            reason="a model is to read it too",
            detail=waiting.detail(message.id, session.id),
        )


def catch_up(store: Store, *, settings: GateSettings = DEFAULT, waits: bool = False) -> int:
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
            done += _try_again(store, item, settings, waits=waits)
        after = left[-1].seq


def _try_again(store: Store, item: Unremembered, settings: GateSettings, *, waits: bool) -> bool:
    try:
        take_in(store, item.session, [item.message], settings=settings, waits=waits)
    except UNLEARNABLE as error:
        with store.write() as journal:
            journal.note(
                "message.not_taken_in",
                reason=f"tried again and failed: {error}",
                detail=(("message", item.message.id),),
            )
        return False
    return True
