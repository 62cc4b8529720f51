"""What an answer did with each memory it was given, and what that may change. No storage here.

A memory is used when the answer holds what only it could have told. That makes it worth showing
again; it makes it no truer: who repeats a memory is no new source. A person who says that it is
wrong is one.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from stratal_memory.learning.trust import PRIOR, WEIGHT, confidence
from stratal_memory.outcomes import Counts, Decided, Outcome
from stratal_memory.records import Form, Memory, Status, Trust
from stratal_memory.text import terms

# From this share of its distinctive words in one sentence of the answer on, a memory was used.
# Half: "You work at TAP" uses "The user works at TAP as a pilot".
USED = 0.5
FEWEST = 2  # distinctive words that one sentence of a longer text must have in the answer
MANY = 4  # memories from which an answer that uses every one of them only repeats what it was given
READ = 20_000  # characters of an answer or a memory that are compared
SHORT = 600  # characters of a memory whose words are compared whole
SEVERAL = 3  # short memories from which what most of them hold tells nothing
HEAD = 3  # letters by which a word is looked for before it is stemmed: a stem keeps them

# How far counts may bend a score: 10 % (MEMORY, 1.3), as far as age may.
BOUND = 0.10
SHRINK = 4.0  # how many uses "nothing is known" is worth: as `trust.PRIOR`
IGNORED, DENIED = 0.25, 2.0  # what one of them weighs against one use

# What use adds to a confidence, in independent statements, and after how many uses: in few steps,
# so that what is used every day is not written every night.
CREDIT = 0.5
STEPS = (3, 10, 30)
_UNTRUSTED = (Trust.TOOL, Trust.DOCUMENT, Trust.WEB)

_OURS = frozenset({"user"})  # every fact of ours says it, no answer does
_HEAD = re.compile(rf"\b\w{{1,{HEAD}}}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
_SO = r"(?:all |just |quite |simply |completely |totally |plainly |actually )?"
_FALSE = (
    r"(?:wrong|incorrect|mistaken|false|untrue|outdated|out of date"
    r"|not (?:true|right|correct|the case|so)"
    r"|no longer (?:true|right|correct|the case))\b(?! (?:with|to|for|that|of|if)\b)"
)
_WRONG = re.compile(
    rf"\b(?:that|this|it|you|which|memory)(?:['’]s|['’]re| is| are| was| were) {_SO}{_FALSE}"
    r"|\b(?:that|this|it) (?:isn|wasn)['’]t (?:true|right|correct|so)\b"
    r"|\byou(?:['’]ve)? (?:got|had|have|remember(?:ed)?) (?:that|it|this|me) wrong\b"
    rf"|\A\W*(?:no\W+)?{_FALSE}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory as it was put before the model."""

    memory: str  # id of the version
    text: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    """What an answer says beyond what was asked."""

    sentences: tuple[frozenset[str], ...]
    words: frozenset[str]
    heads: frozenset[str]  # the first letters of each word

    @classmethod
    def of(cls, reply: str, asked: frozenset[str]) -> "_Said":
        """The terms of each sentence that has any of its own."""
        found = (frozenset(terms(one)) - asked for one in _SENTENCE_END.split(reply))
        kept = tuple(one for one in found if one)
        words = frozenset[str]().union(*kept)
        return cls(kept, words, frozenset(word[:HEAD] for word in words))


def judge(
    shown: Sequence[Shown], *, question: str, reply: str, quotes_only: bool = False
) -> list[Decided]:
    """What `reply` did with each memory, in their order.

    Words of the question prove nothing, nor do those that most of the memories hold. Of an answer
    that `quotes_only`, or uses all of many, nothing can be told: what it holds is `quoted`, which
    counts for nothing; where it only quotes, the rest is not judged at all.

    >>> about = [Shown(memory="m1", text="The user lives in Lisbon.", value="Lisbon")]
    >>> judge(about, question="Where do I live?", reply="In Lisbon.")[0].outcome.value
    'used'
    """
    asked = frozenset(terms(question[:READ])) | _OURS
    answered = reply[:READ]
    said = _Said.of(answered, asked)
    plain = asked | _common(shown)
    shares = [
        1.0 if one.memory in answered else _share(one, said, asked=asked, plain=plain)
        for one in shown
    ]
    everything = len(shown) >= MANY and all(share >= USED for share in shares)
    taken = Outcome.QUOTED if quotes_only or everything else Outcome.USED
    return [
        Decided(
            memory=one.memory,
            outcome=taken if share >= USED else Outcome.IGNORED,
            overlap=share,
        )
        for one, share in zip(shown, shares, strict=True)
        if share >= USED or not quotes_only
    ]


@lru_cache(maxsize=1_024)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _common(shown: Sequence[Shown]) -> frozenset[str]:
    """Words that more than half of several short memories hold: they tell none from the others."""
    short = [one for one in shown if len(one.text) <= SHORT]
    if len(short) < SEVERAL:
        return frozenset()
    held = Counter(word for one in short for word in _terms(one.text))
    return frozenset(word for word, count in held.items() if 2 * count > len(short))


def _share(one: Shown, said: _Said, *, asked: frozenset[str], plain: frozenset[str]) -> float:
    """How much of its most telling sentence one sentence of the answer holds, 0..1."""
    value = _terms(one.value[:SHORT]) - asked
    if any(len(word) > 1 for word in value) and any(value <= each for each in said.sentences):
        return 1.0
    if len(one.text) <= SHORT and said.words.isdisjoint(_terms(one.text)):
        return 0.0
    parts = [part for part in _SENTENCE_END.split(one.text[:READ]) if part.strip()]
    fewest = FEWEST if len(parts) > 1 else 1
    telling = (_terms(part) - plain for part in parts if _may_hold(part, said, fewest))
    return max((_held(words, said, fewest) for words in telling), default=0.0)


def _may_hold(part: str, said: _Said, fewest: int) -> bool:
    """Whether a sentence may share so many words with the answer; most can be told by a look."""
    if len(part) <= HEAD or not part.isascii():
        return True
    return len(said.heads.intersection(_HEAD.findall(part.casefold()))) >= fewest


def _held(words: frozenset[str], said: _Said, fewest: int) -> float:
    most = max((len(words & each) for each in said.sentences), default=0)
    return most / len(words) if most >= fewest else 0.0


def denied(shown: Sequence[Shown], message: str) -> frozenset[str]:
    """Which of the memories that the last answer rested on a message calls wrong, by id.

    The ones it speaks of; where it names none of several, nobody knows which is meant.

    >>> about = [Shown(memory="m1", text="The user lives in Lisbon.")]
    >>> sorted(denied(about, "No, that's wrong.")), sorted(denied(about, "What's wrong with it?"))
    (['m1'], [])
    """
    if not shown or not _calls_wrong(message[:READ]):
        return frozenset()
    if len(shown) == 1:
        return frozenset({shown[0].memory})
    said = frozenset(terms(message[:READ])) - _OURS
    plain = _common(shown)
    hits = {one.memory: len(_terms(one.text[:READ]) & said - plain) for one in shown}
    most = max(hits.values())
    return frozenset(memory for memory, hit in hits.items() if most and hit == most)


def _calls_wrong(message: str) -> bool:
    return any(
        _WRONG.search(sentence)
        for sentence in _SENTENCE_END.split(message)
        if not sentence.rstrip().endswith("?")
    )


def factor(counts: Counts) -> float:
    """What a score is multiplied by, 0.9..1.1; exactly 1 while nothing is known.

    1 + 0.10 * (used - against) / (used + against + 4), where against = 0.25 * ignored
    + 2 * corrected: the mean of a Beta count that starts even, stretched to -1..1. To be passed
    over is no fault, as five are shown for one that is needed: four times weigh as one use. To be
    called wrong weighs as two. The 4 holds back few observations: one use is worth 2 %, ten 7 %.

    >>> factor(Counts()), round(factor(Counts(used=1)), 3), round(factor(Counts(corrected=1)), 3)
    (1.0, 1.02, 0.967)
    """
    good = max(0, counts.used)
    against = IGNORED * max(0, counts.ignored) + DENIED * max(0, counts.corrected)
    return 1 + BOUND * (good - against) / (good + against + SHRINK)


def allowed(trust: Trust) -> float:
    """The confidence that no use lifts a memory beyond: that of one more source as trusted."""
    return confidence(trust, support=1 + WEIGHT[trust])


def credit(used: int) -> float:
    """What so many uses add to a confidence, in independent statements: at most half of one."""
    return CREDIT * sum(used >= step for step in STEPS) / len(STEPS)


def fed_confidence(memory: Memory, counts: Counts, *, fed_used: int, fed_corrected: int) -> float:
    """The confidence of `memory` when it follows `counts`, after it has followed the others.

    The Beta count of `trust.confidence` goes on: each time the user called it wrong is one
    statement of theirs against it, and its uses add `credit`, weighed as its source, up to what
    its trust allows. Use alone lifts only an active fact of a trusted source; nothing but a
    contradiction by words lowers one, and none that is trusted more than the user is lowered.
    """
    if memory.form is not Form.FACT or memory.status is not Status.ACTIVE:
        return memory.confidence
    own = 0.0 if memory.trust in _UNTRUSTED else WEIGHT[memory.trust]
    weight = PRIOR + max(0, memory.support - 1) + credit(fed_used) * own + fed_corrected
    more = max(0.0, credit(counts.used) - credit(fed_used)) * own
    higher = (memory.confidence * weight + more) / (weight + more)
    raised = max(memory.confidence, min(higher, allowed(memory.trust)))
    if memory.trust is Trust.SYSTEM:
        return raised
    against = max(0, counts.of(memory.id).corrected - fed_corrected) * WEIGHT[Trust.USER]
    return raised * (weight + more) / (weight + more + against)
