"""What a user wants to hold for answers to come: standing orders and preferences."""

import re

_RULE = re.compile(
    r"^\W*(?:please |and |also )*(?:always|never|from now on|going forward|when(?:ever)? i ask)\b"
    r"|\bwhen(?:ever)? i ask\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\bi(?:['’](?:d|ve|m)| would| have| am)?(?: (?:really|always|also|usually|just|kinda))?"
    r" (?:prefer\w*|(?:rather|like) \w+|avoid\w*|chosen? to|favou?r|don['’]t (?:like|want)"
    r"|opt(?:ed)? )",
    re.IGNORECASE,
)
# What a rule has one of: most lines have none, and need no closer look.
_MARKS = ("ask", "lways", "ever", "rom now", "orward")


def is_rule(text: str) -> bool:
    """Whether `text` says how answers shall be from now on.

    >>> is_rule("Always name the sources when I ask about papers."), is_rule("I always walk.")
    (True, False)
    """
    return any(mark in text for mark in _MARKS) and bool(_RULE.search(text))


def is_preference(text: str) -> bool:
    """Whether `text` says what its speaker likes better or does not want.

    >>> is_preference("I prefer trains to planes."), is_preference("The train was late.")
    (True, False)
    """
    return bool(_PREFERENCE.search(text))
