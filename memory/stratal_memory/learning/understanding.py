"""A single statement that was given whole, read by the rules: what it is about, and its value."""

import re
from dataclasses import replace
from datetime import datetime

from stratal_memory.learning.candidates import Found
from stratal_memory.learning.settings import GateSettings
from stratal_memory.learning.statement import Statement
from stratal_memory.learning.tense import holds_at
from stratal_memory.records import Trust

READ_WHOLE = 0.7  # share of a text a rule must have read to stand for it
_OWN = re.compile(r"\A\s*(?:the )?user(?:'s|’s)\s+", re.IGNORECASE)
_USER = re.compile(
    r"\A\s*(?:the )?user\s+(?P<between>(?:(?:\w+ly|also|now|still|never|always|often|just"
    r"|no longer)\s+){0,3})(?P<verb>[a-z]+(?:n't|n’t|'s|’s)?)(?![\w'’])",
    re.IGNORECASE,
)
_THEIR = re.compile(r"\b(?:their|his|her)\b(?! (?:is|are|was)\b)", re.IGNORECASE)
_VERBS = {
    "is": "am",
    "isn't": "am not",
    "has": "have",
    "hasn't": "haven't",
    "does": "do",
    "doesn't": "don't",
    "goes": "go",
    "was": "was",
}


def first_person(text: str) -> str:
    """A sentence about "the user" as the user would say it; empty for any other sentence.

    >>> first_person("The user's name is Bob."), first_person("User studies law.")
    ('My name is Bob.', 'I study law.')
    >>> first_person("The sky is blue.")
    ''
    """
    own = _OWN.match(text)
    if own is not None:
        return "My " + _mine(text[own.end() :])
    about = _USER.match(text)
    if about is None:
        return ""
    verb = _spoken(about["verb"].replace("’", "'").casefold())
    return f"I {about['between']}{verb}{_mine(text[about.end() :])}"


def _mine(text: str) -> str:
    return _THEIR.sub("my", text)


def _spoken(verb: str) -> str:
    """The verb after "I" that is this one after "the user"."""
    if verb in _VERBS:
        return _VERBS[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("shes", "ches", "sses", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def understood(statement: Statement, gate: GateSettings) -> Statement:
    """The statement with what the rules read in it, when one of them reads nearly all of it.

    What speaks of "the user" is read whoever says it; "I" is the user only where the user speaks.
    The text stays as it was given.
    """
    said = first_person(statement.text)
    if not said and statement.trust is Trust.USER:
        said = statement.text
    one = _whole(said, gate.local(statement.valid_from)) if said else None
    if one is None:
        return statement
    return replace(
        statement,
        facet=one.facet,
        value=one.value,
        single_valued=one.single_valued,
        correction=one.correction,
        retracts=one.retracts,
        instead_of=one.instead_of,
        valid_from=one.valid_from or statement.valid_from,
        valid_to=one.valid_to or statement.valid_to,
        holds_at=holds_at(one.quote, one.valid_from, statement.valid_from),
    )


def _whole(text: str, at: datetime) -> Found | None:
    """The one statement in `text`, where it is nearly all of it."""
    # Every rule is a module: loaded where one is read by, not where memory is merely looked at.
    from stratal_memory.learning.rules.extraction import extract

    found = extract(text, at)
    whole = len(found) == 1 and len(found[0].quote) >= READ_WHOLE * len(text)
    return found[0] if whole else None
