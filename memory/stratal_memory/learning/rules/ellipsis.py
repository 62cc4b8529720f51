"""Subjects that were left out or said by a pronoun: "got married", "..., she's a vet"."""

import re

from stratal_memory.learning.rules.beginnings import BEGINNINGS, GOES_ON, PAST
from stratal_memory.learning.rules.kin import RELATION
from stratal_memory.learning.rules.pronouns import Spoken, meant
from stratal_memory.learning.rules.vocabulary import NATIONALITIES, ROLE_HEADS

_FAN = re.compile(r"\A(I'm )(?=(?:big|huge|massive|lifelong) fan)", re.IGNORECASE)
_HERE = re.compile(r"\s+here\Z", re.IGNORECASE)
_WHO = re.compile(
    r"\Aas (?:someone|somebody|a person|people) who(?P<is>'s| is)? ?(?P<rest>.+)", re.IGNORECASE
)
# A clause with one of these leaves open what its verbs say, and so what goes on from it.
_OPEN = re.compile(
    r"\b(?:(?:want|going|need|have|plan|planning|try|trying|hope|hoping|used|able|like|love) to"
    r"|will"
    r"|would|could|can|can't|should|might|may|want|don't|didn't|never|not|if|let)\b|'d\b|'ll\b",
    re.IGNORECASE,
)
# In which talk a verb without a subject has none of the user's.
_UNREAL_PAST = re.compile(r"\b(?:if|would|could|might|should|wish)\b|'d\b", re.IGNORECASE)
_FIRST = re.compile(r"(?:I|we)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"(?:the|a|an|he|she|they|it|it's|you|your|his|her|their|this|that|someone|somebody|people|who"
    rf"|(?!(?:I|we)\b)[\w-]+ (?:says|said|is|was|has|had|thinks|wants|told)|(?:my|our) {RELATION}"
    rf"|(?:my|our) (?:eldest|youngest|oldest))\b",
    re.IGNORECASE,
)
_ROLES = "|".join(sorted(ROLE_HEADS))
_BY_TRADE = re.compile(
    rf"(?:an? )?(?!(?:the|my|our|your|his|her|their|this|that|any|every|some|no|what|which|need"
    rf"|hire|{PAST}|saw|called|see|get"
    rf"|find|ask)\b)(?:[\w-]+ ){{0,3}}?(?:{_ROLES}|sophomore|freshman|junior|senior|student)"
    r"(?:,? (?:here|by trade|by day|by profession)\b.*| (?:at|in|of|for|with|from) (?!(?:the|my|a"
    r"|half|\d+|noon|quarter|it|that|this) "
    r"?(?:house|kitchen|world|past|eight|nine|ten|\d*)\b)[\w'& ,-]{2,60})\Z",
    re.IGNORECASE,
)
_VERBED = re.compile(
    r"\b(?:is|are|was|were|has|had|will|says|said|told|wants|needs|can|does)\b", re.I
)
_AGE = re.compile(r"\d\d(?: ?(?:yo|y/o|years? old|m|f))?\Z", re.IGNORECASE)
_INTRO = re.compile(
    rf"(?:originally |currently |now |also )*(?:from|in|at|based|living|studying|working|married"
    rf"|single)"
    rf"\b|(?:an? |the )?(?:[\w-]+ ){{0,3}}?(?:{_ROLES}|student"
    rf"|{'|'.join(sorted(NATIONALITIES))})\b",
    re.IGNORECASE,
)


# "Studying economics sounds fascinating" is said of the study, not of the speaker.
_GERUND = re.compile(
    r"\w+ing\b(?: [^\s,]+){0,7}? (?:sounds?|is|was|seems?|feels?|looks?|makes?|helps?|provides?"
    r"|takes?|can(?!')|would|will|has|gets|keeps|allows"
    r"|not only|isn't|wasn't|must|should|means|gives|requires)\b",
    re.IGNORECASE,
)


def completed(clause: str, spoken: Spoken, *, joined: bool) -> str:
    """The clause with its subject; `joined`: it goes on in the sentence of the one before.

    >>> completed("she's a vet", Spoken("", "sister"), joined=True)
    'my sister is a vet'
    """
    who = _WHO.match(clause)
    if who is not None:
        return _somebody_who(who)
    named = meant(clause, spoken.person)
    if named != clause or re.match(r"(?:she|he|they)\b", clause, re.IGNORECASE):
        return named
    theirs = re.match(rf"my {re.escape(spoken.person)}\b", spoken.clause) if spoken.person else None
    if joined and theirs:
        return _of_person(clause, spoken.person)
    if (
        joined
        and spoken.introduced
        and not re.match(GOES_ON, clause, re.I)
        and not _VERBED.search(clause)
    ):
        told = _told_of_self(clause)
        if told:
            return told
    if joined and _OTHER.match(spoken.clause):
        return clause
    return _goes_on(clause, spoken) if joined and _FIRST.match(spoken.clause) else _begun(clause)


def _told_of_self(clause: str) -> str:
    """An item of an introduction: "16", "from Stockton", "french student"; empty for others."""
    if _AGE.match(clause):
        return f"I'm {clause[:2]}"
    if not _INTRO.match(clause):
        return ""
    bare = re.match(
        r"(?:an?|the|from|in|at|based|living|studying|working|married|single|\w+ly)\b", clause, re.I
    )
    return f"I'm {clause}" if bare else f"I'm {_article(clause)}"


def _article(words: str) -> str:
    return f"an {words}" if words[:1].casefold() in "aeiou" else f"a {words}"


def _goes_on(clause: str, spoken: Spoken) -> str:
    """The clause said of the user, who spoke of themselves just before."""
    past = re.match(PAST + r"\b", clause, re.IGNORECASE)
    if past and not _UNREAL_PAST.search(spoken.clause):
        return f"I {clause}"
    if not _OPEN.search(spoken.clause) and re.match(GOES_ON, clause, re.IGNORECASE):
        return f"I {clause}"
    return _begun(clause)


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
    """With the subject its first words ask for, if they ask for one."""
    if _BY_TRADE.match(clause) and not _VERBED.search(clause):
        return f"I'm {clause if re.match(r'an? ', clause) else _article(clause)}"
    if _GERUND.match(clause):
        return clause
    for pattern, subject in BEGINNINGS:
        if pattern.match(clause):
            return _FAN.sub(r"\1a ", _HERE.sub("", subject + clause))
    return clause


def _somebody_who(match: re.Match[str]) -> str:
    rest = match["rest"]
    if match["is"]:
        return f"I'm {rest}"
    verb, _, more = rest.partition(" ")
    plain = {"has": "have", "does": "do", "was": "was"}.get(verb, verb.removesuffix("s"))
    return f"I {plain} {more}"
