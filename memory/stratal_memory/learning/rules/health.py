"""What the user can't or won't have: allergies, diets, conditions."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.preferences import VAGUE, several
from stratal_memory.learning.rules.rule import (
    I_AM,
    I_HAVE,
    Draft,
    Rule,
    bare,
    rule,
    stated,
)
from stratal_memory.learning.rules.sentences import Clause


def _short(value: str) -> bool:
    return 0 < len(value.split()) <= 6 and not VAGUE.match(value)


_DIET = (
    r"vegetarian|vegan|pescatarian|flexitarian|lactose[ -]intolerant|gluten[ -]free"
    r"|gluten[ -]intolerant|c(?:o)?eliac|diabetic|teetotal|keto|halal|kosher|left[- ]handed"
    r"|colou?r[- ]?blind|dyslexic|asthmatic"
)


def _diet(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = match["value"].casefold()
    negated = bool(match["no"])
    body = value.startswith(("left", "colo", "dysl", "asth", "diab"))
    said = f"is no longer {value}" if negated else f"is {value}"
    return (
        Draft(
            facet="health" if body else "diet",
            value=value,
            text=f"The user {said}.",
            retracts=negated,
        ),
    )


RULES: tuple[Rule, ...] = (
    rule(
        "health.allergy",
        rf"(?:{I_AM}(?:(?:severely|deathly|highly|very|slightly|mildly) )?allergic to"
        rf"|(?:{I_HAVE})an? (?:\w+ )?allergy to|we're allergic to) (?P<value>.+)",
        lambda match, clause: tuple(
            Draft(facet="allergy", value=bare(value), text=f"The user is allergic to {value}.")
            for value in several(match["value"], clause)
            if _short(value)
        ),
    ),
    rule(
        "health.allergy_of",
        rf"(?:{I_HAVE})an? (?:severe |bad |serious )?(?P<value>[\w-]+(?: [\w-]+)?) allergy",
        stated("allergy", "The user has a {value} allergy.", accept=_short),
    ),
    rule(
        "health.no_allergy",
        r"(?:I'm|I am) (?:no longer|not) allergic to (?P<value>.+)",
        stated("allergy", "The user is not allergic to {value}.", retracts=True, accept=_short),
    ),
    rule(
        "health.diet",
        rf"(?:{I_AM}|we're |we are )(?P<no>no longer |not )?(?:an? )?(?:strict )?"
        rf"(?P<value>{_DIET})\b(?! (?:option|restaurant|recipe|diet))",
        _diet,
    ),
)
