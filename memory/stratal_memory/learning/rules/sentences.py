"""A message cut into the clauses a rule may read, without quotations and pasted material."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from stratal_memory.learning.dates import When, resolve
from stratal_memory.learning.rules.ellipsis import completed
from stratal_memory.learning.rules.leads import Lead, past_date, past_lead
from stratal_memory.learning.rules.masking import MASK, masked
from stratal_memory.learning.rules.plain import Plain, plainly
from stratal_memory.learning.rules.pronouns import Spoken
from stratal_memory.learning.rules.spelling import mended
from stratal_memory.learning.rules.splitting import parts
from stratal_memory.learning.rules.unreal import (
    IDIOM,
    IGNORE,
    IN_PLAY,
    PLAYED,
    QUESTION,
    QUESTION_TAIL,
    REQUEST,
    UNREAL,
    foreign,
    joke,
)

MAX_CLAUSE = 400  # characters; nobody states a plain fact in more, and it bounds every pattern
_END = re.compile(r"[.!?]+(?=[\s)]|\Z)|[\n;]|" + MASK)
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|jr|sr|vs|prof|approx|no|e\.g|i\.e)|\b[A-Z])\Z", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A stretch of a message that may hold a statement, without its lead-in words.

    `text` is what the rules read: `message[start:end]` with its slips mended and a subject that
    was left out put in.
    """

    text: str
    start: int  # characters into the message
    end: int
    at: datetime
    lead: str = ""  # what was taken off the front: greetings, dates, "actually"
    correction: bool = False
    greeted: bool = False
    explicit: bool = False
    opens: bool = False  # it is the first of the message
    goes_on: bool = False  # the speaker goes on about themselves in the same sentence

    def dates(self, *, past: bool = False) -> list[When]:
        """The dates in the clause and in front of it; spans in front are negative."""
        shift = len(self.lead)
        return [
            replace(when, span=(when.span[0] - shift, when.span[1] - shift))
            for when in resolve(self.lead + self.text, self.at, past=past)
        ]


def clauses(text: str, at: datetime, *, offset: int = 0) -> Iterator[Clause]:
    """The clauses of `text` that may state something, in order; questions and unreal talk left out.

    `offset` is where `text` begins in the message. A message that wants instructions ignored
    has none.
    """
    written = plainly(masked(text))
    plain = written.text
    if IGNORE.search(plain) or IN_PLAY.search(plain) or foreign(text):
        return
    before, spoken = Lead(), Spoken()
    for sentence in _real_sentences(plain):
        stretches = list(parts(plain[slice(*sentence)]))
        for number, part in enumerate(stretches):
            place = (sentence[0] + part[0], sentence[0] + part[1])
            clause, lead = _led(written, place, at, offset)
            before = before | lead
            if clause is None:  # "Actually, no." alone: what comes next is the correction
                continue
            said = mended(clause.text)
            if number == 0:
                spoken = replace(spoken, introduced=False)
            said = completed(said, spoken, joined=number > 0)
            first = not spoken.clause
            spoken = spoken.after(said)
            if _asks(said) or IDIOM.match(said):
                continue
            yield replace(
                clause,
                text=said,
                correction=before.corrects,
                greeted=before.greets,
                opens=first,
                goes_on=number + 1 < len(stretches),
            )
            before = Lead()


def _real_sentences(plain: str) -> Iterator[tuple[int, int]]:
    """Where the sentences stand that speak of what is, up to where a part is played."""
    joking = joke(plain)
    for start, end, asked in _sentences(plain):
        sentence = plain[start:end]
        if start < joking[1] and end > joking[0]:
            if end <= joking[1]:
                continue
            start, sentence = joking[1], plain[joking[1] : end]
        played = PLAYED.search(sentence)
        if played is not None:
            yield start, start + played.start()
            return
        if asked and not REQUEST.match(sentence.lstrip()):
            sentence = _before_question(sentence)
        if not UNREAL.match(sentence):
            yield start, start + len(sentence)


def _sentences(plain: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for match in _END.finditer(plain):
        head = plain[max(start, match.start() - 8) : match.start()]
        if match.group() == "." and _ABBREVIATION.search(head):
            continue
        yield start, match.start(), "?" in match.group()
        start = match.end()
    yield start, len(plain), False


def _before_question(sentence: str) -> str:
    """The statement in front of a question: "I live in Lisbon, do you know a cafe"."""
    if QUESTION.match(sentence.lstrip()):
        return ""
    tail = QUESTION_TAIL.search(sentence)
    return sentence[: tail.start()] if tail else ""


def _led(
    written: Plain, place: tuple[int, int], at: datetime, offset: int
) -> tuple[Clause | None, Lead]:
    """The clause at `place` without blanks and lead-in words; None when nothing is left."""
    plain = written.text
    first, end = _trimmed(plain, *place)
    if end - first > MAX_CLAUSE or first >= end:
        return None, Lead()
    start, said = past_lead(plain, first, end)
    start, more = past_lead(plain, past_date(plain, start, end, at), end)
    said = said | more
    if start >= end or UNREAL.match(plain, start, end):
        return None, said
    begun, ended = written.source(start, end)
    return Clause(
        text=plain[start:end],
        start=offset + begun,
        end=offset + ended,
        at=at,
        lead=plain[first:start],
    ), said


def _asks(text: str) -> bool:
    return bool(QUESTION.match(text) and not REQUEST.match(text))


def _trimmed(plain: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not (plain[start].isalnum() or plain[start] in "\"'“("):
        start += 1
    while end > start and plain[end - 1] in " ,:-–—" + MASK:
        end -= 1
    return start, end
