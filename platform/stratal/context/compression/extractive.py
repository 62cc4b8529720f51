"""A summary without a model: the telling sentences, who said them, and what else was named."""

import heapq
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stratal.context.compression.earlier import (
    ALSO_NAMED,
    EARLIER_SPEAKER,
    earlier_named,
    told_in,
)
from stratal.context.compression.marks import marks
from stratal.context.compression.pinned import bare, is_question
from stratal.context.compression.statements import Statement, sentences, statements
from stratal.context.compression.survival import (
    Anchor,
    Anchors,
    anchors,
    fold,
    missing,
)
from stratal_memory.records import Message, Role

Count = Callable[[str], int]  # text in, tokens out

EARLIER = 0.25  # of the room at most: what the earlier summary said
TELLING = 0.6  # of the room at least: sentences; what else was named may take the rest
PINNED = 0.5  # of the room at most: rules and open questions

PICOCLAW_LEAST, PICOCLAW_SHARE = 200, 10  # Ps6: characters, percent of a message

# What a sentence is worth before its anchors: the user's own words more than an answer's.
_BASE = {"user": 1.0, "assistant": 0.4, EARLIER_SPEAKER: 0.7}
_OF_A_TOOL = 0.8
_CUE, _ASKED = 2.0, 0.5  # times: a decision or a correction; a question
_FULL = 10  # telling words from which on a sentence is worth its whole base
_LEAST = 0.02  # share of its base that a sentence of common words is worth
_COMMON = 3  # sentences; a word that stands in more of them tells little
_WORD = re.compile(r"[^\W\d_\u0e00-\uffef]{4,40}|[\u3000-\u9fff\uac00-\ud7ff]{2}")
_CUES = re.compile(
    r"\b(?:decided?|decision|agreed?|let's (?:go|use|do|keep)|we(?:'ll| will) (?:use|go|keep)|chose"
    r"|choose|picked|prefer|plan(?:s|ned)? to|going to|deadline|due|need to|actually|correction"
    r"|i meant|not .{1,40} but|instead|wrong|mistake|fixed|failed|error|my name|i live|i work"
    r"|todo|next step|entschieden|stattdessen|décidé|plutôt|decidido|mejor)\b"
    r"|决定|改成|不是|应该|決め|ではなく|つもり|결정",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence that may be chosen."""

    said: Statement
    names: tuple[str, ...]
    worth: float  # without its names
    newness: float  # 0.5 (oldest) .. 1


def extract(turns: Sequence[Sequence[Message]], *, previous: str, count: Count, limit: int) -> str:
    """At most `limit` tokens of what `turns` and an earlier summary say; deterministic.

    Rules and open questions first and word for word, then what the earlier summary said, then
    sentences by worth for their length (names, numbers, decisions, corrections; the user's and
    the newest before others), in the order they were said; at last what else was named, by
    speaker. Each line says who said it. Empty when nothing fits.
    """
    wanted = anchors(turns, previous=previous)
    pinned = pinned_that_fit(wanted, count=count, limit=limit)
    room = limit - sum(count(line) + 1 for line in pinned)
    share = EARLIER if turns else 1.0
    earlier = _condensed(previous, room=round(room * share), count=count)
    room -= sum(count(_shown(line)) + 1 for line in earlier)
    named = [*wanted.named, *earlier_named(previous)]
    index = sum(count(f", {one.text}") for one in named)
    telling = max(room - index, round(room * TELLING))
    lines = _lines(_unpinned(turns, pinned), turns=len(turns))
    chosen = _chosen(lines, room=telling, count=count)
    return _fitted(pinned, [*earlier, *chosen], named, count=count, limit=limit)


def picoclaw_fallback(messages: Sequence[Message]) -> str:
    """Picoclaw's own: the beginning of each user and assistant message, joined by ` | ` (Ps6).

    Of each the first 10 % of its characters, at least 200.
    """
    texts = [
        message.text.strip() for message in messages if message.role in (Role.USER, Role.ASSISTANT)
    ]
    return " | ".join(
        text[: max(PICOCLAW_LEAST, len(text) * PICOCLAW_SHARE // 100)] for text in texts if text
    )


def pinned_that_fit(wanted: Anchors, *, count: Count, limit: int) -> list[str]:
    """The newest rules and open questions that fit half of `limit` tokens, in their order.

    One that is too long by itself is passed over.
    """
    room = round(limit * PINNED)
    kept: list[str] = []
    for line in reversed(wanted.pinned()):
        cost = count(f"- {line}") + 1
        if cost <= room:
            kept.append(line)
            room -= cost
    return kept[::-1]


def _condensed(previous: str, *, room: int, count: Count) -> list[Statement]:
    """The best of an earlier summary; each line of it keeps who said it."""
    said = [
        Statement(speaker=EARLIER_SPEAKER, text=f"{label}{one}", turn=0, message=number)
        for number, (label, text) in enumerate(told_in(previous))
        if not label.endswith(ALSO_NAMED)
        for one in sentences(text)
    ]
    return _chosen(_lines(said, turns=1), room=room, count=count)


def _unpinned(turns: Sequence[Sequence[Message]], pinned: Sequence[str]) -> list[Statement]:
    """Each sentence of a speaker once, and none that is pinned."""
    seen = {fold(bare(line)) for line in pinned}
    fresh: dict[str, Statement] = {}
    for said in statements(turns):
        folded = fold(said.text)
        if folded not in seen:
            fresh[folded] = said  # the last time it was said
    return sorted(fresh.values(), key=lambda said: said.message)


def _lines(said: Sequence[Statement], *, turns: int) -> list[_Line]:
    words = [set(_WORD.findall(one.text.casefold())) for one in said]
    common = Counter(word for found in words for word in found)
    lines: list[_Line] = []
    for one, found in zip(said, words, strict=True):
        telling = sum(common[word] <= _COMMON for word in found)
        worth = _BASE.get(one.speaker, _OF_A_TOOL) * min(1.0, max(_LEAST, telling / _FULL))
        worth *= _CUE if _CUES.search(one.text) else 1
        worth *= _ASKED if is_question(one.text) else 1
        names = tuple(fold(mark.text) for mark in marks(one.text))
        lines.append(_Line(one, names, worth, 0.5 + 0.5 * (one.turn + 1) / turns))
    return lines


def _chosen(lines: Sequence[_Line], *, room: int, count: Count) -> list[Statement]:
    """The lines with most worth for their length within `room` tokens, in their order.

    A name is worth something once. What a line brings only falls while others are taken, so a
    heap whose top is judged again before it is taken finds the best without trying all pairs.
    """
    named: set[str] = set()
    heap = [(-_density(line, named), -index) for index, line in enumerate(lines)]
    heapq.heapify(heap)
    taken: list[int] = []
    while heap and room > 0:
        index = -heapq.heappop(heap)[1]
        density = _density(lines[index], named)
        if heap and -heap[0][0] > density:
            heapq.heappush(heap, (-density, -index))
            continue
        cost = count(_shown(lines[index].said)) + 1
        if cost <= room:
            room -= cost
            named.update(lines[index].names)
            taken.append(index)
    return [lines[index].said for index in sorted(taken)]


def _density(line: _Line, named: set[str]) -> float:
    """Worth a character; the constant is what a line costs besides its words."""
    new = sum(name not in named for name in line.names)
    return line.newness * (line.worth + new) / (len(line.said.text) + 40)


def _shown(said: Statement) -> str:
    return f"- {said.speaker}: {said.text}"


def _fitted(
    pinned: Sequence[str],
    said: Sequence[Statement],
    named: Sequence[Anchor],
    *,
    count: Count,
    limit: int,
) -> str:
    """The summary, shorter until it holds: counts of lines need not add up to that of all.

    What else was named fills the room that is left, heaviest and newest first.
    """
    said = list(said)
    text = _rendered(pinned, said, [])
    while (pinned or said) and count(text) > limit:
        drop = max(1, len(said) // 8)
        said, pinned = said[drop:], pinned if said else pinned[1:]
        text = _rendered(pinned, said, [])
    others = missing(named, fold(text))
    others.sort(key=_urgency)
    most = _how_many(others, room=limit - count(text), count=count)
    while most and count(_rendered(pinned, said, others[:most])) > limit:
        most -= max(1, most // 8)
    return _rendered(pinned, said, others[:most])


def _urgency(one: Anchor) -> tuple[bool, int, bool, int]:
    """What was named since before what was named earlier; what holds a digit before plain names."""
    plain = not any(map(str.isdecimal, one.text))
    return (one.speaker == EARLIER_SPEAKER, -one.weight, plain, -one.last)


def _how_many(others: Sequence[Anchor], *, room: int, count: Count) -> int:
    speakers: set[str] = set()
    for number, one in enumerate(others):
        room -= count(f", {one.text}")
        if one.speaker not in speakers:
            speakers.add(one.speaker)
            room -= count(f"- {one.speaker}{ALSO_NAMED}")
        if room < 0:
            return number
    return len(others)


def _rendered(pinned: Sequence[str], said: Sequence[Statement], others: Sequence[Anchor]) -> str:
    """One line a message: its sentences stand together, as they were said."""
    lines = [f"- {line}" for line in pinned]
    before: Statement | None = None
    for one in said:
        if before and (before.speaker, before.turn, before.message) == (
            one.speaker,
            one.turn,
            one.message,
        ):
            lines[-1] += f" {one.text}"
        else:
            lines.append(_shown(one))
        before = one
    by_speaker: dict[str, list[str]] = {}
    for other in others:
        by_speaker.setdefault(other.speaker, []).append(other.text)
    lines += [f"- {speaker}{ALSO_NAMED}{', '.join(names)}" for speaker, names in by_speaker.items()]
    return "\n".join(lines)
