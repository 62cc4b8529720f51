"""A message cut into the clauses a rule may read, without quotations and pasted material."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from stratal_memory.learning.dates import When, resolve
from stratal_memory.learning.rules.ellipsis import GOES_ON, Spoken, completed
from stratal_memory.learning.rules.leads import SUBJECT, Lead, past_date, past_lead
from stratal_memory.learning.rules.masking import MASK, masked
from stratal_memory.learning.rules.spelling import mended

MAX_CLAUSE = 400  # characters; nobody states a plain fact in more, and it bounds every pattern
_END = re.compile(r"[.!?]+(?=[\s)]|\Z)|[\n;]|" + MASK)
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|jr|sr|vs|prof|approx|no|e\.g|i\.e)|\b[A-Z])\Z", re.I
)
_CLAUSE = re.compile(
    rf"(?:[,)]|(?<!remember)(?<!note)(?<!mind)(?<!this):|\s[-–—])\s*(?:(?:and|but|so|because"
    rf"|also|then|yet|or|plus|anyway|besides|now|well|honestly|though)\s+)*(?={SUBJECT}\b)"
    rf"|\s(?:and|but|so|because|since|plus|or)\s+(?:also\s+)?(?={SUBJECT}\b)"
    r"|,?\s(?:and|but)\s+(?=(?:don't forget|(?:please )?(?:remember|note|call me))\b)"
    r"|,?\s(?:and|but)\s+(?=(?:everyone|everybody|people|friends|most people) calls? me\b)"
    r"|,?\s(?:and|but)\s+(?=home is\b)"
    r"|(?:,|\s[-–—]|,?\s(?:and|but|so|because))\s*(?=(?:she|he|they)(?:'s|'re)?\s)"
    rf"|,\s*(?:and\s+)?(?={GOES_ON})|\sand\s+(?={GOES_ON})",
    re.IGNORECASE,
)
_IGNORE = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |my )*(?:previous|prior|above"
    r"|earlier|system|other)\b",
    re.IGNORECASE,
)
_ASKS = (
    r"(?:do|does|did|can|could|what|what's|where|how|is|are|am|was|were|which|who|when|why|would"
    r"|will|should|have|has|any|shall|may|isn't|aren't|don't you)"
)
_QUESTION_TAIL = re.compile(
    rf"(?:[,:]|\s[-–—]|\s(?:and|but|so))\s*(?:(?:and|but|so)\s+)?{_ASKS}\b", re.I
)
_QUESTION = re.compile(rf"(?:(?:so|and|but|well|hey|hi|ok|okay)[, ]+)*{_ASKS}\b\s+\w", re.I)
_REQUEST = re.compile(r"(?:can|could|would|will) you (?:please )?(?=remember|note)", re.I)
_UNREAL = re.compile(
    r"\W*(?:(?:and|but|so|well|ok|okay)[, ]+)?(?:if|what if|suppose|supposing|imagine|pretend"
    r"|let's (?:say|pretend|assume|imagine)|assume|assuming|unless|say|in case|for example|e\.g"
    r"|hypothetically|in (?:a|my|the) (?:dream|story|novel|game|book)|role-?play|act as|you are"
    r"|translate|write|rewrite|proofread|repeat|complete|pretending|once upon|paraphrase|rate"
    r"|fix|review|had I)\b",
    re.I,
)
# From here on somebody else speaks, or a part is played: nothing more is read.
_PLAYED = re.compile(
    r"\b(?:let's|lets) (?:role-?play|play|pretend)\b|\brole-?play|\A\W*you(?:'re| are"
    r"| play) (?!call)"
    r"|\bpretend (?:you|to be|that)|\bact (?:as|like)\b|\b(?:answer|talk|speak|write|explain it)"
    r"(?: to me)? (?:as|like) (?:if )?I'm|\bfor the next (?:messages?|minutes)"
    r"|\bin my (?:novel|story)"
    r"|\b(?:he|she|they|song|lyrics?|movie|film|mail|email|letter|post|article|bio|profile)"
    r" (?:goes|reads|says|said|wrote|writes)\b|\bas \w+ (?:wrote|said|put it)\b",
    re.IGNORECASE,
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
    plain = masked(text)
    if _IGNORE.search(plain):
        return
    before, spoken = Lead(), Spoken()
    for sentence in _real_sentences(plain):
        for number, part in enumerate(_parts(plain[slice(*sentence)])):
            place = (sentence[0] + part[0], sentence[0] + part[1])
            clause, lead = _led(plain, place, at, offset)
            before = before | lead
            if clause is None:  # "Actually, no." alone: what comes next is the correction
                continue
            said = mended(clause.text)
            said = completed(said, spoken, joined=number > 0)
            first = not spoken.clause
            spoken = spoken.after(said)
            if _asks(said):
                continue
            yield replace(
                clause,
                text=said,
                correction=before.corrects,
                greeted=before.greets,
                opens=first,
            )
            before = Lead()


def _real_sentences(plain: str) -> Iterator[tuple[int, int]]:
    """Where the sentences stand that speak of what is, up to where a part is played."""
    for start, end, asked in _sentences(plain):
        sentence = plain[start:end]
        played = _PLAYED.search(sentence)
        if played is not None:
            yield start, start + played.start()
            return
        if asked and not _REQUEST.match(sentence.lstrip()):
            sentence = _before_question(sentence)
        if not _UNREAL.match(sentence):
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
    if _QUESTION.match(sentence.lstrip()):
        return ""
    tail = _QUESTION_TAIL.search(sentence)
    return sentence[: tail.start()] if tail else ""


def _parts(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _CLAUSE.finditer(sentence):
        # "My sister Ana, my ..." splits too; a part without a rule is simply not read.
        yield start, match.start()
        start = match.end()
    yield start, len(sentence)


def _led(
    plain: str, place: tuple[int, int], at: datetime, offset: int
) -> tuple[Clause | None, Lead]:
    """The clause at `place` without blanks and lead-in words; None when nothing is left."""
    first, end = _trimmed(plain, *place)
    if end - first > MAX_CLAUSE or first >= end:
        return None, Lead()
    start, said = past_lead(plain, first, end)
    start, more = past_lead(plain, past_date(plain, start, end, at), end)
    said = said | more
    if start >= end or _UNREAL.match(plain, start, end):
        return None, said
    return Clause(
        text=plain[start:end],
        start=offset + start,
        end=offset + end,
        at=at,
        lead=plain[first:start],
    ), said


def _asks(text: str) -> bool:
    return bool(_QUESTION.match(text) and not _REQUEST.match(text))


def _trimmed(plain: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not (plain[start].isalnum() or plain[start] in "\"'“("):
        start += 1
    while end > start and plain[end - 1] in " ,:-–—" + MASK:
        end -= 1
    return start, end
