"""What the user asks to be remembered in so many words."""

import re

from stratal_memory.learning.dates import resolve
from stratal_memory.learning.rules.phrasing import dated, sentence, third_person, without_dates
from stratal_memory.learning.rules.rule import Draft
from stratal_memory.learning.rules.sentences import Clause

_ASKED = re.compile(
    r"(?:(?:please|also|and|just|always|(?:can|could|would|will) you|I want you to|I'd like you to"
    r"|I need you to|you should)\s+){0,4}"
    r"(?:remember(?! (?:when|how|what|where|who|why|the time|me\b|if|whether|last))"
    r"|note(?: to (?:self|myself))?(?= *:| to (?:self|myself)| that| this|,| )|keep in mind"
    r"|bear in mind|don't forget|do not forget|never forget|make a note|take note"
    r"|take a note|for future reference|for the future|save this|store this"
    r"|memori[sz]e(?: this)?|from now on(?= ))"
    r"(?:\s*[:,]|\s+(?P<that>that)\b|\s+(?P<to>to)\b|\s+(?P<about>about|of)\b|\s+this\s*:"
    r"|(?=\s))\s*",
    re.IGNORECASE,
)


def asked(clause: Clause) -> tuple[str, int] | None:
    """How the request goes on ("to", "about", or empty) and where; None when there is none.

    The place is in characters into `clause.text`.
    """
    match = _ASKED.match(clause.text)
    if match is None or match.end() == len(clause.text) or _ADVICE.match(clause.text, match.end()):
        return None
    return ("to" if match["to"] else "about" if match["about"] else ""), match.end()


# What is said to the other one, or asks whether they remember.
_ADVICE = re.compile(
    r"(?:even )?if |when you|I told you|you told|my \w+ from|the time|that time|those|how |what "
    r"|there's always|it's (?:important|essential|crucial|ok|okay|best|good|never|always|all"
    r"|not)\b|the key (?:is|to)|practice\b"
    r"|consistency\b|everyone|nobody|life\b|.*\bwith me\Z",
    re.IGNORECASE,
)


def note(clause: Clause, how: str) -> Draft:
    """The clause itself as a note, for what no rule knows a facet for."""
    skipped = _REMIND.match(clause.text)
    words = clause.text[skipped.end() if skipped else 0 :].strip(" .!")
    dates = resolve(words, clause.at)
    told = dated(words, dates)
    when = dates[0] if dates else None
    value = without_dates(words, dates)
    if how:
        text = sentence(f"The user asked to be reminded {how} {_their(told)}")
        return Draft(facet="plan" if how == "to" else "note", value=value, text=text, when=when)
    return Draft(facet="note", value=value, text=third_person(told), when=when)


_REMIND = re.compile(r"remind me (?:to )?", re.IGNORECASE)


def _their(text: str) -> str:
    return re.sub(r"\b(?:my|our)\b", "their", text, flags=re.IGNORECASE)
