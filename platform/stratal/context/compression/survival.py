"""What must survive a summary, and how much of it did: a plain rule that can be counted."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stratal.context.compression.marks import marks
from stratal.context.compression.pinned import (
    QUESTION,
    RULE,
    bare,
    carried_rules,
    is_question,
    is_rule,
)
from stratal.context.compression.statements import Statement, ends, statements
from stratal_memory.records import Message, Role

ENOUGH = 0.6  # MEMORY, ladder: under 60 % of what must survive, a summary is refused
MOST = 40  # anchors of one message: a pasted log must not outvote the conversation
READ = 4_000  # characters read for anchors at each end of a message
QUESTIONS = 5  # the newest open ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One thing that must survive: a name, a number, an identifier, a path, an address."""

    text: str
    needles: tuple[str, ...]  # folded; each of them must stand in the summary
    weight: int  # 1; 2 when two or more messages speak of it, or the newest turn does
    speaker: str  # who named it last
    last: int  # the number of the last message that names it


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """What must survive: `named` by share, `rules` and `questions` to the last one.

    `named` stands in the order of first mention, rules and questions in the order they came.
    """

    named: tuple[Anchor, ...]
    rules: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]  # (speaker, question)

    def pinned(self) -> tuple[str, ...]:
        """The lines that carry the rules and the open questions on."""
        asked = (QUESTION.format(speaker) + text for speaker, text in self.questions)
        return (*(RULE + rule for rule in self.rules), *asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """How much survived, by weight, and what did not."""

    kept: int
    total: int
    lost: tuple[str, ...]  # heaviest first, then newest
    lost_pinned: tuple[str, ...] = ()  # lines for `with_pinned`

    @property
    def share(self) -> float:
        """0..1; 1 when there was nothing to lose.

        >>> Survival(kept=3, total=4, lost=("INV-17",)).share
        0.75
        """
        return self.kept / self.total if self.total else 1.0

    @property
    def enough(self) -> bool:
        """Whether at least 60 % survived."""
        return self.share >= ENOUGH


def anchors(turns: Sequence[Sequence[Message]], *, previous: str = "") -> Anchors:
    """What must survive of `turns`, and the rules that `previous` carries already.

    A tool's result counts only where somebody speaks of it; a call's arguments count.
    """
    read = [tuple(_ends_of(message) for message in turn) for turn in turns]
    said = list(statements(read))
    return Anchors(
        named=tuple(_named(said, newest=len(turns) - 1)),
        rules=tuple(dict.fromkeys((*carried_rules(previous), *_rules(said)))),
        questions=_open_questions(said),
    )


def _ends_of(message: Message) -> Message:
    most = 0 if message.role == Role.TOOL else READ
    text = ends(message.text, most=most) if most else ""
    return Message(role=message.role, text=text, tool_calls=message.tool_calls)


def _named(said: Sequence[Statement], *, newest: int) -> Iterator[Anchor]:
    seen: dict[tuple[str, ...], list[Statement]] = {}
    spelled: dict[tuple[str, ...], str] = {}
    used: dict[int, int] = {}
    for one in said:
        for mark in marks(one.text):
            needles = tuple(fold(part) for part in mark.parts)
            if needles in seen:
                seen[needles].append(one)
            elif used.get(one.message, 0) < MOST:
                used[one.message] = used.get(one.message, 0) + 1
                seen[needles] = [one]
                spelled[needles] = mark.text
    for needles, where in seen.items():
        repeated = len({one.message for one in where}) > 1
        yield Anchor(
            text=spelled[needles],
            needles=needles,
            weight=2 if repeated or where[-1].turn == newest else 1,
            speaker=where[-1].speaker,
            last=where[-1].message,
        )


def _rules(said: Sequence[Statement]) -> Iterator[str]:
    return (one.text for one in said if one.speaker == "user" and is_rule(one.text))


def _open_questions(said: Sequence[Statement]) -> tuple[tuple[str, str], ...]:
    """The newest questions that the other side has said nothing after."""
    last = {one.speaker: one.message for one in said}
    others = {"user": "assistant", "assistant": "user"}
    asked = [
        (one.speaker, one.text)
        for one in said
        if one.speaker in others
        and one.message > last.get(others[one.speaker], -1)
        and is_question(one.text)
    ]
    return tuple(dict.fromkeys(asked))[-QUESTIONS:]


def survived(turns: Sequence[Sequence[Message]], summary: str, *, previous: str = "") -> Survival:
    """How much of what must survive stands in `summary`.

    Time grows with the number of anchors times the length of the summary, so measure its tokens
    before.
    """
    return survival_of(anchors(turns, previous=previous), summary)


def survival_of(wanted: Anchors, summary: str) -> Survival:
    """The same, for anchors that were found before."""
    folded = fold(summary)
    lost = missing(wanted.named, folded)
    gone = sum(one.weight for one in lost)
    total = sum(one.weight for one in wanted.named)
    # A rule may be said in any line of the summary: what counts is that its words stand there.
    unpinned = (line for line in wanted.pinned() if fold(bare(line)) not in folded)
    return Survival(
        kept=total - gone,
        total=total,
        lost=tuple(one.text for one in sorted(lost, key=lambda one: (-one.weight, -one.last))),
        lost_pinned=tuple(unpinned),
    )


def missing(named: Iterable[Anchor], folded: str) -> list[Anchor]:
    """The anchors that don't stand in a text that is folded already."""
    return [one for one in named if not all(stands(needle, folded) for needle in one.needles)]


def with_pinned(summary: str, lost: Sequence[str]) -> str:
    """`summary` with the rules and open questions it lost, word for word, a line each."""
    lines = "\n".join(f"- {line}" for line in lost)
    return "\n".join(part for part in (summary.rstrip(), lines) if part)


_PLURAL = re.compile(r"(?<=[a-z]{3})s\b|['’]s\b")
_GROUPS = re.compile(r"(?<=\d),(?=\d{3})")


def fold(text: str) -> str:
    """`text` in one case and form, without plurals, possessives and commas in numbers.

    >>> fold("The 5,000 Files of  Anna's")
    'the 5000 file of anna'
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return _PLURAL.sub("", _GROUPS.sub("", plain))


def stands(needle: str, text: str) -> bool:
    """Whether `needle` stands in `text` without running on into a longer word or number.

    >>> stands("30", "in 30 days"), stands("30", "in 3000 days")
    (True, False)
    """
    start = text.find(needle)
    while needle and start >= 0:
        end = start + len(needle)
        if not _joins(text[start - 1 : start], needle[0]) and not _joins(
            needle[-1], text[end : end + 1]
        ):
            return True
        start = text.find(needle, start + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word; scripts without blanks have no such edges."""
    return _wordly(left) and _wordly(right)


def _wordly(sign: str) -> bool:
    return sign.isalnum() and sign < "\u0e00"
