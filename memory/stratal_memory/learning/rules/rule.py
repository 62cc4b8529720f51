"""What a rule is, and how the words it catches become a value."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from stratal_memory.learning.dates import When
from stratal_memory.learning.rules.masking import MASK
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What one rule made of one clause."""

    facet: str
    value: str
    text: str
    single_valued: bool = False
    when: When | None = None
    correction: bool = False
    retracts: bool = False
    instead_of: str = ""


Make = Callable[[re.Match[str], Clause], Sequence[Draft]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern that must match at the beginning of a clause, and what is made of the match."""

    name: str
    source: str  # of the pattern
    make: Make

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first asked for: not at every start."""
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


# Words between the subject and its verb that change nothing.
ADVERBS = (
    r"(?:(?:really|absolutely|also|just|do|still|always|currently|now|recently|actually|simply"
    r"|finally|totally|truly|personally|usually|generally|mostly|particularly|especially|quite"
    r"|definitely|since|already|only|even|rather|genuinely|so|super|very|pretty|basically|literally"
    r"|honestly|officially|proudly|happily|sadly|pretty much|never really|both|all|myself|like"
    r"|kinda"
    r"|obviously|too|low-?key|barely|normally|often|sometimes|occasionally|again|once|soon) )*"
)
I_AM = r"(?:I'm|I am|Im) " + ADVERBS
I_HAVE = r"(?:I have got|I have|I've got|I've|we have|we've got|we've|I got|we got) " + ADVERBS
NOT_NOW = r"(?:I|we) (?:no longer|don't|do not|never|stopped|quit|used to)"

_CUT = re.compile(
    r"[:;()!?]|,(?!\d{3}\b)|\s[-–—]+(?:\s|$)|[–—]|" + MASK + r"|\b(?:"
    r"(?:and|but|so|or) (?:I|I'm|I've|my|we|it|its|it's|the|she|he|they|that|you|then|now"
    r"|also|would)"
    r"|because|since|although|though|while|when|whenever|if|unless|until|which|who|whose|where"
    r"|as well|for (?:now|work|good|school|love)"
    r"|for (?:about |over |almost |nearly )?(?:\d+|a|an|two|three|four|five|many)"
    r"|with (?:my|our|the|his|her)|these days|at the moment|right now|due to|thanks to|but"
    r"|instead|than ever|in case|so that|after|before|so (?!far\b|much\b|many\b)(?=\w)"
    r"|it (?:is|was|has|kills|makes|gives|gets|tastes|hurts|feels|helps)|what (?=can|do|should|to)"
    r"|how (?=can|do|should|to)|any (?=ideas|tips|advice)|or (?=anything|whatever|something)"
    r"|as (?=I|we|it|my|they|he|she)|whereas|except|unlike|apart from)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:too|also|as well|now|currently|a lot|very much|so much|the most|most of all|anymore"
    r"|any more|again|please|thanks|thank you|you know|lately|recently|today|though|btw|fyi"
    r"|already|at all|for sure|here|there|only|by the way|all the time|every(?: second| other)?"
    r"|each"
    r"|sometimes|every day|anyway|actually"
    r"|originally|back|myself|and (?:stuff|such|all that|things|everything)|or (?:something"
    r"|whatever|anything)|for fun though|(?:on|in|with|about|of|for) (?:it|them|that|this))\Z",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\A(?:a|an|the|some|my|our)\s+", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\s*\b(?:on|in|since|at|from|by|until|around|about)(?: the)?\Z", re.IGNORECASE
)


def cleaned(raw: str, clause: Clause, *, past: bool = False) -> str:
    """`raw` up to where another thought begins, without dates, fillers and quotation marks."""
    value = raw
    for when in sorted(clause.dates(past=past), key=lambda when: when.span[0]):
        phrase = clause.text[slice(*when.span)] if when.span[0] >= 0 else ""
        place = value.find(phrase) if phrase else -1
        if place >= 0:
            value = _PREPOSITION.sub("", value[:place].rstrip())
            break
    cut = _CUT.search(value)
    value = (value[: cut.start()] if cut else value).strip(" .\"'“”*_")
    while (tail := _TAIL.search(value)) is not None:
        value = value[: tail.start()]
    return value.strip(" .\"'“”*_")


def bare(value: str) -> str:
    """`value` without a leading article or "my".

    >>> bare("the sea")
    'sea'
    """
    return _ARTICLE.sub("", value, count=1)


_SMALL = words(
    """
    de da do dos das del la le van von der den of the bin al el y i e and
    """
)


def named(value: str, *, words: int = 4) -> bool:
    """Whether `value` is written like a name: every word but the small ones with a capital."""
    parts = value.replace("-", " ").split()
    if not 0 < len(parts) <= words:
        return False
    large = [part for part in parts if part not in _SMALL]
    return bool(large) and all(part[0].isupper() or part[0].isdigit() for part in large)


def first_date(clause: Clause, *, past: bool = False) -> When | None:
    """The first date in or before the clause, or None."""
    return next(iter(clause.dates(past=past)), None)


def rule(name: str, pattern: str, make: Make) -> Rule:
    """A rule whose pattern ignores case and counts one blank as any run of blanks."""
    return Rule(name, spaced(pattern), make)


def spaced(pattern: str) -> str:
    """`pattern` with one blank counted as any run of blanks; "any ?more" needs none.

    >>> spaced("any ?more of it")
    'any ?more +of +it'
    """
    return re.sub(r" (?![?*+{])", " +", pattern)


def stated(
    facet: str,
    text: str,
    *,
    single: bool = False,
    retracts: bool = False,
    past: bool = False,
    accept: Callable[[str], bool] = lambda value: 0 < len(value) <= 80,
) -> Make:
    """A maker of one draft from the group `value`; `text` holds `{value}` and maybe `{date}`.

    A value that `accept` refuses makes nothing.
    """

    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        value = cleaned(match["value"], clause, past=past)
        if not value or not accept(value):
            return ()
        when = first_date(clause, past=past)
        date = f" {when.phrase()}" if when else ""
        return (
            Draft(
                facet=facet,
                value=value,
                text=text.format(value=value, date=date),
                single_valued=single,
                when=when,
                retracts=retracts,
            ),
        )

    return make
