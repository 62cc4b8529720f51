"""What the user can't or won't have: allergies, diets, conditions."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.liking import VAGUE, several
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    bare,
    first_date,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause


def short(value: str) -> bool:
    """Whether `value` is a thing, in few words."""
    return 0 < len(value.split()) <= 6 and not VAGUE.match(value)


CONDITION = (
    r"(?:asthma|diabetes|epilepsy|migraines?|arthritis|adhd|autism|dyslexia|eczema|psoriasis"
    r"|anxiety"
    r"|depression|hay ?fever|coeliac disease|celiac disease|crohn'?s(?: disease)?|endometriosis"
    r"|high blood pressure|hypertension|insomnia|tinnitus|vertigo|scoliosis|ibs|pcos|lupus|ms"
    r"|a (?:heart condition|pacemaker|stoma|bad (?:back|knee|hip|shoulder)|stutter|limp))"
)

_DIET = (
    r"vegetarians?|vegans?|pescatarians?|flexitarian|lactose[ -]intolerant|gluten[ -]free"
    r"|gluten[ -]intolerant|c(?:o)?eliac|(?:type [12] )?diabetic|teetotal|keto|halal|kosher"
    r"|deaf|hard of hearing|blind|epileptic|autistic|left[- ]handed"
    r"|colou?r[- ]?blind|dyslexic|asthmatic"
)


_BODY = ("left", "colo", "dysl", "asth", "diab", "type", "deaf", "hard", "blind", "epil", "auti")
# Nobody is allergic to these but in jest.
_JEST = re.compile(
    r"(?:mondays?|mornings?|work|working|stupid\w*|bad|people|idiots|exercise|math\w*|boredom"
    r"|meetings"
    r"|homework|drama|fun|losing|nonsense|housework|cleaning|small talk|bullshit|commitment"
    r"|love)\b",
    re.IGNORECASE,
)


def _allergies(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return tuple(
        Draft(facet="allergy", value=bare(value), text=f"The user is allergic to {value}.")
        for value in several(match["value"], clause)
        if short(value) and not _JEST.match(value)
    )


def _conditions(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Each condition, and the allergy that may stand behind "and a"."""
    drafts = [
        Draft(facet="health", value=bare(one), text=f"The user has {one}.")
        for one in _ONE.findall(match["value"])
    ]
    for allergy in re.finditer(
        r"\ban? (?:\w+ly )?(?P<to>[\w-]+(?: [\w-]+)?) allergy", match["value"]
    ):
        text = f"The user has a {allergy['to']} allergy."
        drafts.append(Draft(facet="allergy", value=allergy["to"], text=text))
    return drafts


_ONE = re.compile(rf"\b{CONDITION}\b", re.IGNORECASE)


def _aid(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = bare(match["value"].casefold())
    text = f"The user {match['verb'].casefold()}s {match['value'].casefold()}."
    return (Draft(facet="health", value=value, text=text),)


def _injured(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    verb = match["verb"].casefold()
    text = f"The user {verb} their {value}{date}."
    return (Draft(facet="health", value=f"{verb} {value}", text=text, when=when),)


def _diet(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    negated = bool(match["no"])
    body = value.startswith(_BODY)
    said = f"is no longer {value}" if negated else f"is {value}"
    return (
        Draft(
            facet="health" if body else "diet",
            value=value,
            text=f"The user {said}.",
            retracts=negated,
        ),
    )


def _meat_again(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The end of whatever diet went without meat."""
    text = "The user eats meat again."
    return tuple(
        Draft(facet="diet", value=value, text=text, retracts=True)
        for value in ("vegetarian", "vegan", "pescatarian")
    )


RULES: tuple[Rule, ...] = (
    rule(
        "health.allergy",
        rf"(?:{I_AM}(?:(?:severely|deathly|highly|very|slightly|mildly) )?allergic (?:to|of|with)"
        rf"|(?:{I_HAVE})an? (?:\w+ )?allergy to|we're allergic to) (?P<value>.+)",
        _allergies,
    ),
    rule(
        "health.conditions",
        rf"(?:{I_HAVE}(?:had |got )?|I suffer from |I was diagnosed with "
        rf"|{I_HAVE}been diagnosed with )"
        rf"(?P<value>(?:(?:mild|severe|bad|chronic|type [12]) )?{CONDITION}\b.*)",
        _conditions,
    ),
    rule(
        "health.treated",
        rf"(?:{I_AM}|{I_HAVE}been |I take )?(?:on|taking|treated with)? ?(?:\w+ )?(?:for|with)"
        rf" (?:my )?(?P<value>(?:type [12] )?{CONDITION})\b.*",
        lambda match, clause: (
            _conditions(match, clause)
            if re.match(r"(?:I|on|taking)\b", clause.text, re.IGNORECASE)
            else ()
        ),
    ),
    rule(
        "health.reacts",
        r"(?P<value>[^\W\d][\w' -]{2,30}?) (?:makes? me (?:come|break) out in|gives? me) (?:an? "
        r"|awful"
        r" |terrible |bad )*(?P<how>hives|rash(?:es)?|migraines?|headaches?|heartburn"
        r"|asthma attacks?"
        r"|anaphyla\w+|stomach ache)\b.*",
        lambda match, clause: (
            Draft(
                facet="allergy",
                value=bare(match["value"]),
                text=f"{match['value']} gives the user {match['how']}.",
            ),
        ),
    ),
    rule(
        "health.aid",
        rf"I {ADVERBS}(?P<verb>wear|use) (?P<value>(?:a |an )?(?:hearing aids?|glasses"
        rf"|contact lenses"
        r"|contacts|wheelchair|walker|cane|crutches|insulin pump|cpap|prosthesis|dentures))\b.*",
        _aid,
    ),
    rule(
        "health.injured",
        rf"I {ADVERBS}(?P<verb>broke|sprained|tore|fractured|dislocated|injured) my"
        r" (?P<value>(?:left |right )?(?:ankle|leg|arm|wrist|foot|toe|finger|knee|hip"
        r"|collarbone|shoulder|nose|rib"
        r"|ribs|back|acl|meniscus|achilles))\b.*",
        _injured,
    ),
    rule(
        "health.keeps",
        r"(?:I|we) (?:keep|eat) (?P<value>kosher|halal|vegan|vegetarian|gluten[- ]free|keto)\b.*",
        stated("diet", "The user keeps {value}.", single=False),
    ),
    rule(
        "health.faith",
        rf"(?:{I_AM}|we are |we're )(?:an? )?(?:practi[sc]ing |devout |lapsed )?(?P<value>jain"
        rf"|muslim|christian|catholic"
        r"|jewish|jew|hindu|buddhist|sikh|quaker|atheist|agnostic|protestant|mormon"
        r"|orthodox)\b(?! (?:school|church)).*",
        lambda match, clause: (
            Draft(
                facet="religion",
                value=match["value"],
                text=f"The user is {match['value']}.",
                single_valued=True,
            ),
        ),
    ),
    rule(
        "health.tall",
        rf"{I_AM}(?P<value>\d(?:[.,]\d\d? ?m|\d\d ?cm|'\d{{1,2}}\"?| ?(?:ft|foot"
        rf"|feet) ?\d{{0,2}}))(?: tall)?\b.*",
        stated("height", "The user is {value} tall.", single=True),
    ),
    rule(
        "health.allergy_of",
        rf"(?:{I_HAVE})an? (?:severe |bad |serious )?(?P<value>[\w-]+(?: [\w-]+)?) allergy",
        stated("allergy", "The user has a {value} allergy.", accept=short),
    ),
    rule(
        "health.no_allergy",
        r"(?:I'm|I am) (?:no longer|not) allergic to (?P<value>.+)",
        stated("allergy", "The user is not allergic to {value}.", retracts=True, accept=short),
    ),
    rule(
        "health.meat_again",
        rf"(?:I|we) {ADVERBS}(?:eat|started eating|am eating|went back to eating) (?:meat|steak)"
        r" (?:again|now|these days)\b.*",
        _meat_again,
    ),
    rule(
        "health.diet",
        rf"(?:{I_AM}|{I_HAVE}been |we're |we are |my diet is )(?P<no>no longer "
        rf"|not )?(?:an? )?(?:strict |lifelong )?"
        rf"(?P<value>{_DIET})\b(?! (?:option|restaurant|recipe|diet))",
        _diet,
    ),
)
