"""Whether a candidate is worth remembering: durability x specificity x novelty x trust, one table.

MEMORY 1.1, step 6. Each factor is 0..1 and has its reason; the product decides between the tiers.
The figures are a start by judgement, checked on the dialogues of `data/evaluation`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from stratal_memory.learning.candidates import Found
from stratal_memory.learning.trust import CONFIDENCE
from stratal_memory.learning.wordlist import words
from stratal_memory.records import TRUST_ORDER, Trust
from stratal_memory.text import STOP_WORDS

MIN_TEXT, MAX_TEXT = 6, 500  # characters
ACCEPT, PROVISIONAL = 0.5, 0.2  # from this product on
QUARANTINED = Trust.TOOL  # what is trusted no more than this is kept apart until a person decides

# How long a statement stays of use, by its facet; the longest prefix decides.
DURABILITY: dict[str, float] = {
    "": 0.6,
    "note": 0.4,  # nobody asked to keep it
    "plan": 0.45,  # without a date
    "plan@": 0.8,  # with one
    "event": 0.8,
    "preference": 0.55,  # of no known kind
    "preference.": 0.85,
    "favourite": 0.9,
    "dislike": 0.8,
    "hobby": 0.8,
    "tool": 0.45,
    "tool.": 0.8,  # of a kind there is one of: "my editor is"
    "learning": 0.45,
    "possession": 0.8,
    "name": 1.0,
    "home": 1.0,
    "allergy": 1.0,
    "diet": 1.0,
    "health": 0.9,
    "family": 0.9,
    "people": 0.8,
    "pet": 0.9,
    "work": 0.9,
    "study": 0.8,
}
REST = 0.9  # any other facet: a plain statement about the user
# How much of it is said: a name or a number most, a word that stands for anything least.
NAMED, PLAIN, VAGUE = 1.0, 0.85, 0.3
NEW, RESTATED = 1.0, 0.0  # what was recalled and is said again is nothing new
TRUSTED: dict[Trust, float] = {
    Trust.SYSTEM: 1.0,
    Trust.USER: 1.0,
    Trust.ASSISTANT: 0.45,  # never more than provisional
    Trust.TOOL: 0.4,
    Trust.DOCUMENT: 0.4,
    Trust.WEB: 0.3,
}
_VAGUE = words("thing things stuff something someone somebody everything good nice way lot")


class Verdict(StrEnum):
    """What becomes of a candidate."""

    ACCEPT = "accept"
    PROVISIONAL = "provisional"  # held until a second source or a useful recall confirms it
    QUARANTINE = "quarantine"  # kept apart until a person decides
    EPISODE = "episode only"  # the conversation keeps it; no fact is made of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """The verdict on a candidate, and the reason as a person reads it."""

    verdict: Verdict
    reason: str
    confidence: float  # 0..1, what a memory made of it starts with
    score: float = 0.0  # 0..1, the product


def worth(found: Found, *, trust: Trust = Trust.USER, novelty: float = NEW) -> Worth:
    """What becomes of `found`, said by a source of `trust`.

    An explicit wish passes, if it says anything; so do corrections and retractions of the user.
    """
    refused = _unusable(found)
    if refused:
        return _worth(Verdict.EPISODE, refused, trust)
    durability, why = _durability(found)
    specificity = _specificity(found)
    score = durability * specificity * novelty * TRUSTED[trust]
    parts = f"{durability:g} x {specificity:g} x {novelty:g} x {TRUSTED[trust]:g} = {score:.2f}"
    verdict = _verdict(score)
    if verdict is not Verdict.EPISODE and _outranked(trust, QUARANTINED):
        verdict, why = Verdict.QUARANTINE, f"said by a source trusted as {trust.value}"
    return _worth(verdict, f"{why} ({parts})", trust, score)


def _verdict(score: float) -> Verdict:
    if score >= ACCEPT:
        return Verdict.ACCEPT
    return Verdict.PROVISIONAL if score >= PROVISIONAL else Verdict.EPISODE


def _outranked(trust: Trust, bound: Trust) -> bool:
    return TRUST_ORDER.index(trust) >= TRUST_ORDER.index(bound)


def _worth(verdict: Verdict, reason: str, trust: Trust, score: float = 0.0) -> Worth:
    return Worth(verdict=verdict, reason=reason, confidence=CONFIDENCE[trust], score=score)


def _durability(found: Found) -> tuple[float, str]:
    """How long it stays of use, and the reason."""
    if found.explicit:
        return 1.0, "the user asked to remember it"
    if found.correction or found.retracts:
        return 1.0, "the user corrects what was said"
    head, dot, _ = found.facet.partition(".")
    if head == "plan" and found.valid_from is not None:
        return DURABILITY["plan@"], "a plan with a date"
    known = DURABILITY.get(head + dot, DURABILITY.get(head, REST))
    return known, f"said of the user's {head}" if head else "a statement without a facet"


def _specificity(found: Found) -> float:
    parts = re.findall(r"[^\W_]+", found.value)
    if found.explicit or found.correction or found.retracts:
        return NAMED
    if any(word[0].isupper() or word.isdecimal() for word in parts):
        return NAMED
    return VAGUE if all(word.casefold() in _VAGUE | STOP_WORDS for word in parts) else PLAIN


def _unusable(found: Found) -> str:
    """Why no memory can be made of `found`; empty when one can."""
    length = len(found.text)
    if length < MIN_TEXT:
        return f"too short: {length} characters, {MIN_TEXT} are needed"
    if length > MAX_TEXT:
        return f"too long for one statement: {length} characters, {MAX_TEXT} are allowed"
    parts = re.findall(r"[^\W_]+", found.value.casefold())
    if not parts:
        return "it has no value"
    # The value of a name may be a stop word ("Will"); a note of stop words alone says nothing.
    noted = found.facet in {"", "note", "plan"}
    if noted and all(word in STOP_WORDS for word in parts):
        return "no word in it says what it is about"
    return ""
