"""Where the user lives, said in passing: "my flat in Osaka", "home is Tucson now"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    cleaned,
    first_date,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words

_PLACE = (
    r"(?-i:[A-ZÀ-Þ][\w'-]*(?:,? (?:(?:de|do|da|del|la|am|upon|on|of|the) )?[A-ZÀ-Þ][\w'-]*){0,3})"
)
_NEAR = r"(?:in|near|outside(?: of)?|close to|by|on)"
_NO_PLACE = words(
    """
    town there here bed work school general fact time trouble love progress touch person january
    february march april may june july august september october november december
    """
)
_FROM = re.compile(r"\s+from\s.*\Z", re.IGNORECASE)
_HOW = re.compile(
    r"(?:nice|quick|slow|well|final|real|full|proper|comfortab|perfect|happi|smooth)\w*ly|well"
)
_KIND = (
    r"(?:flat|apartment|house|home|place|studio|condo|cottage|cabin|farm|room|village|town|city)"
)


def is_place(value: str) -> bool:
    """Whether `value` can be a place somebody lives in.

    >>> is_place("Cork"), is_place("the moment"), is_place("nicely")
    (True, False, False)
    """
    parts = value.split()
    if not parts or len(parts) > 8 or parts[0].casefold() in _NO_PLACE:
        return False
    return any(part[:1].isupper() for part in parts) or (
        not _HOW.fullmatch(value)  # "settled in nicely"
        and len(parts) <= 2
        and parts[0].casefold() not in {"a", "an", "the", "my", "this", "that"}
    )


def _lives(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = _FROM.sub("", cleaned(match["value"], clause, past=True))
    if not is_place(value):
        return ()
    when = first_date(clause, past=True)
    return (
        Draft(
            facet="home",
            value=value,
            text=f"The user lives in {value}.",
            single_valued=True,
            when=when,
        ),
    )


def _both(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    places = [cleaned(match["value"], clause), cleaned(match["other"], clause)]
    return tuple(
        Draft(facet="home", value=place, text=f"The user lives in {place} part of the time.")
        for place in places
        if place
    )


def _born(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    origin, home = cleaned(match["value"], clause), cleaned(match["home"], clause)
    drafts: list[Draft] = []
    if is_place(origin):
        text = f"The user comes from {origin}."
        drafts.append(Draft(facet="origin", value=origin, text=text, single_valued=True))
    if is_place(home):
        text = f"The user lives in {home}."
        drafts.append(Draft(facet="home", value=home, text=text, single_valued=True))
    return drafts


_GROWN = r"(?:grew up|was raised|was brought up)"

BIRTH: tuple[Rule, ...] = (
    rule(
        "dwelling.born_lives",
        r"I was born (?:and raised |and bred )?in (?P<value>[^,.;]{2,40}?),? (?:but |and |now )*"
        r"(?:I )?(?:live|living|based|home is)(?: now)?(?: in)? (?P<home>.+)",
        _born,
    ),
    rule(
        "dwelling.born",
        r"I was born (?:and raised |and bred |in \d{4} )*in (?P<value>[^\W\d].+)",
        stated("origin", "The user comes from {value}.", single=True, accept=is_place),
    ),
)

RULES: tuple[Rule, ...] = (
    rule(
        "dwelling.grew_up",
        rf"I {_GROWN} on (?P<value>an? .+)",
        stated("grew_up", "The user grew up on {value}.", single=True),
    ),
    rule(
        "dwelling.lives",
        rf"(?:I|we) {ADVERBS}live (?:together |alone |out |up |down |over |here |right |way "
        rf"|back )*"
        rf"(?:with (?:my|our) .+? )?(?:in the (?:countryside|country|mountains|suburbs"
        rf"|middle of nowhere),? )?"
        rf"{_NEAR} (?P<value>.+)",
        _lives,
    ),
    rule(
        "dwelling.been",
        rf"(?:{I_HAVE})been (?:living |based )?(?:here )?in (?P<value>.+?)"
        r" (?:ever since|since|for (?:about |over |almost |nearly )?(?:\d|an?|two|three|four"
        r"|five|six"
        r"|seven|eight|ten|many)).*",
        _lives,
    ),
    rule(
        "dwelling.since",
        r"(?:I|we) (?:live|am living|are living) (?:since|for|from) [\w ]{2,24}? in (?P<value>.+)",
        _lives,
    ),
    rule(
        "dwelling.staying",
        rf"(?:{I_AM}|we're |we are |I |we )(?:been )?(?:staying|stay|settled|living|residing)"
        r" (?:in|at) (?P<value>.+?) (?:since|from (?:last|past|the)"
        r"|for (?:the )?(?:last|past|\d|an?|two|three))\b.*",
        _lives,
    ),
    rule(
        "dwelling.rents",
        rf"(?:{I_AM}|we're |we are )(?:renting|subletting|living)(?: with (?:my|our|some|two)"
        rf" [\w ]{{2,25}}?)?(?: (?:an?|the|my)"
        rf"(?: \w+){{0,2}} {_KIND})? in (?P<value>.+)",
        _lives,
    ),
    rule(
        "dwelling.moved_in",
        rf"(?:I|we|I've|we've|I have|we have) {ADVERBS}(?:moved|settled)(?: back| here| over"
        rf"| down)*"
        rf"(?: in)?(?: with (?:my|our) \w+)?(?: here)? (?:to|in) (?P<value>.+)",
        _lives,
    ),
    rule(
        "dwelling.split",
        r"(?:I|we) (?:split|divide) (?:my|our) time between (?P<value>[^,]+?) and (?P<other>.+)",
        _both,
    ),
    rule(
        "dwelling.my_place",
        rf"(?:my|our) (?:\w+ ){{0,2}}?{_KIND}(?: here)? (?:is |'s )?(?:[\w ,]{{0,40}} )?in "
        rf"(?P<value>(?:the )?{_PLACE}(?: part of {_PLACE})?)",
        _lives,
    ),
    rule(
        "dwelling.actually",
        rf"(?:it's been|it has been|now it's|these days it's) (?P<value>{_PLACE})(?: (?:since|for)"
        r" .*|\Z)",
        lambda match, clause: _lives(match, clause) if clause.lead else (),
    ),
    rule(
        "dwelling.home_is",
        r"(?:my )?home(?:'s| is| base is)(?: now| currently)? (?P<value>[^\W\d_].*)",
        lambda match, clause: _lives(match, clause) if match["value"][0].isupper() else (),
    ),
    rule(
        "dwelling.where",
        rf"(?P<value>{_PLACE}(?: in {_PLACE})?),? (?:and )?(?:that's|that is|is) where (?:I"
        rf"|we) {ADVERBS}live\b.*",
        _lives,
    ),
)
