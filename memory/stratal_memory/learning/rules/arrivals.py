"""Where the user lives and comes from in the words of chat and of other Englishes."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.dwelling import is_place
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    cleaned,
    first_date,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import NATIONALITIES, ROLE_HEADS
from stratal_memory.learning.wordlist import words

_NO_PLACE = words(
    """
    town there here bed work school home general fact time trouble love progress touch person work
    scratch hell pain england's abroad class college university uni hospital debt charge
    bc shambles mood total theory practice half three two one different same other what where
    sleep nothing someone something somewhere anywhere my your his her their our the a an this
    that it me you him them now then today experience far
    """
)
_END = re.compile(
    r" (?:for|because|since|with|from|to|and|but|until|till|as|so|when|where|which|who|by|on|near"
    r"|at|in order"
    r"|again|now|only|right|after|before|due|these)\b.*\Z",
    re.IGNORECASE,
)
_INSIDE = (
    r"(?:in|at|near|outside(?: of)?|just outside|around|round|up near|down near|out near"
    r"|out by"
    r"|close to"
    r"|next to"
    r"|by)"
)
_KIND = (
    r"(?:flat|apartment|house|home|place|studio|condo|cottage|cabin|farm|room|village|town|city|bungalow|duplex"
    r"|townhouse|suburb|suburbs|hostel|dorm|pg|barn|houseboat|terrace|semi|bedsit|flatshare|houseshare)"
)


def place_of(raw: str, clause: Clause) -> str:
    """The place `raw` begins with; empty when it begins with none."""
    value = _END.sub("", cleaned(raw, clause, past=True)).strip(" ,")
    parts = value.split()
    if not parts or len(parts) > 4 or parts[0].casefold() in _NO_PLACE or not is_place(value):
        return ""
    return value if not any(part.isdigit() for part in parts) else ""


def _home(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = place_of(match["value"], clause)
    if not value:
        return ()
    when = first_date(clause, past=True)
    if when is not None and clause.at.date() < when.day:
        return ()
    text = f"The user lives in {value}."
    return (Draft(facet="home", value=value, text=text, single_valued=True, when=when),)


def _origin(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = place_of(match["value"], clause)
    if not value or value.casefold() in NATIONALITIES:
        return ()
    text = f"The user comes from {value}."
    return (Draft(facet="origin", value=value, text=text, single_valued=True),)


_LIVES = re.compile(
    r"\b(?:in|near) (?!erasmus|exchange|the\b|my\b|an?\b)(?P<place>\w.*)", re.IGNORECASE
)


def _nation(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].capitalize()
    if value.casefold() not in NATIONALITIES:
        return ()
    drafts = [Draft(facet="nationality", value=value, text=f"The user is {value}.")]
    role = match["role"] or ""
    if role and not role.casefold().endswith("student"):
        text = f"The user works as a {role}."
        drafts.append(Draft(facet="work.role", value=role, text=text, single_valued=True))
    lives = _LIVES.search(match["rest"])
    place = place_of(lives["place"], clause) if lives else ""
    if place:
        text = f"The user lives in {place}."
        drafts.append(Draft(facet="home", value=place, text=text, single_valued=True))
    return drafts


def _grew_up(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = place_of(match["value"], clause)
    if not value:
        return ()
    text = f"The user grew up in {value}."
    return (Draft(facet="grew_up", value=value, text=text, single_valued=True),)


def _farms(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["role"].casefold()
    text = f"The user {value}s for a living."
    role = Draft(facet="work.role", value=f"{value}s", text=text, single_valued=True)
    return (role, *_home(match, clause))


NATIONAL = "|".join(sorted(NATIONALITIES))

# Asked before the trades: who is "a French student in Leeds" says three things.
NATIONS: tuple[Rule, ...] = (
    rule(
        "arrivals.nation",
        rf"{I_AM}(?:an? )?(?P<value>{NATIONAL})\b(?! (?:teacher|tutor|translator|chef|interpreter"
        rf"|professor|lit))"
        rf"(?: (?P<role>(?:\w+ )?(?:student|{'|'.join(sorted(ROLE_HEADS))}))\b)?"
        r"(?: (?:guy|girl|woman|man|expat|mum|mom|dad))?(?P<rest>(?:,| (?:in|on|at|living|but|and"
        r"|by|from|who|here|currently|based)\b).*|\Z)",
        _nation,
    ),
    rule(
        "arrivals.student_in",
        rf"{I_AM}(?:an? )?(?:[\w-]+ ){{0,2}}?(?:student|au pair|expat|exchange student)(?: (?:in"
        rf"|on) (?:an? )?"
        r"(?:erasmus|exchange|gap year))? (?:over |here )?in (?P<value>\w.+)",
        _home,
    ),
)

RULES: tuple[Rule, ...] = (
    rule(
        "arrivals.native",
        r"my (?:native(?: place| town| city)?|home\s?town|hometown|birth\s?place) (?:is|was|:)"
        r" (?P<value>\w.+)",
        _origin,
    ),
    rule(
        "arrivals.from",
        rf"(?:{I_AM}(?:originally |coming )?from|I (?:originally )?(?:come|came|hail) from)"
        rf" (?P<value>[^\W\d].*)",
        _origin,
    ),
    rule(
        "arrivals.moved",
        rf"(?:I|we|{I_HAVE}|{I_AM})\s?{ADVERBS}(?:moved|relocated|shifted|emigrated|immigrated"
        rf"|upped sticks|transferred"
        r"|downsized|came over|came|migrated|flew over)(?: (?:in together|in|back|over|out|here"
        r"|house|home|down"
        r"|up|away))*"
        r"(?: from [^,.;]{2,40}?)? (?:to|into|in) (?:an? [\w -]{2,30}? (?:in|near|just outside"
        r"|outside(?: of)?) )?(?P<value>\w.+)",
        lambda match, clause: _home(match, clause) if "came to" not in match.group() else (),
    ),
    rule(
        "arrivals.lives",
        rf"(?:I|we) {ADVERBS}(?:live|stay|reside|dwell|am staying|am living|are staying|rent"
        rf"|own)(?: (?:over|out|up"
        rf"|down|way|alone|together|here|back|currently|an?|my own|\w+ bed|\w+ bedroom"
        rf"|{_KIND}))* {_INSIDE}"
        r" (?P<value>\w.+)",
        _home,
    ),
    rule(
        "arrivals.based",
        rf"(?:{I_AM}|we're |we are |I've been |we've been |{I_HAVE}been )(?:based|living|staying"
        rf"|settled|residing"
        rf"|renting|stuck|posted|stationed|currently)(?: (?:over|out|up|down|here|an? \w+|\w+ bed"
        rf"|{_KIND}))* {_INSIDE}"
        r" (?P<value>\w.+)",
        _home,
    ),
    rule(
        "arrivals.grew_up",
        r"(?:I|we) (?:was |were )?(?:grew up|raised|brought up|born and raised|born and bred"
        r"|spent my childhood)"
        r"(?: (?:over|out|up|down))* (?:in|near|around|outside) (?P<value>\w.+)",
        _grew_up,
    ),
    rule(
        "arrivals.farms",
        rf"(?:I|we) {ADVERBS}(?P<role>farm|ranch)\b[^,.;]{{0,50}}? {_INSIDE}"
        rf" (?P<value>(?-i:[A-Z])\w.+)",
        _farms,
    ),
    rule(
        "arrivals.bought_in",
        rf"(?:I|we|I've|we've) {ADVERBS}(?:bought|got|rented|found|closed on|own|have) (?:an?|our"
        rf"|my) (?:[\w-]+ ){{0,3}}?"
        rf"{_KIND} (?:here )?(?:in|near|outside) (?P<value>(?-i:[A-Z])\w.+)",
        _home,
    ),
)
