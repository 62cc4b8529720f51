"""Whether a candidate is worth remembering: a table of thresholds, each with its reason."""

import re
from dataclasses import dataclass
from enum import StrEnum

from stratal_memory.learning.candidates import Found
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.records import TRUST_ORDER, Trust
from stratal_memory.text import STOP_WORDS

MIN_TEXT, MAX_TEXT = 6, 500  # characters
MIN_CONTENT_WORDS = 1  # beside "the user"
LEAST_TRUSTED = Trust.ASSISTANT  # what is trusted less is held until somebody confirms it

# Facets whose statements pass or are held; the longest prefix decides, "" is the rest.
_BY_FACET: dict[str, tuple[bool, str]] = {
    "": (False, "a statement without a facet"),
    "note": (False, "a note nobody asked to keep"),
    "plan": (False, "a plan without a date"),
    "event": (True, "an event with a date"),
    "preference": (False, "a preference of no known kind"),
    "preference.": (True, "a preference of a known kind"),
    "dislike": (True, "a dislike"),
    "tool": (False, "a tool mentioned once"),
    "learning": (False, "something being learned"),
}


class Verdict(StrEnum):
    """What becomes of a candidate."""

    ACCEPT = "accept"
    PROVISIONAL = "provisional"  # held until a second source or a useful recall confirms it
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """The verdict on a candidate, and the reason as a person reads it."""

    verdict: Verdict
    reason: str
    confidence: float  # 0..1, what a memory made of it starts with


def worth(found: Found, *, trust: Trust = Trust.USER) -> Worth:
    """What becomes of `found`, said by a source of `trust`.

    An explicit wish passes, if it says anything; so do corrections and retractions of the user.
    """
    refused = _unusable(found)
    if refused:
        return _worth(Verdict.REFUSE, refused, trust)
    if TRUST_ORDER.index(trust) >= TRUST_ORDER.index(LEAST_TRUSTED):
        return _worth(Verdict.PROVISIONAL, f"said by {trust.value}, not by the user", trust)
    if found.explicit:
        return _worth(Verdict.ACCEPT, "the user asked to remember it", trust)
    if found.correction or found.retracts:
        return _worth(Verdict.ACCEPT, "the user corrects what was said", trust)
    if found.facet == "plan" and found.valid_from is not None:
        return _worth(Verdict.ACCEPT, "a plan with a date", trust)
    passes, reason = _by_facet(found.facet)
    return _worth(Verdict.ACCEPT if passes else Verdict.PROVISIONAL, reason, trust)


def _worth(verdict: Verdict, reason: str, trust: Trust) -> Worth:
    return Worth(verdict=verdict, reason=reason, confidence=CONFIDENCE[trust])


def _unusable(found: Found) -> str:
    """Why no memory can be made of `found`; empty when one can."""
    length = len(found.text)
    if length < MIN_TEXT:
        return f"too short: {length} characters, {MIN_TEXT} are needed"
    if length > MAX_TEXT:
        return f"too long for one statement: {length} characters, {MAX_TEXT} are allowed"
    words = re.findall(r"[^\W_]+", found.value.casefold())
    # The value of a name may be a stop word ("Will"); a note of stop words alone says nothing.
    if found.facet in {"", "note", "plan"} and not _content(words) >= MIN_CONTENT_WORDS:
        return "no word in it says what it is about"
    if not words:
        return "it has no value"
    return ""


def _content(words: list[str]) -> int:
    return sum(word not in STOP_WORDS for word in words)


def _by_facet(facet: str) -> tuple[bool, str]:
    exact = _BY_FACET.get(facet)
    if exact is not None:
        return exact
    head = facet.partition(".")[0] + "."
    return _BY_FACET.get(head, (True, f"a plain statement of the user's {facet}"))
