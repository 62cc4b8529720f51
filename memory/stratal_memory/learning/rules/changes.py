"""What changed, told by its noun: "changed my bank to AIB", "rent went up to 1300"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.attribute_words import AMOUNTS, OPINIONS
from stratal_memory.learning.rules.attributes import about, told_of
from stratal_memory.learning.rules.kin import ONE, RELATION, facet_of
from stratal_memory.learning.rules.rule import ADVERBS, Draft, Rule, bare, cleaned, named, rule
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words
from stratal_memory.text import STOP_WORDS

_NOUN = r"(?P<noun>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
_NEW = r"(?P<value>[^;!?]{1,60})"
_AMOUNT = (
    r"(?P<value>(?:about |around |roughly |only )?[$£€]?\d[\d.,]*k?(?: ?(?:euros?|eur|pounds?|quid"
    r"|dollars?|bucks|€|£|\$|minutes?|mins?|hours?|km|kg|miles))?(?: (?:a|per|each|every) (?:month"
    r"|week|year|day))?)"
)


_OTHERS = words("his her their your its this that a an no what any some")


def _changed(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    return told_of(match["noun"], match["value"], clause)


def _amount(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A figure without "my": nobody tells of another's rent so."""
    noun = re.sub(r"\A(?:my|our) ", "", " ".join(match["noun"].casefold().split()))
    if noun.split()[-1] not in AMOUNTS or noun.split()[0] in _OTHERS:
        return ()
    value = " ".join(match["value"].split())
    return (about(noun, value, f"The user's {noun} is {value}."),)


def _favourite(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """One favourite of a kind: the newer one stands."""
    value = cleaned(match["value"], clause)
    parts = value.casefold().split()
    if not 0 < len(parts) <= 6 or parts[0] in STOP_WORDS - {"the", "a", "an"} or "my" in parts:
        return ()
    thing = " ".join(match["thing"].casefold().split())
    facet = f"favourite.{thing.replace(' ', '_')}"
    text = f"The user's favourite {thing} is {value}."
    return (Draft(facet=facet, value=bare(value), text=text, single_valued=True),)


def _person(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A name and what they are to the user: "Priya is my new manager"."""
    name = match["value"].strip()
    if not named(name, words=3) or name.casefold() in STOP_WORDS | OPINIONS or name == "I":
        return ()
    facet, said = facet_of(match["who"] + (match["law"] or ""))
    text = f"The user's {said} is called {name}."
    return (Draft(facet=facet, value=name, text=text, single_valued=said in ONE),)


_THING = r"(?P<thing>(?!one\b|thing\b|part\b|bit\b|person\b)[a-z][\w-]*(?: [\w-]+)?)"
_NOW = r"(?: (?:now|these days|at the moment|nowadays|currently))?"

RULES: tuple[Rule, ...] = (
    rule(
        "changes.favourite_is",
        rf"(?P<value>[\w'& -]{{2,50}}?)(?:'s| is| has become| became| are)(?: now)? my (?:new "
        rf"|current "
        rf"|absolute )?favou?rite {_THING}{_NOW}(?:,.*)?\Z",
        _favourite,
    ),
    rule(
        "changes.new_favourite",
        rf"(?:my new favou?rite {_THING}(?:'s| is| are)|(?:I have|I've got|I've|I found) a new"
        rf" favou?rite (?P<thing2>[a-z][\w-]*(?: [\w-]+)?)(?:,| -|:| called| which is))"
        rf" (?P<value>.+)",
        lambda match, clause: (
            _favourite(match, clause) if match["thing"] else _other(match, clause)
        ),
    ),
    rule(
        "changes.person",
        rf"(?P<value>(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)?)(?:'s| is)(?: now)? (?:my"
        rf"|our)"
        rf" {RELATION}{_NOW}(?:,.*)?\Z",
        _person,
    ),
    rule(
        "changes.to",
        rf"(?:I|we)(?:'ve| have)? {ADVERBS}(?:changed|updated|switched|moved|upped|raised"
        rf"|lowered|cut"
        rf"|set|put|upgraded|replaced) (?:my|our) {_NOUN} (?:from [^,;]+? )?(?:up |down |over )?"
        rf"(?:to|with) {_NEW}",
        _changed,
    ),
    rule(
        "changes.went",
        rf"(?:(?:my|our|the) )?{_NOUN}(?: (?:has |have |just |finally )?(?:changed|went up|gone"
        rf" up|went"
        rf" down|gone down|goes up|got raised|increased|dropped|rose|moved)|(?:'s| is| are)"
        rf" (?:up|down)"
        rf"|(?:'s| is| are) going (?:up|down))(?: from [^,;]+?)? to {_AMOUNT}{_NOW}\b.*",
        _amount,
    ),
    rule(
        "changes.amount",
        rf"(?:the )?{_NOUN}(?:'s| is)(?: now| currently)? {_AMOUNT}(?: now)?(?:,.*)?\Z",
        _amount,
    ),
    rule(
        "changes.pays_in",
        rf"(?:I|we)(?:'re| are)? {ADVERBS}pay(?:ing)? {_AMOUNT} (?:in|for) (?P<noun>rent|mortgage"
        r"|bills|childcare|tax|insurance)\b.*",
        lambda match, clause: (
            about(
                match["noun"], match["value"], f"The user pays {match['value']} in {match['noun']}."
            ),
        ),
    ),
    rule(
        "changes.new_is",
        rf"(?:the )?new {_NOUN}(?:'s| is|:| -|,)(?: called| named| an?| the)? {_NEW}",
        _changed,
    ),
    rule(
        "changes.got_new",
        rf"(?:I|we)(?:'ve| have)? {ADVERBS}(?:got|bought|picked up|have|ordered) (?:myself )?a new"
        rf" {_NOUN}(?:,| -|:| called)(?: it's| its| this time)?(?: an?| the)? {_NEW}",
        _changed,
    ),
    rule(
        "changes.is_my",
        rf"(?P<value>[\w'&.+-]+(?: [\w'&.+-]+){{0,3}}?)(?:'s| is| has become)(?: now)? (?:my|our)"
        rf" (?:new |current |main ){_NOUN}{_NOW}(?:,.*)?\Z",
        _changed,
    ),
)


def _other(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The favourite of "I have a new favourite band, Lankum"."""
    value = cleaned(match["value"], clause)
    thing = " ".join(match["thing2"].casefold().split())
    if not 0 < len(value.split()) <= 5 or value.split()[0].casefold() in STOP_WORDS:
        return ()
    facet = f"favourite.{thing.replace(' ', '_')}"
    text = f"The user's favourite {thing} is {value}."
    return (Draft(facet=facet, value=value, text=text, single_valued=True),)
