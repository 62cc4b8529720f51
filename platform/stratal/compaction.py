"""Making a conversation's view shorter: the cut is moved, and a summary stands for what it hides.

What to do is decided by pure code in `stratal.context`; here it is done and stored. The messages
themselves never change.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from stratal.context.compression.keep import COMPACT_FEWEST, Keep, keep_from
from stratal.context.compression.note import with_note
from stratal.context.compression.results import shown, spills
from stratal.context.compression.strategies import Overflow, Size, headroom
from stratal.context.compression.triggers import Fill, fired
from stratal.context.history import Moved
from stratal.context.ledger import Ledger
from stratal.conversation import Conversation
from stratal.errors import InputError, StorageError
from stratal.summarizing import Job, Made, summarize
from stratal_memory.learning.gate import UNLEARNABLE
from stratal_memory.records import Message
from stratal_memory.text import content_hash
from stratal_memory.truth import messages, summaries
from stratal_memory.truth.summaries import Cut

log = logging.getLogger(__name__)

MOST_SUMMARISED = 2_000  # turns a summary is made of at most, the newest; each takes 2 ms
LONGEST_NAME = 200  # bytes of a folder's name; file systems take 255
BY_HAND = Keep(messages=4, fraction=1 / 3)  # Cs6: what `/compact` leaves

Turns = Sequence[tuple[Message, ...]]  # oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What a compaction did: tokens of history and summary before and after, turns summarised."""

    before: int
    after: int
    turns: int
    method: str  # "model", "extractive" or "note": how the summary was made
    summary: str


def follow(desk: Conversation, moved: Moved) -> None:
    """Store where the cut stands now, with a summary of the turns it hides.

    One that was prepared is used; what it does not cover is summarised without a model, because
    somebody is waiting. A cut that another process moved further stays.
    """
    cut = current_cut(desk)
    text = _stand_in(desk, cut, moved) if moved.after else cut.summary
    _move(desk, after=moved.after, aged=moved.aged, summary=text, reason=moved.reason)


def after_turn(desk: Conversation, ledger: Ledger) -> None:
    """Begin a summary in the background when one is due; the answer does not wait for it."""
    reason = due(desk, ledger)
    if not reason:
        return
    granted = {section.name: section.granted for section in ledger.sections}
    others = ledger.used - granted["history"] - granted["message"] - granted["tail"]
    room = max(0, desk.budget.input_target - others)

    def work() -> None:
        try:
            prepare(desk, room=room, reason=reason)
        except UNLEARNABLE as error:  # nobody waits for it; the next turn tries again
            log.warning("session %s was not summarised: %s", desk.session.id, error)

    desk.background.start(desk.session.id, work)


def due(desk: Conversation, ledger: Ledger) -> str:
    """Why a summary should be made after a turn with this ledger; empty when it should not."""
    if not desk.summary.enabled:
        return ""
    granted = {section.name: section.granted for section in ledger.sections}
    spoken = [line for line in ledger.messages if line.role not in ("system", "context")]
    fill = Fill(
        used=ledger.used + ledger.reserve,
        history=granted.get("history", 0),
        messages=len(spoken) + 1,  # the answer to that request
        window=desk.budget.effective,
    )
    return fired(desk.summary.triggers, fill, measure=desk.summary.measure)


def prepare(desk: Conversation, *, room: int, reason: str) -> Made | None:
    """The summary of the turns that the next cut will hide, made and stored ahead of it.

    `room` is what history has in tokens. Applied at once where the settings say so. None when
    there is nothing to summarise, or it was done before.
    """
    cut = current_cut(desk)
    turns, ready = _turns(desk, cut), _ready(desk, cut)
    start = keep_from(turns, desk.summary.keep, count_messages=desk.counter.count_messages)
    if not desk.summary.at_once:
        start = min(start, len(turns) - _rests(desk, turns, cut, room=room))
    if start < 1 or (ready and ready.after >= turns[start - 1][0].seq):
        return None
    return _summarize(desk, turns[:start], ready or cut, reason=reason)


def compact(desk: Conversation) -> Compacted:
    """Summarise all but the newest part of a conversation now (C19, Cs6).

    Raises `InputError` when it is too short for that.
    """
    cut = current_cut(desk)
    turns = _turns(desk, cut)
    start = keep_from(turns, BY_HAND, count_messages=desk.counter.count_messages)
    total = sum(map(len, turns))
    if total < COMPACT_FEWEST or start < 1:
        raise InputError(
            f"there is nothing to compact: {total} messages in {len(turns)} turns are shown",
            hint=f"At least {COMPACT_FEWEST} messages in 2 turns are needed.",
        )
    made = _made(desk, turns[:start], previous=cut.summary)
    _keep(desk, turns[:start], made)
    last = turns[start - 1][0].seq
    _move(desk, after=last, aged=cut.aged, summary=made.text, reason="compacted by hand")
    return Compacted(
        before=_tokens(desk, turns, cut.summary),
        after=_tokens(desk, turns[start:], made.text),
        turns=start,
        method=made.method,
        summary=made.text,
    )


def current_cut(desk: Conversation) -> Cut:
    """From where on the conversation is shown."""
    with desk.store.read() as connection:
        return summaries.current_cut(connection, desk.session.id)


def spill(desk: Conversation, *, aged: int) -> None:
    """Copy whole results that are shown aged to where their note says (C4, C24).

    Below the data directory, in a folder of the user's; what lies there already stays.
    """
    rules = desk.rules.results
    if not rules.spill or not aged:
        return
    home = desk.store.database.folder / "users" / folder_name(desk.store.user)
    for turn in _turns(desk, current_cut(desk)):
        for path, text in spills(turn, rules, aged=aged):
            file = home / path
            if not file.exists():
                _write(file, text)


def folder_name(user: str) -> str:
    """One name for the folder of any user, no two users' the same.

    >>> folder_name("anna@example.com"), folder_name("a/../b")
    ('anna@example.com', 'a%2F..%2Fb')
    """
    name = quote(user, safe="@")
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 65]}%{content_hash(user)}"  # no quoted name ends like this


def _write(file: Path, text: str) -> None:
    """Whole or not at all, for its owner alone. Raises `StorageError`."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as made:
            made.write(text)  # a temporary file is 0600
        Path(made.name).replace(file)
    except OSError as error:
        raise StorageError(
            f"a tool result could not be saved to {file}: {error.strerror}",
            hint="Free some space or let the folder be written to; the result itself is kept.",
        ) from error


def _turns(desk: Conversation, cut: Cut, *, upto: int | None = None) -> Turns:
    """The turns behind the cut, up to row `upto`, oldest first."""
    with desk.store.read() as connection:
        found = messages.newest_turns(connection, desk.session.id, after=cut.after)
        return tuple(turn for turn in found if upto is None or turn[0].seq <= upto)[::-1]


def _ready(desk: Conversation, cut: Cut) -> Cut | None:
    """The newest summary that reaches past the cut, as the cut it was made for."""
    with desk.store.read() as connection:
        ready = summaries.newest_summary(connection, desk.session.id)
    if ready is None or ready.last <= cut.after:
        return None
    return Cut(after=ready.last, aged=cut.aged, summary=ready.text)


def _stand_in(desk: Conversation, cut: Cut, moved: Moved) -> str:
    """What stands for everything up to the cut's new place."""
    hidden = _turns(desk, cut, upto=moved.after)
    if not desk.summary.enabled and desk.rules.overflow != Overflow.DROP_HALF:
        return cut.summary
    if desk.rules.overflow == Overflow.DROP_HALF:  # P26: the note is all there is time for
        return with_note(cut.summary, sum(map(len, hidden)))
    ready = _ready(desk, cut)
    base = ready if ready and ready.after <= moved.after else cut
    rest = [turn for turn in hidden if turn[0].seq > base.after]
    if not rest:
        return base.summary
    made = summarize(
        _job(desk, rest, previous=base.summary), complete=None, count=desk.counter.count
    )
    _keep(desk, rest, made)
    return made.text


def _rests(desk: Conversation, turns: Turns, cut: Cut, *, room: int) -> int:
    """How many of the newest turns the next cut will leave."""
    views = [shown(turn, desk.rules.results, aged=cut.aged) for turn in reversed(turns)]
    sizes = [Size((desk.counter.count_messages(view), len(view))) for view in views]
    return headroom(sizes, room=room, share=desk.rules.share)


def _summarize(desk: Conversation, turns: Turns, base: Cut, *, reason: str) -> Made:
    rest = [turn for turn in turns if turn[0].seq > base.after]
    made = _made(desk, rest, previous=base.summary)
    _keep(desk, rest, made)
    if desk.summary.at_once:
        last = turns[-1][0].seq
        _move(desk, after=last, aged=base.aged, summary=made.text, reason=reason)
    for refused in made.tried:
        log.info("session %s: %s", desk.session.id, refused)
    return made


def _made(desk: Conversation, turns: Turns, *, previous: str) -> Made:
    job = _job(desk, turns, previous=previous)
    return summarize(job, complete=desk.summary.complete(), count=desk.counter.count)


def _job(desk: Conversation, turns: Turns, *, previous: str) -> Job:
    return Job(
        turns=tuple(turns[-MOST_SUMMARISED:]),
        previous=previous,
        window=desk.summary.window,
        limit=min(desk.summary.tokens, max(1, desk.budget.input_target // 8)),
    )


def _keep(desk: Conversation, turns: Turns, made: Made) -> None:
    with desk.store.write() as journal:
        summaries.keep_summary(
            journal.connection,
            desk.session.id,
            first=turns[0][0].seq,
            last=turns[-1][0].seq,
            text=made.text,
            method=made.method,
            at=journal.at,
        )


def _move(desk: Conversation, *, after: int, aged: int, summary: str, reason: str) -> None:
    with desk.store.write() as journal:
        cut = summaries.current_cut(journal.connection, desk.session.id)
        if after and after < cut.after:
            return
        kept = Cut(
            after=max(after, cut.after),
            aged=max(aged, cut.aged),
            summary=summary if after else cut.summary,
            reason=reason,
        )
        summaries.move_cut(journal.connection, desk.session.id, kept, at=journal.at)


def _tokens(desk: Conversation, turns: Turns, summary: str) -> int:
    said = sum(desk.counter.count_messages(shown(turn, desk.rules.results)) for turn in turns)
    return said + (desk.counter.count(summary) if summary else 0)
