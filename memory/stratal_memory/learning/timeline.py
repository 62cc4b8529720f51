"""What was true when: the spans that dated claims about one thing make, in any order they came.

Pure: the same claims give the same spans. A later claim ends an earlier value when its source is
trusted as much; a less trusted one stands beside it, contested; where neither is later nor more
trusted, both are contested.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import groupby

from stratal_memory.learning.trust import Voice, confidence_of, voices
from stratal_memory.records import TRUST_ORDER, Trust


class Says(StrEnum):
    """What a claim says of its value."""

    TRUE = "true"  # from then on
    ENDED = "ended"  # no more from then on
    VOID = "void"  # never was: it was taken back, and what it replaced does not come back


class Standing(StrEnum):
    """How a span stands beside others of its time."""

    SETTLED = "settled"
    CONTESTED = "contested"
    HELD = "held"  # said once by somebody who may have meant nothing by it


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One source's word on a value. `origin` is the caller's own mark, handed back in spans."""

    value: str  # folded: compared exactly
    at: datetime
    trust: Trust
    source: str  # who says it; says it twice, counts once
    says: Says = Says.TRUE
    held: bool = False
    origin: int = -1

    @property
    def voice(self) -> Voice:
        """Who speaks."""
        return (self.source, self.trust)


@dataclass(slots=True, kw_only=True)
class Span:
    """A value from `start` to `end` (None: until now), with the claims that speak for it."""

    value: str
    trust: Trust
    start: datetime
    standing: Standing
    claims: list[Claim]
    end: datetime | None = None
    against: list[Claim] = field(default_factory=list[Claim])  # what speaks against it now

    @property
    def support(self) -> int:
        """How many independent sources speak for it."""
        return len(voices(claim.voice for claim in self.claims))

    @property
    def confidence(self) -> float:
        """How sure it is, 0..1."""
        against = [claim.voice for claim in self.against]
        return confidence_of(self.trust, [claim.voice for claim in self.claims], against=against)


def spans(claims: Iterable[Claim]) -> list[Span]:
    """The spans of one thing that has one value at a time, by their start."""
    ordered = sorted(claims, key=_order)
    confirmed = _confirmed(ordered)
    line = _Line()
    for at, group in groupby(
        (claim for claim in ordered if not claim.held or claim.value in confirmed),
        key=lambda claim: claim.at,
    ):
        line.take(at, list(group))
    made = [*line.done, *line.current, *line.beside]
    made += _held(ordered, confirmed)
    _oppose(made)
    return sorted(
        (span for span in made if span.end is None or span.start < span.end),
        key=lambda span: (span.start, _rank(span.trust), span.value),
    )


def _order(claim: Claim) -> tuple[datetime, int, str, str, int]:
    return (claim.at, _rank(claim.trust), claim.value, claim.source, claim.origin)


def _rank(trust: Trust) -> int:
    return TRUST_ORDER.index(trust)


def _confirmed(claims: Sequence[Claim]) -> set[str]:
    """The values that a second source has said, or somebody who was not held."""
    said: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.says is Says.TRUE:
            said.setdefault(claim.value, []).append(claim)
    return {
        value
        for value, some in said.items()
        if any(not one.held for one in some) or len(voices(one.voice for one in some)) > 1
    }


def _held(claims: Sequence[Claim], confirmed: set[str]) -> list[Span]:
    """What was said once and is not confirmed yet; it stays until it is confirmed or expires."""
    waiting: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.value not in confirmed and claim.says is Says.TRUE:
            waiting.setdefault(claim.value, []).append(claim)
    return [
        Span(
            value=value,
            trust=said[0].trust,
            start=said[0].at,
            standing=Standing.HELD,
            claims=said,
        )
        for value, said in waiting.items()
    ]


def _oppose(made: Sequence[Span]) -> None:
    """Count against each open span what contests it."""
    open_ = [span for span in made if span.end is None and span.standing is not Standing.HELD]
    for span in open_:
        for other in open_:
            if other.value != span.value and Standing.CONTESTED in (span.standing, other.standing):
                span.against.extend(other.claims)


class _Line:
    """The fold over claims in the order of their dates."""

    def __init__(self) -> None:
        self.current: list[Span] = []  # one, or several that contest each other
        self.beside: list[Span] = []  # said by the less trusted, against the current one
        self.done: list[Span] = []

    def take(self, at: datetime, group: Sequence[Claim]) -> None:
        """Everything that was said to be so from `at` on."""
        self._end(at, [claim for claim in group if claim.says is Says.ENDED])
        said = [claim for claim in group if claim.says is not Says.ENDED]
        if not said:
            return
        floor = min((_rank(span.trust) for span in self.current), default=len(TRUST_ORDER))
        best = min(_rank(claim.trust) for claim in said)
        if best <= floor:
            self._replace(at, [claim for claim in said if _rank(claim.trust) == best])
            said = [claim for claim in said if _rank(claim.trust) != best]
        for claim in said:
            self._stand_beside(claim)

    def _end(self, at: datetime, ending: Sequence[Claim]) -> None:
        over = {claim.value for claim in ending}
        for spans_ in (self.current, self.beside):
            for span in [one for one in spans_ if one.value in over]:
                self._close(span, at)
                spans_.remove(span)

    def _replace(self, at: datetime, said: Sequence[Claim]) -> None:
        """The most trusted claims of one moment become what is true, or more support for it."""
        true = [claim for claim in said if claim.says is Says.TRUE]
        values = {claim.value for claim in true}
        if self._goes_on(values, said):
            self.current[0].claims.extend(true)
            return
        for span in (*self.current, *self.beside):
            self._close(span, at)
        self.beside = []
        self.current = [
            Span(
                value=value,
                trust=true[0].trust,
                start=at,
                standing=Standing.SETTLED if len(values) == 1 else Standing.CONTESTED,
                claims=[claim for claim in true if claim.value == value],
            )
            for value in sorted(values)
        ]

    def _goes_on(self, values: set[str], said: Sequence[Claim]) -> bool:
        """Whether one span is current, these claims say the same, and trust does not rise."""
        return (
            len(self.current) == 1
            and values == {self.current[0].value}
            and all(claim.says is Says.TRUE for claim in said)
            and said[0].trust is self.current[0].trust
        )

    def _stand_beside(self, claim: Claim) -> None:
        if claim.says is not Says.TRUE:
            return
        for span in (*self.current, *self.beside):
            if span.value == claim.value and _rank(span.trust) <= _rank(claim.trust):
                span.claims.append(claim)
                return
        self.beside.append(
            Span(
                value=claim.value,
                trust=claim.trust,
                start=claim.at,
                standing=Standing.CONTESTED,
                claims=[claim],
            )
        )

    def _close(self, span: Span, at: datetime) -> None:
        span.end = at
        self.done.append(span)
