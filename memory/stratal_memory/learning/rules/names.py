"""What the user is called, and how they say so."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.kin import is_small_name, is_state
from stratal_memory.learning.rules.rule import I_AM, Draft, Make, Rule, cleaned, named, rule, stated
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.rules.vocabulary import (
    LANGUAGE_NAMES,
    NATIONALITIES,
    NO_NAME,
    ROLE_HEADS,
)


def _is_name(value: str) -> bool:
    words = value.casefold().split()
    return 0 < len(words) <= 4 and words[0] not in NO_NAME and not any(map(str.isdigit, value))


def _name(facet: str, text: str) -> Make:
    """A name, with the one it replaces when the user says "not Y"."""

    def make(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
        value = cleaned(match["value"], clause)
        if not _is_name(value) or (clause.text[:6] == "myself" and not is_small_name(value)):
            return ()
        other = _not(clause.text)
        return (
            Draft(
                facet=facet,
                value=value,
                text=text.format(value=value),
                single_valued=True,
                correction=bool(other),
                instead_of=other,
            ),
        )

    return make


_NOT = re.compile(r",? not ([^\W\d_][\w'-]*(?: [A-Z][\w'-]*)?)\Z")


def _not(text: str) -> str:
    match = _NOT.search(text)
    return match[1] if match else ""


def _greeted_name(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """A name in "I'm Alice", which is one only after a greeting; it is too often another thing."""
    value = re.sub(r"\s+(?:btw|by the way|here)\Z", "", cleaned(match["value"], clause), flags=re.I)
    head = re.split(r" (?:from|in|at) | and (?=(?:I|my|we)\b)", value)[0]
    if named(head, words=2) or re.match(r"\w+ from \w", value):
        value = head
    if any(map(str.isdigit, value)):
        return ()
    common = value.casefold() in NATIONALITIES | LANGUAGE_NAMES or value.casefold().split()[:1] == [
        "the"
    ]
    met = re.search(r"to meet you|\b(?:btw|by the way)\Z", clause.text, re.IGNORECASE)
    told = (
        clause.greeted
        or met
        or _AGED.match(clause.text)
        or (clause.opens and (_THIS.match(clause.text) or (clause.goes_on and _alone(value))))
    )
    if not told or common or is_state(value) or not (named(value, words=3) or is_small_name(value)):
        return ()
    return (
        Draft(facet="name", value=value, text=f"The user's name is {value}.", single_valued=True),
    )


def _alone(value: str) -> bool:
    """Whether `value` in "I'm Steve and my ..." is written as a name, and as no people's."""
    return value[:1].isupper() and not re.search(r"(?:ish|ese|[^rt]ian|[lce]an|lic|ch)\Z", value)


# "I'm Steve, 34": who says so introduces themselves.
_AGED = re.compile(r"(?:I'm|I am) [A-ZÀ-Þ][\w'-]*(?: [A-ZÀ-Þ][\w'-]*)?, \d\d\b")
_THIS = re.compile(
    r"this is (?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)?(?: (?:from|in|at) .+|,.*)?\Z", re.I
)
_CALLS = re.compile(
    r"nobody|nothing|anyone|anybody|everyone|someone|hello|new|still|me|no one", re.I
)


def _here(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The name in "Priya here": at the beginning, and none that is a trade or a state."""
    value = match["value"]
    low = value.casefold()
    if not clause.opens or low in ROLE_HEADS | NATIONALITIES | NO_NAME or _CALLS.match(value):
        return ()
    if is_state(value):
        return ()
    text = f"The user's name is {value}."
    return (Draft(facet="name", value=value, text=text, single_valued=True),)


RULES: tuple[Rule, ...] = (
    rule(
        "identity.name",
        r"my (?:full |first |real |own )?name(?:'s| is| it is| it's|:| was always)"
        r" (?!not\b)(?P<value>.+)",
        _name("name", "The user's name is {value}."),
    ),
    rule(
        "identity.not_name",
        r"my name(?: is not| isn't|'s not) (?P<value>[\w'-]+)\Z",
        stated(
            "name", "The user's name is not {value}.", single=True, retracts=True, accept=_is_name
        ),
    ),
    rule(
        "identity.called",
        rf"(?:{I_AM}called |myself )(?P<value>(?!I\b|and\b|to\b|in\b|at\b).+)",
        _name("name", "The user's name is {value}."),
    ),
    rule(
        "identity.call_me",
        r"(?:you can |you may |please |just )*call me (?P<value>[^\W\d_].*)",
        _name("name.preferred", "The user wants to be called {value}."),
    ),
    rule(
        "identity.goes_by",
        r"(?:I go by|(?:people|friends|my friends|my family|everyone|everybody"
        r"|most people|folks|colleagues|they all) (?:just )?calls? me) (?P<value>.+)",
        _name("name.preferred", "The user goes by {value}."),
    ),
)

# Asked after the pronouns and the age: "I'm in my forties" names nobody.
GREETED: tuple[Rule, ...] = (
    rule(
        "identity.here",
        r"(?P<value>(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)?)(?: from [\w &'-]+)? here\Z",
        _here,
    ),
    rule(
        "identity.greeted", rf"(?:{I_AM}|this is |it's (?=(?-i:[A-Z])))(?P<value>.+)", _greeted_name
    ),
)
