"""A model reads what waits for it: buffered, checked, and never lost when the model fails.

The rules have learned at once what they know; a model adds to it. Until it has read a message,
the message is pending, and an outage or an unreadable answer leaves it so.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from stratal_memory.errors import StratalError
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.deciding import REFUSED, Decision, Fate, keep, refuse, statement_of
from stratal_memory.learning.gate import DEFAULT
from stratal_memory.learning.judging import Injected, Judged, judged
from stratal_memory.learning.model_answer import Complete, Offered, Read, read
from stratal_memory.learning.privacy import hidden
from stratal_memory.learning.resolution import found_by_text
from stratal_memory.learning.rules.vocabulary import SINGLE_VALUED
from stratal_memory.learning.settings import GateSettings
from stratal_memory.learning.worth import Verdict
from stratal_memory.records import Form, Memory, Message, Session
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import messages, sessions, waiting

BATCH = 20  # messages in one prompt
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


def due(store: Store, *, settings: GateSettings = DEFAULT) -> bool:
    """Whether what waits is worth a call now (MEMORY 1.1, step 3).

    That is: enough tokens, a pause since the last message, a second conversation (the topic
    changed), or a wish to remember something.
    """
    batches = _waiting(store)
    said = [message for _, batch in batches for message in batch]
    if not said:
        return False
    newest = max(message.created for message in said if message.created is not None)
    return (
        len(batches) > 1
        or sum(len(message.text) for message in said) >= settings.buffer_tokens * TOKEN
        or store.clock() - newest >= settings.buffer_idle
        or any("remember" in message.text.casefold() for message in said)
    )


def read_waiting(store: Store, complete: Complete, *, settings: GateSettings = DEFAULT) -> Reading:
    """What a model learned from the messages that wait, oldest first, conversation by conversation.

    `complete` is asked outside any transaction. When it fails, or its answer can't be read even
    after a repair, the messages stay pending with the reason as an event, and the run ends: an
    outage is no fault of the messages. Safe to call again, and from two processes.
    """
    decisions: list[Decision] = []
    done, failure = 0, ""
    for session, batch in _waiting(store):
        offered = _offered(store, batch, settings)
        try:
            answer = read(complete, offered, nonce=secrets.token_hex(8), settings=settings)
        except OUTAGE as error:
            failure = f"{type(error).__name__}: {error}"
            _failed(store, session, batch, failure)
            break
        decisions += _learned(store, session, offered, answer, settings)
        done += len(batch)
    left = sum(len(batch) for _, batch in _waiting(store))
    return Reading(decisions=tuple(decisions), read=done, pending=left, failure=failure)


def _waiting(store: Store) -> list[tuple[Session, list[Message]]]:
    """The messages that wait, in batches of one conversation."""
    batches: list[tuple[Session, list[Message]]] = []
    with store.read() as connection:
        places = waiting.waiting(connection, user=store.user)
        for id, group in groupby(sorted(places, key=lambda place: place[1]), key=lambda p: p[1]):
            found = sessions.find_sessions(connection, user=store.user, id=id)
            wanted = {message for message, _ in group}
            said = [
                one for one in messages.of_session(connection, id) if found and one.id in wanted
            ]
            batches += [(found[0], said[i : i + BATCH]) for i in range(0, len(said), BATCH)]
    return sorted(batches, key=lambda batch: batch[1][0].seq)


def _offered(store: Store, batch: Sequence[Message], settings: GateSettings) -> Offered:
    known = sorted(Facts(store).known(forms=(Form.FACT,)), key=_age, reverse=True)[:KNOWN]
    ids = {f"m{number}": message for number, message in enumerate(batch, 1)}
    return Offered(
        messages=ids,
        known={f"k{number}": memory for number, memory in enumerate(known, 1)},
        hidden={id: hidden(message.text, settings.privacy) for id, message in ids.items()},
    )


def _age(memory: Memory) -> str:
    return memory.recorded_at.isoformat()


def _failed(store: Store, session: Session, batch: Sequence[Message], reason: str) -> None:
    with store.write() as journal:
        for message in batch:
            about = waiting.detail(message.id, session.id)
            journal.note(waiting.FAILED, reason=f"still pending: {reason}", detail=about)


def _learned(
    store: Store, session: Session, offered: Offered, answer: Read, settings: GateSettings
) -> list[Decision]:
    """Judge and write what a model found, in one transaction with what it was read from."""
    pairs = [
        (offered.messages[id], _judged(found, id, offered, settings)) for id, found in answer.found
    ]
    kept = [(m, one) for m, one in pairs if one.verdict is not Verdict.EPISODE]
    statements = [statement_of(store, session, m, one) for m, one in kept]
    rows = store.embed([found_by_text(one) for one in statements])
    with store.write() as journal:
        decisions: list[Decision] = []
        for rejected in answer.rejected:
            detail = (("text", rejected.text[:200]), ("rule", "model"))
            journal.note(REFUSED, reason=rejected.reason, detail=detail)
            decisions.append(
                Decision(fate=Fate.REFUSED, text=rejected.text[:200], reason=rejected.reason)
            )
        decisions += [refuse(journal, one, m) for m, one in pairs if one.verdict is Verdict.EPISODE]
        for statement, (_, one), row in zip(statements, kept, rows, strict=True):
            decisions.append(keep(journal, statement, one, row))
        for message in offered.messages.values():
            about = waiting.detail(message.id, session.id)
            journal.note(waiting.SETTLED, reason="a model has read it", detail=about)
    return decisions


def _judged(found: Found, id: str, offered: Offered, settings: GateSettings) -> Judged:
    """The model's candidate through the same gate as one of a rule."""
    message = offered.messages[id]
    single = found.facet in SINGLE_VALUED
    return judged(
        replace(found, single_valued=single),
        message.text,
        stretches=offered.hidden[id],
        injected=[Injected(text) for text in settings.system_text],
        privacy=settings.privacy,
    )
