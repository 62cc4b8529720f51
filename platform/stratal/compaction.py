"""Making a conversation's view shorter: the cut is moved, and a summary stands for what it hides.

What to do is decided by pure code in `stratal.context`; here it is done and stored. The messages
themselves never change.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratal.beside import answered_beside
from stratal.context.compression.keep import COMPACT_FEWEST, Keep, keep_from
from stratal.context.compression.note import with_note, without_note
from stratal.context.compression.results import shown
from stratal.context.compression.strategies import Overflow
from stratal.context.compression.triggers import Fill, fired
from stratal.context.history import Moved
from stratal.context.ledger import Ledger
from stratal.conversation import Complete, Conversation
from stratal.errors import InputError
from stratal.summarizing import Job, Made, summarize
from stratal_memory.learning.gate import UNLEARNABLE
from stratal_memory.records import Message
from stratal_memory.truth import messages, summaries
from stratal_memory.truth.summaries import Cut

log = logging.getLogger(__name__)

MOST_SUMMARISED = 2_000  # turns a summary is made of at most, the newest; each takes 2 ms
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Where the cut goes, and what was summarised for it: nothing, or `turns` as `made`."""

    cut: Cut
    turns: Turns = ()
    made: Made | None = None


def follow(desk: Conversation, moved: Moved) -> None:
    """Store where the cut stands now, with a summary of the turns it hides.

    A cut that another process moved further stays.
    """
    if 0 < moved.after < current_cut(desk).after:
        return
    ahead = planned(desk, moved)
    if ahead.made is not None:
        _keep(desk, ahead.turns, ahead.made)
    _move(desk, ahead.cut)


def planned(desk: Conversation, moved: Moved) -> Planned:
    """Where the cut goes and what will stand for the turns it hides; nothing is stored.

    A summary that was prepared is used; what it does not cover is summarised without a model,
    because somebody is waiting.
    """
    cut = current_cut(desk)
    ahead = replace(cut, aged=max(cut.aged, moved.aged), reason=moved.reason)
    if not moved.after or any(row <= moved.after for row in answered_beside(desk)):
        return Planned(cut=ahead)  # no turn is hidden before it has its answer
    ahead = replace(ahead, after=max(cut.after, moved.after))
    hidden = _turns(desk, cut, upto=moved.after)
    if desk.rules.overflow == Overflow.DROP_HALF:  # P26: the note is all there is time for
        noted = with_note(cut.summary, sum(map(len, hidden)))
        return Planned(cut=replace(ahead, summary=noted))
    if not desk.summary.enabled:
        return Planned(cut=ahead)
    base = _ready(desk, cut) or cut
    rest = [turn for turn in hidden if turn[0].seq > base.after]
    if not rest:
        return Planned(cut=replace(ahead, summary=base.summary))
    made = _made(desk, rest, previous=base.summary, complete=None)
    return Planned(cut=replace(ahead, summary=made.text), turns=rest, made=made)


def after_turn(desk: Conversation, ledger: Ledger) -> None:
    """Begin a summary in the background when one is due; the answer does not wait for it."""
    reason = due(desk, ledger)
    if not reason:
        return
    granted = ledger.granted()
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
    granted = ledger.granted()
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
    there is nothing to summarise, or most of it was done before (a model is asked once a cut),
    or the agent was closed in the meantime.
    """
    cut = current_cut(desk)
    turns, ready = _turns(desk, cut), _ready(desk, cut)
    start = keep_from(turns, desk.summary.keep, count_messages=desk.counter.count_messages)
    if not desk.summary.at_once:
        start = min(start, _surely_hidden(desk, turns, cut, room=room))
    base = ready or cut
    wanted = turns[:start]
    rest = [turn for turn in wanted if turn[0].seq > base.after]
    if not rest or 2 * _shown_tokens(desk, rest, cut) < _shown_tokens(desk, wanted, cut):
        return None
    made = _made(desk, rest, previous=base.summary, complete=desk.summary.complete())
    return None if desk.background.abandoned else _prepared(desk, rest, made, base, reason=reason)


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
    complete = desk.summary.complete()
    made = _made(desk, turns[:start], previous=cut.summary, complete=complete)
    _keep(desk, turns[:start], made)
    last = turns[start - 1][0].seq
    _move(desk, replace(cut, after=last, summary=made.text, reason="compacted by hand"))
    return Compacted(
        before=_tokens(desk, turns, cut),
        after=_tokens(desk, turns[start:], replace(cut, summary=made.text)),
        turns=start,
        method=made.method,
        summary=made.text,
    )


def current_cut(desk: Conversation) -> Cut:
    """From where on the conversation is shown."""
    with desk.store.read() as connection:
        return summaries.current_cut(connection, desk.session.id)


def _turns(desk: Conversation, cut: Cut, *, upto: int | None = None) -> Turns:
    """The turns behind the cut, up to row `upto`, oldest first.

    They end before the first that is being answered: its answer would be in no summary.
    """
    going = min(answered_beside(desk), default=None)
    with desk.store.read() as connection:
        found = messages.newest_turns(connection, desk.session.id, after=cut.after)
        turns = [turn for turn in found if upto is None or turn[0].seq <= upto]
    return tuple(turn for turn in reversed(turns) if going is None or turn[0].seq < going)


def _ready(desk: Conversation, cut: Cut) -> Cut | None:
    """The newest summary that reaches past the cut, as the cut it was made for."""
    with desk.store.read() as connection:
        ready = summaries.newest_summary(connection, desk.session.id)
    if ready is None or ready.last <= cut.after:
        return None
    return Cut(after=ready.last, aged=cut.aged, summary=ready.text)


def _surely_hidden(desk: Conversation, turns: Turns, cut: Cut, *, room: int) -> int:
    """How many of the oldest turns the next cut hides whenever it comes: those it must free."""
    left = int(room * desk.rules.share)
    for number, turn in enumerate(turns):
        left -= _shown_tokens(desk, [turn], cut)
        if left < 0:
            return number
    return len(turns)


def _prepared(desk: Conversation, turns: Turns, made: Made, base: Cut, *, reason: str) -> Made:
    _keep(desk, turns, made)
    if desk.summary.at_once:
        last = turns[-1][0].seq
        _move(desk, replace(base, after=last, summary=made.text, reason=reason))
    for refused in made.tried:
        log.info("session %s: %s", desk.session.id, refused)
    return made


def _made(desk: Conversation, turns: Turns, *, previous: str, complete: Complete | None) -> Made:
    """The summary of `turns` after the earlier one; messages in neither stay counted in a note."""
    told, uncounted = without_note(previous)
    uncounted += sum(map(len, turns[:-MOST_SUMMARISED]))
    job = Job(
        turns=tuple(turns[-MOST_SUMMARISED:]),
        previous=told,
        window=desk.summary.window,
        limit=min(desk.summary.tokens, max(1, desk.budget.input_target // 8)),
    )
    made = summarize(job, complete=complete, count=desk.counter.count)
    return replace(made, text=with_note(made.text, uncounted)) if uncounted else made


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


def _move(desk: Conversation, to: Cut) -> None:
    """Store the cut unless it stands further by now; `after` 0 only ages."""
    with desk.store.write() as journal:
        cut = summaries.current_cut(journal.connection, desk.session.id)
        if to.after and to.after < cut.after:
            return
        kept = replace(
            to,
            after=max(to.after, cut.after),
            aged=max(to.aged, cut.aged),
            summary=to.summary if to.after else cut.summary,
        )
        summaries.move_cut(journal.connection, desk.session.id, kept, at=journal.at)


def _tokens(desk: Conversation, turns: Turns, cut: Cut) -> int:
    """What the turns take as they are shown, and the summary before them."""
    summary = desk.counter.count(cut.summary) if cut.summary else 0
    return _shown_tokens(desk, turns, cut) + summary


def _shown_tokens(desk: Conversation, turns: Turns, cut: Cut) -> int:
    count = desk.counter.count_messages
    return sum(count(shown(turn, desk.rules.results, aged=cut.aged)) for turn in turns)
