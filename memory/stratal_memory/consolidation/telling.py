"""An episode told without a model: the user's most telling sentences, how it ended, what it taught.

English phrases tell how it ended and what was learned; in other languages the sentences stand
alone.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from stratal_memory.text import sentences_of
from stratal_memory.truth.memories import QUESTIONS, SAID

SENTENCES = 6  # of a segment's most telling ones; an episode snippet is short (O-caps, Os7)
LONGEST = 160  # characters of one of them
TITLE = 60  # characters
LESSONS = 2
FACT_BONUS = 4.0  # what a sentence a fact was learned from counts beside the rarity of its words
_MARKS = (".", "!", "?", "。", "！", "？", "…")
_LESSON = re.compile(
    r"\b(?:next time|from now on|lesson|the trick (?:is|was)|it turned out|turns out"
    r"|the (?:problem|cause|culprit|reason|fix|solution) (?:is|was)|note to self"
    r"|i (?:should|shouldn't) have|what (?:helped|worked|fixed it)|never again)\b",
    re.IGNORECASE,
)
# A whole sentence must say it: "the weather was perfect" tells nothing of how it ended.
_LEAD = (
    r"(?:(?:great|thanks|thank you|ok(?:ay)?|yes|yay|super|cool|nice|perfect|wow|ah|oh|and|so|now)"
    r"[\s,!]*)*"
)
_SOLVED = re.compile(
    _LEAD + r"(?:(?:it|that|this|everything)(?:'s)? (?:all )?(?:works?|worked|helped|fixed|solved"
    r"|did it|fixed it|did the trick)(?: now| perfectly| fine| great| like a charm)?"
    r"|works? now|all good(?: now)?|problem (?:gone|solved)|(?:solved|fixed)(?: it)?|perfect"
    r"|exactly what i (?:needed|wanted))[\s,!.]*(?:thanks|thank you)?[\s!.]*",
    re.IGNORECASE,
)
_UNSOLVED = re.compile(
    r"\b(?:still (?:doesn't|does not|not|won't|fails|broken|the same)"
    r"|(?:did|does|do)n't (?:help|work)|not (?:fixed|solved|working)|no luck|gave up|give up"
    r"|same error|not what i)\b",
    re.IGNORECASE,
)
_SETTLED = {"solved": "Outcome: it worked.", "open": "Outcome: it did not work."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An episode in words; `how` says who told it."""

    title: str
    text: str
    how: str = "rules"


def tell(
    texts: Sequence[str],
    *,
    rarity: Callable[[Sequence[str]], Sequence[float]],
    facts: Collection[str] = (),
) -> Told | None:
    """What the user said in `texts`, message by message; None when that was nothing.

    `rarity` weighs sentences by their words; a sentence that holds one of `facts`, the words that
    facts were learned from, counts more: those are the key facts.
    """
    sentences = list(dict.fromkeys(_sentences(texts)))
    if not sentences:
        return None
    quoted = [quote.casefold() for quote in facts if quote.strip()]
    weights = [
        weight + FACT_BONUS * any(quote in sentence.casefold() for quote in quoted)
        for sentence, weight in zip(sentences, rarity(sentences), strict=True)
    ]
    best = sorted(range(len(sentences)), key=lambda place: (-weights[place], place))
    chosen = [sentences[place] for place in sorted(best[:SENTENCES])]
    lessons = [one for one in sentences if _LESSON.search(one)][-LESSONS:]
    return Told(title=_title(sentences[best[0]]), text=_text(chosen, lessons, outcome(texts)))


def outcome(texts: Sequence[str]) -> str:
    """`solved`, `open`, or empty: how the user's last words say that it ended.

    >>> outcome(["How do I reset it?", "Thanks, that worked!"])
    'solved'
    """
    last = [one for one in sentences_of(texts[-1]) if not one.endswith("?")] if texts else []
    if any(_UNSOLVED.search(one) for one in last):
        return "open"
    return "solved" if any(_SOLVED.fullmatch(one) for one in last) else ""


def _sentences(texts: Sequence[str]) -> list[str]:
    return [_ended(one[:LONGEST]) for text in texts for one in sentences_of(text)]


def _ended(sentence: str) -> str:
    """The sentence with a mark at its end, so that the next one does not run into it."""
    return sentence if sentence.endswith(_MARKS) else f"{sentence.rstrip(',;:')}."


def _text(chosen: Sequence[str], lessons: Sequence[str], how: str) -> str:
    """Statements, the outcome and lessons before the questions: those are not embedded."""
    asked = [sentence for sentence in chosen if sentence.endswith(("?", "？"))]
    told = [sentence for sentence in chosen if sentence not in asked and sentence not in lessons]
    parts = [
        f"{SAID} {' '.join(told)}" if told else "",
        f"Lesson: {' '.join(lessons)}" if lessons else "",
        _SETTLED.get(how, ""),
    ]
    text = " ".join(part for part in parts if part)
    return f"{text}{QUESTIONS}{' '.join(asked)}".strip() if asked else text


def _title(sentence: str) -> str:
    """The most telling sentence, cut between words.

    >>> _title("I saw a heron at the lake.")
    'I saw a heron at the lake'
    """
    bare = sentence.rstrip(".!?。！？ ")
    if len(bare) <= TITLE:
        return bare
    return f"{bare[:TITLE].rsplit(' ', 1)[0]} …"
