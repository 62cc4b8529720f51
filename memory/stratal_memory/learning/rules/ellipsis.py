"""Subjects that were left out or said by a pronoun: "got married", "..., she's a vet"."""

import re
from dataclasses import dataclass

from stratal_memory.learning.wordlist import words

# What a clause that goes on with the subject of the one before may begin with.
GOES_ON = (
    r"(?:work(?:ing)? (?:at|for|as|in|nights)|live[sd]? (?:in|near|with|alone)|love|hate|play|teach"
    r"|drive|own|study|studying|speak|collect|sing|enjoy|prefer|have (?:an?|two|three|been)|got"
    r"|moved|bought|adopted|married|allergic|vegan|vegetarian|(?:just|recently) (?:moved|got"
    r"|started|bought|adopted|finished)|retired|can't stand|never liked"
    r"|(?:loves|hates|likes|works|lives|plays|speaks|uses|wears|drives|collects) )"
)
_PAST = (
    r"(?:just |recently |finally |already |also |even )*(?:got|bought|moved|started|finished|passed"
    r"|broke|sold|quit|adopted|graduated|turned|ran|won|lost|joined|left|booked|retired|inherited"
    r"|married|studied|grew up|stopped|gave up|signed up|used to|visited|went to|flew|met|had my"
    r"|had an?)\b"
)
_BEGINNINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), subject)
    for pattern, subject in (
        (_PAST + r"(?! it\b)", "I "),
        (r"born\b", "I was "),
        (r"been \w+ing\b|been (?:a|an|in|vegan|vegetarian|married)\b", "I've "),
        (
            r"(?:currently |now |still |also )*(?:living|working|moving|going|flying|leaving"
            r"|travell?ing|training|learning|studying|planning|visiting|renting|teaching|based"
            r"|getting married|allergic to|married|engaged|expecting|saving|obsessed with"
            r"|originally from|from (?-i:[A-Z]))\b",
            "I'm ",
        ),
        (r"(?:a )?(?:big|huge|massive|not an?|not a (?:big|huge)|lifelong) fan of\b", "I'm "),
        (r"(?:love|hate|prefer|can't stand|don't (?:like|eat|drink)|never liked)\b", "I "),
        (r"(?:thinking of|in my (?:late|early|mid))\b", "I'm "),
    )
)
_FAN = re.compile(r"\A(I'm )(?=(?:big|huge|massive|lifelong) fan)", re.IGNORECASE)
_HERE = re.compile(r"\s+here\Z", re.IGNORECASE)
_WHO = re.compile(
    r"\Aas (?:someone|somebody|a person|people) who(?P<is>'s| is)? ?(?P<rest>.+)", re.IGNORECASE
)
# A clause with one of these leaves open what its verbs say, and so what goes on from it.
_OPEN = re.compile(
    r"\b(?:to|will|would|could|can|can't|should|might|may|want|don't|didn't|never|not|if|used"
    r"|let)\b"
    r"|'d\b|'ll\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"(?:I|we)\b", re.IGNORECASE)

_FEMALE = words(
    "wife girlfriend mother mom mum mama sister daughter aunt grandmother grandma niece"
)
_MALE = words("husband boyfriend father dad papa brother son uncle grandfather grandpa nephew")
_MANY = words("parents kids children sons daughters grandparents flatmates siblings")
_SOMEBODY = re.compile(
    r"\b(?:my|our) (?:[\w-]+ ){0,2}?(?P<kin>(?:wife|husband|partner|girlfriend|boyfriend|fiance"
    r"|fiancée|mother|mom|mum|mama|father|dad|papa|sister|brother|son|daughter|aunt|uncle|cousin"
    r"|grandmother|grandma|grandfather|grandpa|niece|nephew|roommate|flatmate|neighbou?r|boss"
    r"|best friend|friend|parents|kids|children|sons|daughters|grandparents|flatmates|siblings"
    r"|dog|cat|kitten|puppy|rabbit|horse|parrot|hamster)(?:-in-law)?)\b(?!'s)"
    r"|\b(?:got|have|adopted|own|bought) (?:a|an) (?:[\w-]+ ){0,3}?"
    r"(?P<pet>dog|cat|kitten|puppy|rabbit|horse|parrot|hamster|tortoise)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"(?P<who>she|he|they)(?P<short>'s|'re)?(?= |\Z)(?! (?:said|says|told|asked))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """Whom the talk is about: the last clause, and the last of the user's people in it."""

    clause: str = ""
    person: str = ""  # "sister"

    def after(self, clause: str) -> "Spoken":
        """What the talk is about once `clause` was said."""
        found = list(_SOMEBODY.finditer(clause))
        last = (found[-1]["kin"] or found[-1]["pet"]).casefold() if found else self.person
        return Spoken(clause, last)


def completed(clause: str, spoken: Spoken, *, joined: bool) -> str:
    """The clause with its subject; `joined`: it goes on in the sentence of the one before.

    >>> completed("she's a vet", Spoken("", "sister"), joined=True)
    'my sister is a vet'
    """
    who = _WHO.match(clause)
    if who is not None:
        return _somebody_who(who)
    pronoun = _PRONOUN.match(clause)
    if pronoun is not None:
        return _named(clause, pronoun, spoken.person)
    theirs = re.match(rf"my {re.escape(spoken.person)}\b", spoken.clause) if spoken.person else None
    if joined and theirs:
        return _of_person(clause, spoken.person)
    told = joined and _FIRST.match(spoken.clause) and not _OPEN.search(spoken.clause)
    bare = f"I {clause}" if told and re.match(GOES_ON, clause, re.IGNORECASE) else clause
    return _begun(clause) or bare


def _of_person(clause: str, person: str) -> str:
    """The clause said of `person` where it goes on about them."""
    if re.match(r"(?:retired|vegan|vegetarian|allergic|married|pregnant|diabetic)\b", clause, re.I):
        return f"my {person} is {clause}"
    if re.match(r"(?:\w+s|can't stand|got|moved|never) ", clause) and re.match(
        GOES_ON, clause, re.I
    ):
        return f"my {person} {clause}"
    return clause


def _begun(clause: str) -> str:
    """With the subject its first words ask for; empty when they ask for none."""
    for pattern, subject in _BEGINNINGS:
        if pattern.match(clause):
            return _FAN.sub(r"\1a ", _HERE.sub("", subject + clause))
    return ""


def _somebody_who(match: re.Match[str]) -> str:
    rest = match["rest"]
    if match["is"]:
        return f"I'm {rest}"
    verb, _, more = rest.partition(" ")
    plain = {"has": "have", "does": "do", "was": "was"}.get(verb, verb.removesuffix("s"))
    return f"I {plain} {more}"


def _named(clause: str, pronoun: re.Match[str], person: str) -> str:
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
    return f"my {person} {verb}{rest}"
