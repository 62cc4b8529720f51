"""A model reads what waits for it: buffered, checked, and never lost when the model fails.

The rules have learned at once what they know; a model adds to it. Until it has read a message,
the message is pending, and an outage or an unreadable answer leaves it so.
"""

import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from stratal_memory.errors import StratalError
from stratal_memory.facets import one_at_a_time
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.deciding import REFUSED, Decision, Fate, keep, refuse, statement_of
from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.injections import Injections
from stratal_memory.learning.judging import Judged, judged
from stratal_memory.learning.model_answer import (
    SHOWN,
    Complete,
    ModelAnswerError,
    Offered,
    Read,
    Rejected,
    read,
)
from stratal_memory.learning.privacy import hidden
from stratal_memory.learning.recollecting import injections_of
from stratal_memory.learning.resolution import found_by_text
from stratal_memory.learning.worth import Verdict
from stratal_memory.records import Form, Memory, Message, Session
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import messages, sessions, waiting
from stratal_memory.truth.journal import Journal

BATCH = 20  # messages in one prompt
BATCH_CHARACTERS = 40_000  # and of all of them together: about 10,000 tokens
TRIES = 3  # unreadable answers to one message, after which the rules' reading is all there is
KNOWN = 40  # facts offered beside them
TOKEN = 4  # characters, about
# What a model's client may raise; the messages then wait for the next time.
OUTAGE = (StratalError, OSError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one run read: the decisions, how many messages are read and still wait, and why."""

    decisions: tuple[Decision, ...] = ()
    read: int = 0
    pending: int = 0
    failure: str = ""  # the last, as a person reads it


def due(store: Store) -> bool:
    """Whether what waits is worth a call now (MEMORY 1.1, step 3).

    That is: enough tokens, a pause after one of them, a second conversation (the topic
    changed), or a wish to remember something.
    """
    batches = _waiting(store)
    said = [message for _, batch in batches for message in batch]
    if not said:
        return False
    times = sorted(message.created for message in said if message.created is not None)
    pauses = [later - earlier for earlier, later in pairwise([*times, store.clock()])]
    return (
        len(batches) > 1
        or sum(len(message.text) for message in said) >= store.gate.buffer_tokens * TOKEN
        or max(pauses) >= store.gate.buffer_idle
        or any("remember" in message.text.casefold() for message in said)
    )


def read_waiting(
    store: Store, complete: Complete, *, wanted: Callable[[], bool] = lambda: True
) -> Reading:
    """What a model learned from the messages that wait, oldest first, conversation by conversation.

    `complete` is asked outside any transaction. When it fails the messages stay pending with the
    reason as an event, and the run ends: an outage is no fault of the messages. They stay so too
    when the answer can't be read even after a repair; from then on each is read alone, and after
    three such answers no more: the rules have read it. Once `wanted` says no, an answer that comes
    is thrown away and the messages wait. Safe to call again, and from two processes.
    """
    decisions: list[Decision] = []
    done, failure = 0, ""
    for session, batch in _waiting(store):
        injected = injections_of(store, session)
        offered = _offered(store, batch, injected)
        try:
            answer = read(complete, offered, nonce=secrets.token_hex(8), settings=store.gate)
        except ModelAnswerError as error:
            failure = f"{type(error).__name__}: {error}"
            if wanted():
                _unreadable(store, session, batch, failure)
            continue
        except OUTAGE as error:
            failure = f"{type(error).__name__}: {error}"
            if wanted():
                _failed(store, session, batch, failure)
            break
        if not wanted():
            return Reading(decisions=tuple(decisions), read=done, failure="nobody waits any more")
        decisions += _learned(store, session, offered, answer, injected)
        done += len(batch)
    if not wanted():
        return Reading(decisions=tuple(decisions), read=done, failure=failure)
    left = sum(len(batch) for _, batch in _waiting(store))
    return Reading(decisions=tuple(decisions), read=done, pending=left, failure=failure)


def _waiting(store: Store) -> list[tuple[Session, list[Message]]]:
    """The messages that wait, in batches of one conversation."""
    batches: list[tuple[Session, list[Message]]] = []
    with store.read() as connection:
        places = waiting.waiting(connection, user=store.user)
        failed = waiting.unreadable(connection, user=store.user, places=places)
        for id, group in groupby(sorted(places, key=lambda place: place[1]), key=lambda p: p[1]):
            found = sessions.find_sessions(connection, user=store.user, id=id)
            wanted = [message for message, _ in group]
            said = messages.of_ids(connection, id, wanted) if found else []
            batches += [(found[0], batch) for batch in _batches(said, alone=failed.keys())]
    return sorted(batches, key=lambda batch: batch[1][0].seq)


def _batches(said: Sequence[Message], *, alone: Collection[str]) -> list[list[Message]]:
    """The messages by what one prompt takes."""
    batches: list[list[Message]] = []
    room, count = 0, 0
    for one in said:
        single, takes = one.id in alone, min(len(one.text), SHOWN)
        if single or count <= 0 or room < takes:
            batches.append([])
            room, count = BATCH_CHARACTERS, BATCH
        batches[-1].append(one)
        room -= takes
        count = 0 if single else count - 1
    return batches


def _offered(store: Store, batch: Sequence[Message], injected: Injections) -> Offered:
    """What the model may see: nothing that privacy hides, nothing that was recalled."""
    known = [_private(store, one) for one in Facts(store).known(forms=(Form.FACT,), limit=KNOWN)]
    ids = {f"m{number}": message for number, message in enumerate(batch, 1)}
    privacy = store.gate.privacy
    return Offered(
        messages=ids,
        known={f"k{number}": memory for number, memory in enumerate(known, 1)},
        hidden={id: hidden(message.text, privacy) for id, message in ids.items()},
        plain={
            id: strip_injected(message.text, injected.verbatim(message.text))
            for id, message in ids.items()
        },
    )


def _private(store: Store, memory: Memory) -> Memory:
    return replace(memory, text=store.private(memory.text))


def _failed(store: Store, session: Session, batch: Sequence[Message], reason: str) -> None:
    with store.write() as journal:
        for message in batch:
            about = waiting.detail(message.id, session.id)
            journal.note(waiting.FAILED, reason=f"still pending: {reason}", detail=about)


def _unreadable(store: Store, session: Session, batch: Sequence[Message], reason: str) -> None:
    """Note it; a message that failed alone once too often is read by nobody any more."""
    with store.write() as journal:
        places = [(message.id, session.id) for message in batch]
        for place in places:
            detail = waiting.detail(*place)
            journal.note(waiting.UNREADABLE, reason=f"still pending: {reason}", detail=detail)
        times = waiting.unreadable(journal.connection, user=store.user, places=places)
        for place in places:
            if times[place[0]] >= TRIES:
                told = f"given up after {TRIES} unreadable answers; the rules have read it"
                journal.note(waiting.SETTLED, reason=told, detail=waiting.detail(*place))


def _learned(
    store: Store, session: Session, offered: Offered, answer: Read, injected: Injections
) -> list[Decision]:
    """Judge and write what a model found, in one transaction with what it was read from."""
    pairs = [
        (offered.messages[id], _judged(store, found, offered, injected, id=id))
        for id, found in answer.found
    ]
    kept = [(m, one) for m, one in pairs if one.verdict is not Verdict.EPISODE]
    statements = [statement_of(store, session, m, one) for m, one in kept]
    rows = store.embed([found_by_text(one) for one in statements])
    with store.write() as journal:
        decisions: list[Decision] = []
        decisions += [_rejected(journal, one, offered) for one in answer.rejected]
        decisions += [refuse(journal, one, m) for m, one in pairs if one.verdict is Verdict.EPISODE]
        for statement, (_, one), row in zip(statements, kept, rows, strict=True):
            decisions.append(keep(journal, statement, one, row))
        for message in offered.messages.values():
            about = waiting.detail(message.id, session.id)
            journal.note(waiting.SETTLED, reason="a model has read it", detail=about)
    return decisions


def _rejected(journal: Journal, rejected: Rejected, offered: Offered) -> Decision:
    text = rejected.text[:200]
    said = offered.messages.get(rejected.message)
    about = (("message", said.id),) if said else ()  # the model may name one nobody offered
    detail = (("text", text), ("rule", "model"), *about)
    journal.note(REFUSED, reason=rejected.reason, detail=detail)
    return Decision(fate=Fate.REFUSED, text=text, reason=rejected.reason)


def _judged(
    store: Store, found: Found, offered: Offered, injected: Injections, *, id: str
) -> Judged:
    """The model's candidate through the same gate as one of a rule."""
    message = offered.messages[id]
    single = one_at_a_time(found.facet)
    return judged(
        replace(found, single_valued=single),
        message.text,
        stretches=offered.hidden[id],
        injected=injected,
        privacy=store.gate.privacy,
    )
