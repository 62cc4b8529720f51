"""The one skill that fits a message: by a trigger, else by meaning (Os18)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stratal_memory.errors import InputError
from stratal_procedures.skill import Skill

# Cosine of all-MiniLM-L6-v2, measured with the three skills of data/skills: 30 messages that mean
# one reach 0.21 to 0.77 (median 0.36), the best of 30 unrelated ones 0.43 (median 0.16). At 0.45 no
# unrelated message gets a procedure; 0.35 would find 10 of 30 more, with 4 of 30 wrongly.
THRESHOLD = 0.45
OCTOPUS_THRESHOLD = 0.80  # Os18; between a message and a description hardly ever reached

# Given skills, the similarity of the message to each, 0..1, in the same order.
Similar = Callable[[Sequence[Skill]], Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """A skill that was looked at, its score 0..1, and why it was or was not taken."""

    skill: Skill
    score: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The skill to inject, None when none fits, and all that were looked at, best first."""

    best: Considered | None
    considered: tuple[Considered, ...]


def match(
    message: str, skills: Sequence[Skill], *, similar: Similar | None, threshold: float = THRESHOLD
) -> Matching:
    """At most one enabled skill for `message`; never one that only a person starts.

    A trigger decides first (score 1); of several the higher priority, then the longer matched
    text, then the earlier skill. Without a trigger the most similar of at least `threshold`; a tie
    goes to the higher priority, then to the earlier skill. Without `similar` only triggers count.
    """
    enabled = [skill for skill in skills if skill.enabled and skill.automatic]
    found = {at: text for at, skill in enumerate(enabled) if (text := found_by(skill, message))}
    chosen, considered = (
        _by_trigger(enabled, found)
        if found
        else _by_meaning(enabled, similar=similar, threshold=threshold)
    )
    off = [_out(skill, _off(skill)) for skill in skills if skill not in enabled]
    return Matching(best=considered[0] if chosen else None, considered=(*considered, *off))


def _off(skill: Skill) -> str:
    return "only a person starts it" if skill.enabled else "it is disabled"


def found_by(skill: Skill, message: str) -> str:
    """The longest part of the message that a trigger of the skill matches; empty when none does."""
    return max((trigger.found(message) or "" for trigger in skill.triggers), key=len, default="")


def _by_trigger(skills: Sequence[Skill], found: dict[int, str]) -> tuple[bool, list[Considered]]:
    order = sorted(found, key=lambda at: (-skills[at].priority, -len(found[at]), at))
    hits = [
        Considered(skill=skills[at], score=1.0, why=f"a trigger matched {found[at]!r}")
        for at in order
    ]
    beaten = [
        replace(hit, why=f"{hit.why}, but {hits[0].skill.name} goes first") for hit in hits[1:]
    ]
    rest = [_out(skill, "no trigger matched") for at, skill in enumerate(skills) if at not in found]
    return True, [hits[0], *beaten, *rest]


def _by_meaning(
    skills: Sequence[Skill], *, similar: Similar | None, threshold: float
) -> tuple[bool, list[Considered]]:
    if similar is None or not skills:
        return False, [
            _out(skill, "no trigger matched, and no model to compare") for skill in skills
        ]
    scores = [_score(value) for value in similar(skills)]
    if len(scores) != len(skills):
        raise InputError(
            f"{len(scores)} similarities were given for {len(skills)} skills",
            hint="`similar` gives one a skill, in the order given.",
        )
    order = sorted(range(len(skills)), key=lambda at: (-scores[at], -skills[at].priority, at))
    chosen = scores[order[0]] >= threshold
    return chosen, [
        Considered(
            skill=skills[at],
            score=scores[at],
            why=_why(scores[at], threshold=threshold, best=at == order[0]),
        )
        for at in order
    ]


def _score(value: float) -> float:
    """`value` within 0..1; what is not a number is no similarity."""
    return 0.0 if math.isnan(value) else min(max(float(value), 0.0), 1.0)


def _why(score: float, *, threshold: float, best: bool) -> str:
    if score < threshold:
        return f"no trigger matched; similarity {score:.2f} is below {threshold:.2f}"
    if best:
        return f"similarity {score:.2f} is the best of at least {threshold:.2f}"
    return f"similarity {score:.2f}, but another is more similar"


def _out(skill: Skill, why: str) -> Considered:
    return Considered(skill=skill, score=0.0, why=why)
