"""What the user owns, inherited, lost and works with, in other words than "I bought"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.possessions import THING
from stratal_memory.learning.rules.rule import (
    ADVERBS,
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

_MORE = (
    r"(?:solar panels|heat pump|allotment(?: garden)?|greenhouse|vegetable garden|hot tub"
    r"|sauna|pool"
    r"|campervan|camper|caravan|motorhome|tandem|kayak|canoe|sewing machine|loom|kiln"
    r"|sailboat|piano"
    r"|cello|banjo|synth(?:esi[sz]er)?|tractor|cargo bikes?|e-?bike|holiday home|cabin"
    r"|vineyard|orchard"
    r"|wood stove|air fryer|rice cooker|espresso machine|3d printer|telescope|record player"
    r"|typewriter)"
)


def _has(value: str, text: str, *, retracts: bool = False) -> Draft:
    return Draft(facet="possession", value=value, text=text, retracts=retracts)


def _inherited(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = re.sub(r"\Amy ", "their ", cleaned(match["value"], clause, past=True))
    if not 0 < len(value.split()) <= 6:
        return ()
    return (_has(value.removeprefix("their "), f"The user inherited {value}."),)


def _owned(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Each of the things in "solar panels on the roof and a heat pump"."""
    things = re.findall(rf"(?:(?:an?|two|three|\w+) )?{_MORE}\b", match["value"], re.IGNORECASE)
    return tuple(_has(bare(one), f"The user has {one}.") for one in things)


def _none_but(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    fits = 0 < len(value.split()) <= 6
    return (_has(value, f"The user has {value}."),) if fits else ()


def _sold(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    text = f"The user does not have their {value} any more: it was {match['how']}{date}."
    return (_has(value, text, retracts=True),)


def _had(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = bare(cleaned(match["value"], clause))
    if not 0 < len(value.split()) <= 4:
        return ()
    return (
        _has(
            value,
            f"The user does not have {match['value'].split()[0]} {value} any more.",
            retracts=True,
        ),
    )


def _stolen(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value, what = match["value"].casefold(), " ".join(match["how"].casefold().split())
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    text = f"The user's {value} was {what}{date}."
    return (Draft(facet="event", value=f"{value} {what}", text=text, when=when),)


def _tool(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    raw = re.split(r"\s+(?:for|at|as|on|to|when|in)\s+", cleaned(match["value"], clause))[0]
    names = re.split(r",? and |, ", raw)
    if not all(named(name, words=3) for name in names):
        return ()
    return tuple(
        Draft(facet="tool", value=name, text=f"The user uses {name}.") for name in names if name
    )


RULES: tuple[Rule, ...] = (
    rule("belongings.inherited", rf"I {ADVERBS}inherited (?P<value>.+)", _inherited),
    rule(
        "belongings.has",
        rf"(?:{I_HAVE}|(?:I|we) {ADVERBS}own )(?!been )(?P<value>(?:[\w-]+ ){{0,3}}?{_MORE}\b.*)",
        _owned,
    ),
    rule(
        "belongings.none_but",
        r"(?:I|we) (?:don't|do not) (?:own|have) an? [\w-]+,? (?:just|only|but I have"
        r"|but we have) (?P<value>.+)",
        _none_but,
    ),
    rule(
        "belongings.sold",
        rf"(?:I|we|I've|we've) {ADVERBS}(?P<how>sold|lost|returned|gave away) (?:my|our|the)"
        rf" (?P<value>(?:[\w-]+ ){{0,2}}?{THING})\b",
        _sold,
    ),
    rule(
        "belongings.had",
        rf"(?:I|we) used to (?:have|own) (?P<value>an? (?:[\w-]+ ){{0,2}}?{THING})\b",
        _had,
    ),
    rule(
        "belongings.stolen",
        rf"(?:my|our) (?P<value>(?:[\w-]+ ){{0,2}}?{THING}) (?:was|were|got"
        rf"|has been) (?P<how>stolen|flooded"
        r"|broken into|burgled|burned down|burnt down|totalled|destroyed)\b.*",
        _stolen,
    ),
    rule(
        "belongings.uses",
        rf"(?:I|we) {ADVERBS}(?:use|edit everything in|write everything in|do everything in"
        rf"|swear by) (?P<value>.+)",
        _tool,
    ),
)
