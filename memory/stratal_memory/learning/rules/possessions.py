"""What the user owns, bought, plays and uses."""

import re
from collections.abc import Sequence

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

THING = (
    r"(?:car|bike|bicycle|motorbike|motorcycle|scooter|van|truck|boat|phone|laptop|computer|tablet"
    r"|camera|guitar|piano|violin|house|flat|apartment|garden|watch|bed|desk|printer|router|tv"
    r"|keyboard|monitor|oven|fridge|washing machine|e-?reader|drone|telescope|bass|drum kit|tent)"
)
_INSTRUMENTS = (
    r"(?:piano|guitar|violin|cello|flute|drums|bass|saxophone|sax|trumpet|clarinet|ukulele|harp"
    r"|tennis|chess|football|soccer|basketball|golf|badminton|volleyball|squash|hockey|rugby"
    r"|cricket|padel|go|poker|bridge)"
)


def _bought(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = bare(cleaned(match["value"], clause, past=True))
    if not 0 < len(value.split()) <= 8 or re.search(r"\byou\b", value, re.IGNORECASE):
        return ()
    when = first_date(clause, past=True)
    date = f" {when.phrase()}" if when else ""
    article = cleaned(match["article"], clause)
    article = "their" if article.casefold().startswith("my") else article
    text = f"The user bought {article} {value}{date}."
    return (Draft(facet="possession", value=value, text=text, when=when),)


def _thing_is(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = bare(cleaned(match["value"], clause))
    if not 0 < len(value.split()) <= 6:
        return ()
    thing = match["thing"].casefold().replace(" ", "_")
    article = match["article"].casefold()
    text = f"The user's {match['thing'].casefold()} is {article} {value}."
    return (Draft(facet=f"possession.{thing}", value=value, text=text, single_valued=True),)


_OWNING = {"drive": "drives", "ride": "rides"}


def _owns(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    if not 0 < len(value.split()) <= 6:
        return ()
    verb = match["verb"].casefold()
    text = f"The user {_OWNING.get(verb, 'has')} {match['article'].casefold()} {value}."
    facet = "possession.car" if verb == "drive" else "possession"
    return (Draft(facet=facet, value=value, text=text),)


def _sold(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause, past=True)
    when = first_date(clause, past=True)
    if not 0 < len(value.split()) <= 6:
        return ()
    date = f" {when.phrase()}" if when else ""
    text = f"The user does not have their {value} any more: it was {match['how']}{date}."
    return (Draft(facet="possession", value=value, text=text, when=when, retracts=True),)


def _plays(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    text = f"The user plays {match['the'] or ''}{value}."
    return (Draft(facet="hobby", value=value, text=text),)


def _learns(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    words = value.split()
    if not 0 < len(words) <= 5 or words[0].casefold() in {"about", "how", "that", "a", "from"}:
        return ()
    return (Draft(facet="learning", value=value, text=f"The user is learning {value}."),)


def _uses(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    if not named(value, words=4):
        return ()
    return (Draft(facet="tool", value=value, text=f"The user uses {value}."),)


RULES: tuple[Rule, ...] = (
    rule(
        "possessions.bought",
        rf"(?:I|we|I've|we've|I have) {ADVERBS}(?:bought|purchased|got myself|treated (?:myself"
        rf"|ourselves) to"
        r"|splurged on|picked up|invested in)"
        r" (?:myself )?(?P<article>an?|my first|some|the) (?P<value>.+)",
        _bought,
    ),
    rule(
        "possessions.got",
        rf"(?:I|we) {ADVERBS}got (?P<article>an?|my first) (?P<value>(?:new )?(?:[\w-]+ ){{0,2}}?"
        rf"{THING}\b.*)",
        _bought,
    ),
    rule(
        "possessions.is",
        rf"my (?:new |old |current |work |main )?(?P<thing>{THING}) is (?P<article>an?)"
        r" (?P<value>.+)",
        _thing_is,
    ),
    rule(
        "possessions.owns",
        rf"(?:{I_HAVE}(?P<_>)|(?:I|we) {ADVERBS}(?P<verb>drive|own|ride) )(?P<article>an?|the)"
        r" (?P<value>.+)",
        lambda match, clause: _owns(match, clause) if match["verb"] else (),
    ),
    rule(
        "possessions.has",
        rf"(?:{I_HAVE})(?P<article>an?) (?P<verb>)(?P<value>(?:[\w-]+ ){{0,3}}?{THING})\Z",
        _owns,
    ),
    rule(
        "possessions.sold",
        rf"(?:I|we|I've|we've) {ADVERBS}(?P<how>sold|lost|returned) (?:my|our)"
        rf" (?P<value>(?:[\w-]+ ){{0,3}}?{THING}\b)",
        _sold,
    ),
    rule(
        "possessions.plays",
        rf"I {ADVERBS}play (?P<the>the )?(?P<value>{_INSTRUMENTS})\b",
        _plays,
    ),
    rule(
        "possessions.learns",
        rf"{I_AM}(?:learning|teaching myself) (?:to (?=play|speak|code|cook|draw|paint))?"
        r"(?P<value>.+)",
        _learns,
    ),
    rule(
        "possessions.on",
        rf"{I_AM}(?:on|using|running|typing (?:this )?on|writing (?:this )?(?:from|on)) (?:an?|my)"
        r" (?P<value>(?:old |new |[\w\d]+ )?(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z\d])[\w-]*){0,3})",
        lambda match, clause: (
            Draft(
                facet="possession", value=match["value"], text=f"The user uses a {match['value']}."
            ),
        ),
    ),
    rule(
        "possessions.editor",
        r"my (?P<what>editor|ide|distro|os|browser|shell|keyboard layout|main language) is"
        r" (?P<value>(?-i:[A-Z])\w*)",
        lambda match, clause: (
            Draft(
                facet=f"tool.{match['what'].casefold().replace(' ', '_')}",
                value=match["value"],
                text=f"The user's {match['what']} is {match['value']}.",
                single_valued=True,
            ),
        ),
    ),
    rule("possessions.uses", rf"I {ADVERBS}use (?P<value>.+)", _uses),
)
