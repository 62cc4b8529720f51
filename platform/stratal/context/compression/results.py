"""Tool results as the model sees them: capped when they come in, aged when they are old."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stratal.context.repair import repaired
from stratal_memory.records import Message, Role
from stratal_memory.text import content_hash

CHARACTERS_A_TOKEN = 4  # Cs1 measures the window in characters so
LONGEST_SHARE = 40_000  # characters a share of the window gives at most (Cs1)
AGED_LEAST, AGED_NOTE = 1_000, 200  # Cs2: characters an aged result keeps, and what its note takes
NOTE = 120  # characters the note inside a shortened text takes at most
FEWEST = 200  # characters a result keeps where the window is too small for more
DIGITS = 12  # of a digest: enough within one conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRules:
    """How much of a tool result is shown. The stored result is whole, whatever is shown.

    Sources: Octo, "Context management" (C1-C5, C22) and its code (Cs1, Cs2).
    """

    limit: int | None = 20_000  # characters of any result (C1)
    age_after: int | None = 10  # results beyond the newest this many messages are old (C2)
    age_over: int = 4_000  # characters; an old result that is longer is aged (C3)
    exempt: tuple[str, ...] = ()  # words in the names of tools whose results stay whole (Cs1)
    message_limit: int | None = None  # characters of any message of the history (C22)
    spill: str = ""  # folder that whole results are copied to before they are aged (C4, C24)

    def within(self, *, window: int, share: float | None) -> "ResultRules":
        """The same for a window of `window` tokens, of which one result takes at most `share`.

        A result that ages is cut to at most a fifth of what a fresh one may have.
        """
        if share is None:
            return self
        room = min(int(window * CHARACTERS_A_TOKEN * share), LONGEST_SHARE)
        limit = max(FEWEST, room if self.limit is None else min(self.limit, room))
        return replace(self, limit=limit, age_over=min(self.age_over, max(FEWEST, limit // 5)))

    @property
    def least(self) -> int:
        """Characters up to which nothing is ever shortened."""
        limits = (self.limit, self.message_limit, self.age_over)
        return min(limit for limit in limits if limit is not None)

    def spares(self, name: str) -> bool:
        """Whether results of the tool `name` are never shortened."""
        return any(word in name for word in self.exempt)


WHOLE = ResultRules(limit=None, age_after=None)


def shown(turn: Sequence[Message], rules: ResultRules, *, aged: int = 0) -> tuple[Message, ...]:
    """A turn as it is sent: calls answered, results capped, those up to row `aged` aged.

    The same turn gives the same bytes until `aged` moves; the messages themselves never change.
    """
    view = repaired(turn)
    least = rules.least
    if all(len(message.text) <= least for message in view):
        return view
    names = {call.id: call.name for message in view for call in message.tool_calls}
    return tuple(_shown(message, rules, names, aged=aged) for message in view)


def _shown(message: Message, rules: ResultRules, names: Mapping[str, str], *, aged: int) -> Message:
    name = names.get(message.tool_call_id, "")
    if message.role == Role.TOOL and not rules.spares(name):
        if 0 < message.seq <= aged and len(message.text) > rules.age_over:
            aged_text = _aged(message, rules, name=name)
            if len(aged_text) < len(message.text):  # the note is longer than what a short one loses
                return replace(message, text=aged_text)
        return _cut(message, rules.limit, expandable=True)
    return message if message.role == Role.TOOL else _cut(message, rules.message_limit)


def _cut(message: Message, limit: int | None, *, expandable: bool = False) -> Message:
    """`message` with at most `limit` characters, its note among them."""
    if limit is None or len(message.text) <= limit:
        return message
    keep = max(1, limit - NOTE)
    return replace(message, text=excerpt(message.text, keep=keep, expandable=expandable))


def excerpt(text: str, *, keep: int, expandable: bool = True) -> str:
    """The first two and the last third of `keep` characters of `text`, with a note between.

    >>> excerpt("abcdefghi", keep=3).splitlines()[0], excerpt("abcdefghi", keep=3).splitlines()[-1]
    ('ab', 'i')
    """
    end = keep // 3
    rest = f'; expand_result("{digest_of(text)}") shows the rest' if expandable else ""
    note = f"[... shortened to {keep:,} of {len(text):,} characters{rest} ...]"
    return f"{text[: keep - end]}\n{note}\n{text[len(text) - end :]}"


def digest_of(text: str) -> str:
    """What stands for a whole result in its shortened form; `expand_result` takes it.

    >>> digest_of("tea")
    '833ede412aad'
    """
    return content_hash(text)[:DIGITS]


def spill_path(message: Message, rules: ResultRules, *, name: str) -> str:
    """Where a copy of a whole result lies: folder, day, tool, time (C4), and its digest.

    Two results of one tool may come at the same tick of a clock.
    """
    day = f"{message.created:%Y-%m-%d}" if message.created else "undated"
    time = f"{message.created:%H%M%S%f}-" if message.created else ""
    plain = re.sub(r"[^A-Za-z0-9_]", "-", name)[:64] or "tool"
    return f"{rules.spill}/{day}/tool-result-{plain}-{time}{digest_of(message.text)}.md"


def _aged(message: Message, rules: ResultRules, *, name: str) -> str:
    """The beginning of an old result, and where the whole of it is (Cs2)."""
    text = message.text
    keep = max(min(AGED_LEAST, rules.age_over), rules.age_over - AGED_NOTE)
    saved = f" saved to: {spill_path(message, rules, name=name)}" if rules.spill else ""
    shows = f'shown by expand_result("{digest_of(text)}")'
    size = f"{len(text):,} characters"
    whole = f"({size}, {shows}){saved}" if saved else f"({size}) {shows}"
    return f"{text[:keep]}\n... [truncated - full result {whole}]"


def spills(turn: Sequence[Message], rules: ResultRules, *, aged: int) -> Iterator[tuple[str, str]]:
    """Path and text of every whole result that is shown aged and refers to a file (C24)."""
    names = {call.id: call.name for message in turn for call in message.tool_calls}
    for message in turn:
        name = names.get(message.tool_call_id, "")
        old = message.role == Role.TOOL and 0 < message.seq <= aged
        if rules.spill and old and len(message.text) > rules.age_over and not rules.spares(name):
            yield spill_path(message, rules, name=name), message.text


def old_row(messages: Sequence[Message], *, after: int) -> int:
    """The row of the newest message beyond the newest `after`; 0 when there are no more (C2)."""
    return messages[-after - 1].seq if 0 <= after < len(messages) else 0
