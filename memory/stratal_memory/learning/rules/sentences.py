"""A message cut into the clauses a rule may read, without quotations and pasted material."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from stratal_memory.learning.dates import When, resolve

MAX_CLAUSE = 400  # characters; nobody states a plain fact in more, and it bounds every pattern
# Stands where masked text stood: no letter, so no value reaches over it.
MASK = "\N{OBJECT REPLACEMENT CHARACTER}"

_SAME_LENGTH = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\t": " ", "\xa0": " ", "\r": "\n"})
_QUOTED = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"^[ \t]{0,8}>[^\n]*", re.MULTILINE),
    re.compile(r"`[^`\n]*`"),
    # A quotation has at least three words; "Rex" in quotation marks is a name.
    re.compile(r'"[^"\s]++ ++[^"\s]++ ++[^"\n]*+"'),
    re.compile(r"“[^“”\s]++ ++[^“”\s]++ ++[^“”\n]*+”"),
    re.compile(r"«[^«»\n]*»"),
    re.compile(r"(?<!\w)'[^'\s]++ [^'\s]++ [^'\n]*+'(?!\w)"),
)
# What follows is material to work on, not a statement of the user's.
_MATERIAL = re.compile(
    r"\b(?:translate|proofread|rewrite|rephrase|paraphrase|summari[sz]e|correct|fix|improve|edit"
    r"|review|polish|shorten|letter|essay|e-?mail|story|poem|draft|article|lyrics|transcript|log"
    r"|dialogue|text|paragraph|sentence|message|example|quote)\b[^\n.!?:]{0,80}:",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?]+(?=[\s)]|\Z)|[\n;]|" + MASK)
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|jr|sr|vs|prof|approx|no|e\.g|i\.e)|\b[A-Z])\Z", re.I
)
_SUBJECT = r"(?:I|I'm|I've|I'll|my|our|we|we're|we've|we'll)"
_CLAUSE = re.compile(
    rf"(?:[,)]|(?<!remember)(?<!note)(?<!mind)(?<!this):|\s[-–—])\s*(?:(?:and|but|so|because|also|then|yet|or|plus)\s+)?(?={_SUBJECT}\b)"
    rf"|\s(?:and|but|so|because|since|plus|or)\s+(?:also\s+)?(?={_SUBJECT}\b)"
    r"|,?\s(?:and|but)\s+(?=(?:don't forget|(?:please )?(?:remember|note|call me))\b)",
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
    r"|translate|write|rewrite|proofread|repeat|complete|pretending|once upon)\b",
    re.I,
)
_LEAD = re.compile(
    r"(?P<correct>(?:no|nope|actually|wait|sorry|correction|i meant|scratch that"
    r"|i misspoke|i was wrong|that's (?:wrong|not right|incorrect)|not quite)\b[,.:! -]*)"
    r"|(?P<greet>(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon))"
    r"(?: (?:there|again|everyone|all|stratal))?\b[,.! ]*)"
    r"|(?:well|so|oh|yes|yeah|yep|sure|also|and|but|btw|by the way|fyi|in fact|just so you know"
    r"|for the record|to be clear|okay|ok|honestly|currently|now|these days|nowadays|anyway"
    r"|thanks|thank you|great|cool|plus|because|since|as you know|personally|by now|unfortunately"
    r"|luckily|finally|good news|as of today|great news|big news|guess what|update)\b[,.:! -]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A stretch of a message that may hold a statement, without its lead-in words.

    `text` has as many characters as the message between `start` and `end`.
    """

    text: str
    start: int  # characters into the message
    end: int
    at: datetime
    lead: str = ""  # what was taken off the front: greetings, dates, "actually"
    correction: bool = False
    greeted: bool = False
    explicit: bool = False

    def dates(self, *, past: bool = False) -> list[When]:
        """The dates in the clause and in front of it; spans in front are negative."""
        shift = len(self.lead)
        return [
            replace(when, span=(when.span[0] - shift, when.span[1] - shift))
            for when in resolve(self.lead + self.text, self.at, past=past)
        ]


def clauses(text: str, at: datetime, *, offset: int = 0) -> Iterator[Clause]:
    """The clauses of `text` that may state something, in order; questions and unreal talk left out.

    `offset` is where `text` begins in the message.
    """
    plain = masked(text)
    before = _Lead()
    for start, end, asked in _sentences(plain):
        sentence = plain[start:end]
        if asked and not _REQUEST.match(sentence.lstrip()):
            sentence = _before_question(sentence)
        if _UNREAL.match(sentence):
            continue
        for part in _parts(sentence):
            clause, lead = _led(plain, (start + part[0], start + part[1]), at, offset)
            if clause is None:  # "Actually, no." alone: what comes next is the correction
                before = before | lead
                continue
            said = before | lead
            yield replace(clause, correction=said.corrects, greeted=said.greets)
            before = _Lead()


@dataclass(frozen=True, slots=True)
class _Lead:
    """What the words in front of a statement say about it."""

    corrects: bool = False
    greets: bool = False

    def __or__(self, other: "_Lead") -> "_Lead":
        return _Lead(self.corrects or other.corrects, self.greets or other.greets)


def masked(text: str) -> str:
    """`text` at its length, with quotations, code and pasted material made unreadable."""
    plain = text.translate(_SAME_LENGTH)
    for pattern in _QUOTED:
        plain = pattern.sub(lambda match: MASK * len(match.group()), plain)
    material = _MATERIAL.search(plain)
    if material is None:
        return plain
    return plain[: material.start()] + MASK * (len(plain) - material.start())


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
) -> tuple[Clause | None, _Lead]:
    """The clause at `place` without blanks and lead-in words; None when nothing is left."""
    first, end = _trimmed(plain, *place)
    if end - first > MAX_CLAUSE or first >= end:
        return None, _Lead()
    start, said = _past_lead(plain, first, end)
    start, more = _past_lead(plain, _past_date(plain, start, end, at), end)
    said = said | more
    asks = _QUESTION.match(plain, start, end) and not _REQUEST.match(plain, start, end)
    if start >= end or asks or _UNREAL.match(plain, start, end):
        return None, said
    return Clause(
        text=plain[start:end],
        start=offset + start,
        end=offset + end,
        at=at,
        lead=plain[first:start],
    ), said


def _past_lead(plain: str, start: int, end: int) -> tuple[int, _Lead]:
    said = _Lead()
    while (lead := _LEAD.match(plain, start, end)) is not None:
        said = said | _Lead(bool(lead["correct"]), bool(lead["greet"]))
        start = lead.end()
    return start, said


def _trimmed(plain: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not (plain[start].isalnum() or plain[start] in "\"'“("):
        start += 1
    while end > start and plain[end - 1] in " ,:-–—" + MASK:
        end -= 1
    return start, end


_DATE_LEAD = re.compile(r"(?:on|in|since|about|around|back in|from)?\s*\Z", re.I)


def _past_date(plain: str, start: int, end: int, at: datetime) -> int:
    """Where the clause begins behind a date in front: "Last week" I moved."""
    for when in resolve(plain[start:end], at)[:1]:
        if _DATE_LEAD.match(plain[start : start + when.span[0]]):
            behind = start + when.span[1]
            rest = re.compile(rf"[, ]+(?={_SUBJECT}\b)", re.I).match(plain, behind, end)
            return rest.end() if rest else start
    return start
