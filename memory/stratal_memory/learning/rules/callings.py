"""What the user does for a living in the words of chat: "cto of X", "on the ward"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.dates import Precision
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    bare,
    cleaned,
    first_date,
    named,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import NO_EMPLOYER, ROLE_HEADS

_TITLES = "|".join(sorted(ROLE_HEADS))
_ROLE = (
    rf"(?P<role>(?:(?!(?:to|not|in|on|at|about|going|being|so|too|the|my|your|their|his|her"
    rf"|our)\b)[\w/+&-]+ ){{0,3}}?(?:{_TITLES}|dev|swe"
    rf"|sre|qa|ta|rn"
    r"|hca|pm|sde|dba|lead|head|vp|partner|dinner lady|stay[- ]at[- ]home (?:mum|mom|dad|parent)"
    r"|paramedic|delivery (?:driver|guy)|bus driver|teaching assistant|software engineer"
    r"|freelancer|barista"
    r"|housewife|homemaker|landlord|farmhand|apprentice))s?\b"
)
_HEADS = re.compile(
    r"\b(?:c[a-z]o|head|vp|founder|director|lead|chief|president|owner|partner)\Z", re.I
)
_PLACES = (
    r"(?:ward|hospital|school|nursery|clinic|surgery|pharmacy|store|shop|supermarket|warehouse|factory|mill|mine"
    r"|farm|restaurant|cafe|café|bar|pub|kitchen|bakery|hotel|salon|garage|office|bank|library|museum|lab"
    r"|startup|start-up|agency|firm|company|ngo|charity|council|university|college|airport"
    r"|station|call cent(?:re|er)"
    r"|care home|gym|theatres?|er|a&e|icu|post office|law firm|non-?profit|corporation|studio"
    r"|depot|prison"
    r"|nhs|navy|army|air force|police|government|church)"
)
_NO_PLACE = re.compile(
    r"(?:it|that|this|them|me|you|home|my|something|the moment|a while|fun)\b", re.I
)


def _role(value: str) -> Draft:
    article = "" if value.isupper() else "an " if value[:1].casefold() in "aeiou" else "a "
    return Draft(
        facet="work.role",
        value=value,
        text=f"The user works as {article}{value}.",
        single_valued=True,
    )


def _employer(raw: str, clause: Clause) -> str:
    value = re.split(
        r" (?:as|doing|where|which|who|called|in (?!the\b)|on|and|but|from) ",
        cleaned(raw, clause, past=True),
    )[0]
    first = value.casefold().split()[:1]
    if not first or first[0] in NO_EMPLOYER or _NO_PLACE.match(value) or len(value.split()) > 6:
        return ""
    return value


def _works_at(value: str) -> Draft:
    return Draft(
        facet="work.employer", value=value, text=f"The user works at {value}.", single_valued=True
    )


_CALLED = re.compile(r"\b(?:called|named) (?P<name>[\w&'-]+)", re.IGNORECASE)


def _titled(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A role, and the employer behind it."""
    role = bare(match["role"])
    if re.search(r"\bstudent\Z", role, re.IGNORECASE):
        return ()
    drafts = [_role(role)]
    place = match.groupdict().get("place")
    called = _CALLED.search(place or "")
    employer = called["name"] if called else _employer(place or "", clause)
    of = match.groupdict().get("how") == "of" and not _HEADS.search(match["role"])
    if (
        employer
        and not of
        and not re.match(
            rf"(?:an? |the )?(?:{_TITLES}|team|same|past|last|next|training)\b", employer
        )
    ):
        drafts.append(_works_at(employer))
    return drafts


def _gone(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """What the user was or where they were, and are no more."""
    groups = match.groupdict()
    if groups.get("role"):
        value = bare(groups["role"])
        text = f"The user used to work as {value}."
        return (
            Draft(facet="work.role", value=value, text=text, single_valued=True, retracts=True),
        )
    value = _employer(groups["place"] or "", clause)
    if not value:
        return ()
    text = f"The user used to work at {value}."
    return (
        Draft(facet="work.employer", value=value, text=text, single_valued=True, retracts=True),
    )


def _place(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = _employer(match["place"], clause)
    return (_works_at(bare(value)),) if value else ()


def _status(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    text = f"The user is {value}."
    return (Draft(facet="work.status", value=value, text=text, single_valued=True),)


def _quit(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = _employer(match["place"], clause)
    when = first_date(clause, past=True)
    if not value or not named(value):
        return ()
    if when and when.precision is Precision.DAY and match["how"].casefold() == "left":
        return ()  # of a journey, or of the end of a day
    date = f" {when.phrase()}" if when else ""
    text = f"The user left {value}{date}."
    return (
        Draft(
            facet="work.employer",
            value=value,
            text=text,
            single_valued=True,
            when=when,
            retracts=True,
        ),
    )


RULES: tuple[Rule, ...] = (
    rule(
        "callings.used_to",
        rf"(?:I|we) (?:used to (?:be|work as)|was|were) (?:an? |the )?{_ROLE}(?! (?:at heart"
        rf"|back then)\b)"
        r"(?=.*\b(?:till|until|before|for \w+ years|all my (?:days|life)|once|years ago|back in"
        r"|in a past life"
        r"|my whole)\b|\Z).*",
        lambda match, clause: (
            _gone(match, clause)
            if re.search(
                r"used to|till|until|all my|before|for \w+ years|once|ago|whole", clause.text
            )
            else ()
        ),
    ),
    rule(
        "callings.used_to_at",
        r"(?:I|we) (?:used to (?:work|be)|worked|was working|had worked) (?:at|for|in|with)"
        r" (?P<place>(?-i:[^\W\d]).+)",
        lambda match, clause: (
            _gone(match, clause)
            if re.search(
                r"used to work|\b(?:till|until|before|for \w+ years|back in)\b", clause.text
            )
            else ()
        ),
    ),
    rule(
        "callings.spent",
        rf"I {ADVERBS}spent (?:[\w-]+ ){{1,3}}(?:years|months) (?:working )?(?:at|with|for)"
        rf" (?P<place>.+)",
        _gone,
    ),
    rule(
        "callings.titled",
        rf"(?:{I_AM}(?:an? |the |one of the |now an? |now the |currently an? )?"
        rf"|I {ADVERBS}(?:work|freelance) as"
        rf" (?:an? |the )?|{I_AM}(?:working|employed|freelancing|training|hired) (?:as|like)"
        rf" (?:an? |the )?|{I_HAVE}"
        rf"been (?:working as )?(?:an? |the )?){_ROLE}(?:,? (?:here )?(?P<how>at|for|with|of|in"
        rf"|on) (?P<place>.+)"
        r"|(?: (?:by trade|here|now|since|from|for|and|but|these|who|too)\b.*|,.*|\Z))",
        _titled,
    ),
    rule(
        "callings.on_the",
        rf"(?:{I_AM}|I {ADVERBS}work |I was |I am )(?:just )?(?:working |coming "
        rf"|back )?(?:off )?(?:[\w-]+ ){{0,4}}?"
        rf"(?:shift |nights? |days )?(?:on|in|at|for) (?P<place>(?:the|an?)"
        rf" (?:[\w-]+ ){{0,3}}?{_PLACES})(?=\W|\Z)"
        r".*",
        lambda match, clause: (
            _place(match, clause)
            if re.search(
                r"\b(?:work|shift|nights?)\b", match.group()[: match.start("place") - match.start()]
            )
            else ()
        ),
    ),
    rule(
        "callings.home",
        rf"(?:{I_AM}|I was )(?:an? )?(?P<value>stay[- ]at[- ]home (?:mum|mom|dad|parent)"
        rf"|housewife|homemaker"
        r"|self[- ]employed|freelance|semi[- ]retired|retired|on (?:disability|furlough|benefits"
        r"|mat(?:ernity)?"
        r" leave|pat(?:ernity)? leave|sick leave|parental leave)|between jobs|job\s?hunting"
        r"|unemployed"
        r"|looking for (?:a |an )?(?:new )?(?:[\w-]+ )?(?:jobs?|work|role))\b.*",
        _status,
    ),
    rule(
        "callings.quit",
        rf"I {ADVERBS}(?P<how>quit|left|resigned from|got fired from|got laid off from)"
        rf" (?P<place>(?!my|the|a\b|it)\w.+)",
        _quit,
    ),
)
