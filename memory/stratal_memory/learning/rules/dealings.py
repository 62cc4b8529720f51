"""Whom and what the user deals with: providers, teams, people of a role, what is on just now."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stratal_memory.learning.rules.attribute_words import AMOUNTS_OF, NOUNS, OPINIONS, PURPOSES
from stratal_memory.learning.rules.attributes import about
from stratal_memory.learning.rules.kin import facet_of
from stratal_memory.learning.rules.rule import (
    ADVERBS,
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    bare,
    cleaned,
    named,
    rule,
)
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.text import STOP_WORDS

_ROLE = (
    r"(?P<who>physio|physiotherapist|cleaner|nanny|babysitter|childminder|tutor|coach|trainer"
    r"|personal trainer|therapist|counsellor|counselor|dentist|doctor|gp|vet|mentor|barber"
    r"|hairdresser|accountant|lawyer|solicitor|landlord|landlady|team lead(?:er)?|line manager"
    r"|boss|manager|supervisor|project lead|professor|advisor|adviser|dog walker|dietitian"
    r"|nutritionist|psychologist|psychiatrist|midwife|gardener|assistant|intern|flatmate|roommate"
    r"|housemate|lodger|teacher|piano teacher|guitar teacher|music teacher)"
)
_CALLED = r"(?:(?:who's |who is |is |'s )?(?:called|named|by the name of),? |, |: |- )"
_SOMEONE = (
    r"(?:this |an? |some )?(?:guy|woman|man|lady|girl|boy|bloke|lad|person|someone|dude|chap)"
)
_NAME = (
    r"(?P<name>[\w.'-]+(?: [\w'-]+){0,2}?)(?:,.*| (?:for|since|at|now|these|and|who|to"
    r"|from)\b.*)?\Z"
)
_TITLE = re.compile(r"(?:dr|mr|mrs|ms|miss|prof)\.? [a-z]{2,20}", re.IGNORECASE)


def _person(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    who = match.groupdict().get("who") or ""
    facet, said = facet_of("boss" if not who else who.replace("team leader", "team lead"))
    name = _named(match["name"])
    if not name:
        return ()
    facet = f"people.{facet.rpartition('.')[2]}"
    return (
        Draft(
            facet=facet,
            value=name,
            text=f"The user's {said} is called {name}.",
            single_valued=True,
        ),
    )


def _named(raw: str) -> str:
    """The name, with capitals where it has a title; empty for no name."""
    name = raw.strip(" .")
    if _TITLE.fullmatch(name):
        return name.title()
    return name if named(name, words=3) else ""


def _called(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A name behind "called": it may be in small letters."""
    name = match["name"].strip(" .")
    if len(name.split()) > 1 and not named(name, words=3):
        return ()
    if name.casefold() in STOP_WORDS | OPINIONS or not name[:1].isalpha():
        return ()
    return _person_named(match, name[:1].upper() + name[1:])


def _person_named(match: re.Match[str], name: str) -> Sequence[Draft]:
    facet, said = facet_of(match["who"])
    text = f"The user's {said} is called {name}."
    where = f"people.{facet.rpartition('.')[2]}"
    return (Draft(facet=where, value=name, text=text, single_valued=True),)


def _dating(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    name = match["name"].strip(" .")
    sure = bool(match["someone"])
    if not (
        named(name, words=2) or (sure and name.isalpha() and name.casefold() not in STOP_WORDS)
    ):
        return ()
    name = name[:1].upper() + name[1:]
    text = f"The user's partner is called {name}."
    return (Draft(facet="family.partner", value=name, text=text, single_valued=True),)


def _flatmate(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    name = _named(match["name"])
    if not name:
        return ()
    return (
        Draft(facet="people.flatmate", value=name, text=f"The user shares a home with {name}."),
    )


def _with(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Whom one is with for something: "I'm with Vodafone for mobile"."""
    noun = re.sub(r"\A(?:my|the|our) ", "", cleaned(match["noun"], clause).casefold())
    value = cleaned(match["value"], clause)
    parts, known = value.casefold().split(), noun.split()[-1:]
    if not known or known[0] not in AMOUNTS_OF | NOUNS | PURPOSES or not 0 < len(parts) <= 4:
        return ()
    if parts[0] in STOP_WORDS or parts[0] in OPINIONS or len(noun.split()) > 3:
        return ()
    return (about(noun, value, f"For {noun} the user uses {value}."),)


@dataclass(frozen=True, slots=True)
class _On:
    """Makes one statement of what is on just now, or of what one belongs to."""

    noun: str
    text: str
    small: bool = False  # a value in small letters is one too

    def __call__(self, match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        """The statement, where the value is a name or said to be of now."""
        raw = cleaned(match["value"], clause)
        value = bare(raw)
        parts = value.casefold().split()
        if raw != value and value.islower():
            return ()  # "a book" may be any
        if "who" in match.groupdict() and not (match["who"] or _NOWADAYS.search(clause.lead)):
            return ()
        if not 0 < len(parts) <= 6 or parts[0] in STOP_WORDS or parts[-1] in OPINIONS:
            return ()
        now = self.small or bool(match.groupdict().get("now"))
        if not (now or value[0].isupper() or value[0].isdigit()):
            return ()
        return (about(self.noun, value, self.text.format(value=value)),)


_NOW = (
    r"(?P<value>[^,;:]+?)(?P<now> (?:at the moment|right now|these days|atm|currently|lately))?"
    r"(?:,.*)?\Z"
)
_NOWADAYS = re.compile(r"\b(?:currently|now)\b", re.IGNORECASE)
_CURRENTLY = (
    r"(?P<who>(?:I'm|I am|we're|we are) (?:currently |now |just |also |re)*"
    r"|(?:I|we|I've|we've) (?:just |finally |recently )?(?:started|begun) )?"
)

RULES: tuple[Rule, ...] = (
    rule(
        "dealings.role_is",
        rf"(?:my|our) (?:new |current )?{_ROLE}(?:'s name)?(?:'s| is)(?: now)? (?:called |named"
        rf" |{_SOMEONE} (?:called|named) )?{_NAME}",
        _person,
    ),
    rule(
        "dealings.role_called",
        rf"(?:my|our) (?:new |current )?{_ROLE} is {_SOMEONE} (?:called|named) {_NAME}",
        _called,
    ),
    rule(
        "dealings.has_role",
        rf"(?:{I_HAVE}|I'm seeing |I see |I work with |we found |I found )an? (?:new |really good"
        rf" |great )?{_ROLE},? {_CALLED}{_NAME}",
        _called,
    ),
    rule("dealings.reports", rf"I {ADVERBS}report (?:directly )?to {_NAME}", _person),
    rule(
        "dealings.dating",
        rf"(?:{I_AM}|I've been )(?:now )?(?:seeing|dating|going out with|in a relationship with)"
        rf" (?P<someone>{_SOMEONE}(?: (?:called|named))? )?{_NAME}",
        _dating,
    ),
    rule(
        "dealings.flatmate",
        rf"(?:I|we) {ADVERBS}(?:share (?:a|my|the) (?:flat|house|apartment|place|room) with"
        rf"|live with) {_NAME}",
        _flatmate,
    ),
    rule(
        "dealings.banks",
        rf"I {ADVERBS}bank with (?P<value>[^,;:]+)",
        _On("bank", "The user's bank is {value}.", True),
    ),
    rule(
        "dealings.with",
        rf"(?:{I_AM}|I've been |we've been )(?:with|on|at) (?P<value>[\w&'.+ -]{{2,40}}?) for"
        r" (?P<noun>[a-z -]{2,40}?)(?: for (?:years|ages|a while))?\Z",
        _with,
    ),
    rule(
        "dealings.uses_for",
        rf"(?:I|we) {ADVERBS}(?:use|go to|go with) (?P<value>[\w&'.+-]+(?: [\w&'.+-]+){{0,2}}?)"
        r" (?:for|as) (?P<noun>(?:my |the |our )?[a-z-]+(?: [a-z]+)?)(?: now)?\Z",
        _with,
    ),
    rule(
        "dealings.trains",
        rf"I {ADVERBS}(?:train|work out|lift|climb|box) at (?P<value>[^,;:]+)",
        _On("gym", "The user trains at {value}."),
    ),
    rule(
        "dealings.team",
        rf"{I_AM}(?:on|in|part of) (?:the )?(?P<value>[\w&'-]+(?: [\w&'-]+)?) (?:team|squad"
        r"|department)(?: (?:at work|now))?\Z",
        _On("team", "The user is on the {value} team.", True),
    ),
    rule(
        "dealings.project",
        rf"(?:{I_AM}|I've been |I )(?:working|work) on (?:a (?:thing|project) called |the )"
        r"(?P<value>[^,;:]{2,40}?)(?: project| migration| rewrite| launch)?(?: at work| now)?\Z",
        _On("project", "The user works on the project {value}."),
    ),
    rule(
        "dealings.reads",
        rf"{_CURRENTLY}(?:reading|re-reading) {_NOW}",
        _On("current book", "The user is reading {value}."),
    ),
    rule(
        "dealings.watches",
        rf"{_CURRENTLY}(?:watching|bingeing|binging|rewatching) {_NOW}",
        _On("current series", "The user is watching {value}."),
    ),
    rule(
        "dealings.plays",
        rf"{_CURRENTLY}(?:playing|replaying) {_NOW}",
        _On("current game", "The user is playing {value}."),
    ),
    rule(
        "dealings.member",
        rf"(?:{I_AM}a member of|I {ADVERBS}support|I've joined|{I_HAVE}a season ticket (?:for|at))"
        r" (?P<value>(?:the )?(?-i:[A-Z])[^,;:]+)",
        _On("club", "The user belongs to or supports {value}."),
    ),
)
