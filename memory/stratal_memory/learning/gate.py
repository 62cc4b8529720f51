"""The gate: what of a message becomes memory, with a reason for every decision. Read down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import StratalError
from stratal_memory.learning.deciding import KEPT, keep, refuse, statement_of
from stratal_memory.learning.deciding import Decision as Decision
from stratal_memory.learning.deciding import Fate as Fate
from stratal_memory.learning.hearing import heard
from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.injections import Injections
from stratal_memory.learning.judging import Judged, judged, nothing_in
from stratal_memory.learning.privacy import Hidden, Privacy, hidden, without
from stratal_memory.learning.recollecting import injections_of, without_injected
from stratal_memory.learning.resolution import found_by_text
from stratal_memory.learning.rules.extraction import EXAMINED, unexamined
from stratal_memory.records import Memory, Message, Role, Session
from stratal_memory.store import Store
from stratal_memory.tiers.episodic import WINDOW, WINDOWS, Episodes
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import waiting
from stratal_memory.truth.journal import Journal
from stratal_memory.truth.messages import Unremembered, not_remembered, unremembered

STILL_OPEN = timedelta(minutes=15)  # a turn older than this will not go on
# Characters at both ends of a message that facts and searchable windows come from, with room for
# what lies across their border.
LOOKED_AT = WINDOW * WINDOWS + 4_000
TAIL = EXAMINED + 4_000
EPISODE_ONLY, HIDDEN = "message.episode_only", "message.identifiers_hidden"


# What an embedder or a store may raise on one message without the next being lost too.
UNLEARNABLE = (StratalError, RuntimeError, ValueError)


def take_in(
    store: Store,
    session: Session,
    messages: Sequence[Message],
    *,
    waits: bool = False,
    then: Callable[[Journal], None] | None = None,
) -> list[Decision]:
    """What was learned from the stored `messages` of one session; they are searchable now.

    All of it is one transaction: after a crash the messages count as not taken in, and
    `catch_up` does it. A message that was taken in before, by whomever, is passed over. What was
    recalled in the session is never learned again. With `waits` the user's messages are noted for
    a model to read too (`model_reading.read_waiting`); what the rules find is learned at once.
    Zone and privacy are those of the store's `gate`. `then` is called in the transaction, last.
    In the conversation of a sub-agent nobody but a model speaks: nothing is learned there.
    """
    if session.parent:
        return []
    injected = injections_of(store, session)
    takings = _embedded(
        store, session, [_taking(store, session, one, injected) for one in messages]
    )
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
        if then is not None:
            then(journal)
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
    injected: Injections,
) -> _Taking:
    found: list[Judged] = []
    if message.role is Role.USER:
        found = _judge(store, session, message, injected)
    windows, labels = _windows(store, session, without_injected(message, injected))
    return _Taking(
        message=message,
        judged=tuple(found),
        hidden=labels,
        windows=tuple(windows),
        rows=(),
    )


def _embedded(store: Store, session: Session, takings: Sequence[_Taking]) -> list[_Taking]:
    """The takings with their vectors: those of all messages are made together, which is faster."""
    texts: list[list[str]] = []
    for one in takings:
        kept = [statement_of(store, session, one.message, item) for item in one.kept]
        texts.append([found_by_text(item) for item in kept] + [item.text for item in one.windows])
    rows = iter(store.embed([text for some in texts for text in some]))
    return [
        replace(one, rows=tuple(islice(rows, len(some))))
        for one, some in zip(takings, texts, strict=True)
    ]


def _windows(
    store: Store, session: Session, message: Message
) -> tuple[list[Memory], tuple[str, ...]]:
    """What makes the message searchable, without identifiers, and the kinds that were left out."""
    stretches = _stretches(message.text, store.gate.privacy)
    windows = Episodes(store).windows(session, [message])
    if not stretches:
        return windows, ()
    clean: list[Memory] = []
    for window in windows:
        seen = window.evidence[0]
        text = without(message.text, stretches, start=seen.start, end=seen.end)
        clean.append(replace(window, text=text))
    return clean, tuple(dict.fromkeys(one.label[1:-1] for one in stretches))


def _stretches(text: str, privacy: Privacy) -> list[Hidden]:
    """What is hidden of what is looked at: the beginning of a message, and its end."""
    if len(text) <= LOOKED_AT + TAIL:
        return hidden(text, privacy)
    start = len(text) - TAIL
    last = [
        replace(one, start=one.start + start, end=one.end + start)
        for one in hidden(text[start:], privacy)
    ]
    return [*hidden(text[:LOOKED_AT], privacy), *last]


def _judge(store: Store, session: Session, message: Message, injected: Injections) -> list[Judged]:
    """The candidates of one message of the user, judged."""
    gate = store.gate
    plain = strip_injected(message.text, injected.verbatim(message.text))
    stretches = _stretches(message.text, gate.privacy)
    return [
        judged(
            found,
            message.text,
            stretches=stretches,
            injected=injected,
            privacy=gate.privacy,
        )
        for found in heard(store, session, message, plain)
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


def catch_up(store: Store, *, waits: bool = False) -> int:
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
            done += _try_again(store, item, waits=waits)
        after = left[-1].seq


def _try_again(store: Store, item: Unremembered, *, waits: bool) -> bool:
    try:
        take_in(store, item.session, [item.message], waits=waits)
    except UNLEARNABLE as error:
        with store.write() as journal:
            journal.note(
                "message.not_taken_in",
                reason=f"tried again and failed: {error}",
                detail=(("message", item.message.id),),
            )
        return False
    return True
