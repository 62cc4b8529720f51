"""The history's share of a request: whole turns, newest first, behind a cut that seldom moves.

The cut stays where it is while the history fits, so that the beginning of the request stays the
same bytes and the provider's prompt cache holds. When it does not fit, old tool results are aged
and turns are left out at once, enough to rest for a while.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from stratal.context.compression.results import ResultRules, old_row, shown
from stratal.context.compression.strategies import (
    Overflow,
    Size,
    chain,
    newest_messages,
    sliding_window,
    strategy,
)
from stratal.context.counting import Counter
from stratal.errors import InvalidRequest
from stratal_memory.records import Message, Role

SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)
READ_FOR_SHARES = 2  # rooms of history a strategy that keeps a share of it looks at


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRules:
    """What happens to a history that grows. The defaults are ours; presets are REQUIREMENTS'."""

    results: ResultRules = field(default_factory=ResultRules)
    overflow: Overflow = Overflow.HEADROOM
    share: float = 0.3  # of the room: what an overflow frees; `keep_fraction`: what it keeps
    sliding_turns: int | None = None  # never more turns than this (Os4)
    max_messages: int | None = None  # never more messages, snapped outward to a turn (Z15)
    min_turns: int = 0  # turns optional sections leave room for (Os5)
    keep_last_user: bool = False  # P25: the last resort for a turn that can't be shortened enough
    age_every_turn: bool = False  # C2: results age as they grow old, not only when room is short

    def kept(self, sizes: Sequence[Size], *, room: int) -> int:
        """How many of the turns, newest first, stay when they are more than `room` tokens."""
        return chain(strategy(self.overflow, share=self.share))(sizes, room)

    def allowed(self, sizes: Sequence[Size]) -> int:
        """How many of the turns, newest first, may be shown, however much room there is."""
        turns = len(sizes)
        if self.sliding_turns is not None:
            turns = min(turns, sliding_window(sizes, turns=self.sliding_turns))
        if self.max_messages is not None:
            turns = min(turns, newest_messages(sizes, most=self.max_messages))
        return turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What was said before this message: turns newest first, read no further than needed."""

    turns: Iterable[Sequence[Message]] = ()
    aged: int = 0  # tool results up to this row are shown aged
    rules: HistoryRules = field(default_factory=HistoryRules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The cut's new place: it has to be stored, or the next request moves it again."""

    after: int  # turns that began at or before this row are not shown; 0: all are
    aged: int  # tool results up to this row are shown aged
    turns: int  # turns that were read and are left out
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTurn:
    """One turn of the history: as it is stored, as it would be sent, and what that takes."""

    stored: tuple[Message, ...]
    view: tuple[Message, ...]
    costs: tuple[int, ...]  # tokens of each message of the view
    tokens: int

    @property
    def size(self) -> Size:
        """What strategies look at."""
        return Size((self.tokens, len(self.stored)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The turns that were read, newest first."""

    turns: tuple[ReadTurn, ...]
    older: int  # row where the newest one that was left unread begins; 0: all were read
    more: bool  # whether older ones were left unread
    beginning: int  # messages of a turn whose beginning is missing: never sent
    aged: int
    rules: HistoryRules

    def floor(self, limit: int) -> int:
        """Tokens of the newest whole turns that take at most `limit` together, or are demanded."""
        demanded = sum(turn.tokens for turn in self.turns[: self.rules.min_turns])
        return max(self.within(limit), demanded)

    def within(self, limit: int) -> int:
        """Tokens of the newest whole turns that take at most `limit` together."""
        totals = accumulate(turn.tokens for turn in self.turns)
        return max((total for total in totals if total <= limit), default=0)


def newest_turns(history: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """The turns of a history that is in memory, newest first, reading no further than asked.

    Messages before the first user message belong to no whole turn; they come last, as they are.
    """
    end = len(history)
    for start in range(len(history) - 1, -1, -1):
        if history[start].role == Role.USER:
            yield tuple(history[start:end])
            end = start
    if end:
        yield tuple(history[:end])


def read(past: Past, *, room: int, current: int, counter: Counter) -> Newest:
    """The newest turns up to and including the first that passes `room` tokens in total.

    `current` is how many messages of the turn in hand follow them. Raises `InvalidRequest` when
    something is not history.
    """
    rules, aged = past.rules, past.aged
    limit = room
    if rules.overflow in (Overflow.DROP_HALF, Overflow.KEEP_FRACTION):
        limit *= READ_FOR_SHARES
    found: list[ReadTurn] = []
    turns = iter(past.turns)
    beginning = older = 0
    more = False
    for turn in turns:
        _check(turn)
        if turn[0].role != Role.USER:
            beginning = len(turn)
            break
        if rules.age_every_turn:
            aged = max(aged, _old_in(turn, rules.results, newer=current))
            current += len(turn)
        found.append(_read_turn(turn, rules=rules, aged=aged, counter=counter))
        limit -= found[-1].tokens
        if limit < 0:
            unread = next(turns, None)
            more, older = unread is not None, unread[0].seq if unread else 0
            break
    return Newest(
        turns=tuple(found), older=older, more=more, beginning=beginning, aged=aged, rules=rules
    )


def _old_in(turn: Sequence[Message], rules: ResultRules, *, newer: int) -> int:
    """The row up to which the turn's results are old, when `newer` messages follow it; else 0."""
    return 0 if rules.age_after is None else old_row(turn, after=max(0, rules.age_after - newer))


def _read_turn(
    turn: Sequence[Message], *, rules: HistoryRules, aged: int, counter: Counter
) -> ReadTurn:
    return seen(tuple(turn), shown(turn, rules.results, aged=aged), counter)


def seen(stored: tuple[Message, ...], view: tuple[Message, ...], counter: Counter) -> ReadTurn:
    """The turn with its messages counted one by one: the ledger tells each."""
    costs = tuple(counter.count_messages((message,)) for message in view)
    return ReadTurn(stored=stored, view=view, costs=costs, tokens=sum(costs))


def old(newest: Newest, *, current: int) -> int:
    """The row up to which results are old by now; it never goes back."""
    after = newest.rules.results.age_after
    if after is None:
        return newest.aged
    left = max(0, after - current)
    for turn in newest.turns:
        if len(turn.stored) > left:
            return max(newest.aged, old_row(turn.stored, after=left))
        left -= len(turn.stored)
    return newest.aged


def with_aged(newest: Newest, *, to: int, counter: Counter) -> Newest:
    """The same turns with results up to row `to` aged."""
    if to == newest.aged:
        return newest
    turns = tuple(
        _read_turn(turn.stored, rules=newest.rules, aged=to, counter=counter)
        if _ages(turn, newest.rules.results, after=newest.aged, to=to)
        else turn
        for turn in newest.turns
    )
    return replace(newest, turns=turns, aged=to)


def _ages(turn: ReadTurn, rules: ResultRules, *, after: int, to: int) -> bool:
    """Whether a result between two rows is long enough to be shown otherwise now."""
    return any(
        after < message.seq <= to and len(message.text) > rules.age_over for message in turn.stored
    )


def _check(turn: Sequence[Message]) -> None:
    if any(message.role not in SPEAKERS for message in turn):
        raise InvalidRequest(
            "the history holds a system or context message",
            hint="Only user, assistant and tool messages are history (P7, P8).",
        )
