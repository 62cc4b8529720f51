"""Whom the talk is about, and who is meant by "she", "he", "they" and "her name"."""

import re
from dataclasses import dataclass

from stratal_memory.learning.rules.kin import PET
from stratal_memory.learning.wordlist import words

_FEMALE = words(
    "landlady wife girlfriend mother mom mum mama sister daughter aunt grandmother grandma niece"
    " granddaughter nan gran missus stepmum stepmom stepdaughter stepsister"
)
_MALE = words(
    "husband boyfriend father dad papa brother son uncle grandfather grandpa nephew grandson hubby"
    " stepson stepdad stepbrother"
)
_MANY = words(
    "parents kids children sons daughters grandparents flatmates siblings dogs cats roommates"
    " housemates sisters brothers boys girls twins rabbits kittens puppies"
)
_PERSON = (
    r"(?:stepmum|stepmom|stepdad|stepson|stepdaughter|stepsister|stepbrother|wife|husband|hubby|missus|partner|girlfriend|boyfriend|fiance|fiancée|mother|mom|mum|mama"
    r"|father|dad|papa|sister|brother|son|daughter|aunt|uncle|cousin|grandmother|grandma|gran|nan"
    r"|grandfather|grandpa|grandson|granddaughter|niece|nephew|roommate|flatmate|housemate"
    r"|neighbou?r|boss|best friend|friend|mate|landlady|landlord|teacher|parents|kids|children|sons"
    r"|daughters|grandparents|flatmates|siblings|sisters|brothers|roommates|housemates)"
)
_SOMEBODY = re.compile(
    rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}?(?P<kin>(?:{_PERSON}|dogs?|cats?|kitten|puppy|rabbit|horse"
    r"|parrot|hamster)(?:-in-law)?)\b(?!'s)"
    rf"|\b(?:got|have|adopted|own|bought|rescued|I've|we've) (?:an?|another) (?:[\w-]+ ){{0,3}}?"
    rf"{PET.replace('?P<who>', '?P<pet>')}\b"
    r"|\b(?:with|have|got|adopted) (?:two|three|four|\d) (?:[\w-]+ )?(?P<some>flatmates|roommates"
    r"|housemates|kids|children|sons|daughters|sisters|brothers|dogs|cats|rabbits"
    r"|kittens|puppies)\b"
    r"|\b(?:share|live|living|sharing|lives?) (?:an? |the |my |our )?(?:\w+ )?with (?:two|three"
    r"|four|\d|some) (?:\w+ )?"
    r"(?P<others>girls|guys|boys|people|friends|students|others)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"(?P<who>she|he|they)(?P<short>'s|'re)?(?= |\Z)(?! (?:said|says|told|asked))", re.IGNORECASE
)
_NAMED_IT = re.compile(
    r"(?:(?:I|we) )?(?:have )?(?:named|called|call|calling) (?:him|her|it|them) (?P<name>\w.*)",
    re.I,
)
_ITS_NAME = re.compile(
    r"(?:(?:his|her|its|it's|the|their)? ?names?(?:'s| is| are)? |(?:it's |is |are |which is "
    r"|who is )?(?:called|named) )(?P<name>\w.*)",
    re.IGNORECASE,
)
_SEX = {"girls": "daughters", "boys": "sons"}


@dataclass(frozen=True, slots=True)
class Spoken:
    """Whom the talk is about: the last clause, and the last of the user's people in it."""

    clause: str = ""
    person: str = ""  # "sister"
    introduced: bool = False  # the user said who they are in this sentence

    def after(self, clause: str) -> "Spoken":
        """What the talk is about once `clause` was said."""
        found = list(_SOMEBODY.finditer(clause))
        last = self.person
        if found:
            said = found[-1]
            last = (said["kin"] or said["pet"] or said["some"] or "flatmates").casefold()
        return Spoken(clause, last, self.introduced or introduces(clause))


_INTRODUCED = re.compile(
    r"(?:I'm|I am|this is|my name is|my name's|it's|myself) (?!not |so |just |in |at |on "
    r"|to )[\w'-]+"
    r"(?: [\w'-]+)?(?:,? (?:btw|by the way|here))?\Z"
    r"|[\w'-]+ here\Z|my name is [\w' -]+\Z|(?:I'm |I am )\d\d\Z|I'm from [\w ]+\Z",
    re.IGNORECASE,
)


def introduces(clause: str) -> bool:
    """Whether `clause` says who the user is and no more.

    >>> introduces("I'm Jayden"), introduces("I'm here to learn how")
    (True, False)
    """
    return bool(_INTRODUCED.match(clause))


def meant(clause: str, person: str) -> str:
    """`clause` with `person` ("sister") for the pronoun or the name that points at them."""
    named = (_NAMED_IT.match(clause) or _ITS_NAME.match(clause)) if person else None
    if named is not None:
        verb = "are" if person in _MANY else "is"
        return f"my {_SEX.get(person, person)} {verb} called {named['name']}"
    pronoun = _PRONOUN.match(clause)
    return _with_person(clause, pronoun, person) if pronoun is not None else clause


def _with_person(clause: str, pronoun: re.Match[str], person: str) -> str:
    who = pronoun["who"].casefold()
    alone = person.split()[-1].removesuffix("-in-law") if person else ""
    fits = (
        alone in _MANY
        if who == "they"
        else alone not in _MANY and alone not in (_MALE if who == "she" else _FEMALE)
    )
    if not alone or not fits:
        return clause
    rest = clause[pronoun.end() :].lstrip()
    verb = {"'s": "is ", "'re": "are "}.get(pronoun["short"] or "", "")
    if verb and re.match(r"(?:got|been|had|lived|worked|moved)\b", rest):
        verb = "has "
    return f"my {_SEX.get(person, person)} {verb}{rest}"
