"""Counts corrected by what the provider billed: pure values, and the counter made of them.

A caller keeps one `Calibration` a model and counter (`to_json`), and one `Anchor` a conversation.
Before a request it asks `estimate`; after it, `learn`, and where the report is `plausible` it
makes the next anchor. Everywhere `counted` is what the uncalibrated counter said of the whole
request, and `reported` the input tokens of the usage, cached ones included.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from stratal.context.counting import Counter
from stratal.context.request import ToolSpec
from stratal_memory.records import Message

_log = logging.getLogger(__name__)

# Reports outside these shares of the count are a server's mistake or a cut prompt (PROVIDERS).
LEAST_SHARE, MOST_SHARE = 0.25, 4.0
GROWN = 1.05  # a request that grew by this share and was billed no more was cut by the server

SLOWLY = 0.2  # share of an over-count that is taken back at once

# The rest is fitted on simulated providers over the test data; see tests/platform/tokens.
FADING = 0.9  # what older requests weigh against the newest one
FIRST_MASS = 300.0  # tokens; how much a factor from a whole request is trusted
STEP = 1.6  # a slope is believed up to this multiple of the factor, and down to its inverse
LEAN, LEAN_MOST, LEAN_OF = 0.6, 0.02, 20  # see `Calibration.lean`
NOISE = 0.05  # an error above this is an accident and does not say how wide errors spread

WINDOW = 100  # errors kept: the worst but one covers 99 %
FEW = 5  # errors below which nothing is known about the spread
FIRST_MARGIN, LEAST_MARGIN = 0.05, 0.01
MOST_MARGIN = 0.15  # one message that was counted far too low must not cost half the window


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One request: what was counted, and what was billed; mostly a conversation's last."""

    counted: int
    reported: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What is known of one model's tokenizer against one counter. The fresh one changes nothing."""

    factor: float = 1.0  # tokens billed for a token counted
    samples: int = 0  # reports learned from
    mass: float = 0.0  # counted tokens behind `factor`, older ones faded
    opening: Anchor | None = None  # the last first request of a conversation
    errors: tuple[float, ...] = ()  # reported / estimated - 1, newest last

    @property
    def margin(self) -> float:
        """A share of the estimate: with so much added, 99 % of the recent requests were covered."""
        if len(self.errors) < FEW:
            return FIRST_MARGIN
        worst = sorted(self.errors)[math.ceil(0.99 * len(self.errors)) - 1]
        return min(MOST_MARGIN, max(LEAST_MARGIN, worst))

    @property
    def lean(self) -> float:
        """The share by which estimates lean to the safe side: as the recent errors spread."""
        recent = [min(abs(error), NOISE) for error in self.errors[-LEAN_OF:]]
        if not recent:
            return 0.0
        spread = math.sqrt(sum(error * error for error in recent) / len(recent))
        return min(LEAN_MOST, LEAN * spread)

    def to_json(self) -> str:
        """The calibration as JSON text for `from_json`; at most some 1,300 characters."""
        opening = self.opening
        return _Stored(
            factor=self.factor,
            samples=self.samples,
            mass=self.mass,
            opening=(opening.counted, opening.reported) if opening else None,
            errors=tuple(round(error, 5) for error in self.errors),
        ).model_dump_json()

    @staticmethod
    def from_json(text: str) -> "Calibration":
        """The calibration `to_json` wrote; the fresh one, and a warning, for any other text."""
        try:
            stored = _Stored.model_validate_json(text)
        except ValidationError as error:
            problems = error.error_count()
            _log.warning("a stored calibration is not readable (%d problems): fresh", problems)
            return Calibration()
        opening = stored.opening
        return Calibration(
            factor=stored.factor,
            samples=stored.samples,
            mass=stored.mass,
            opening=opening and Anchor(counted=opening[0], reported=opening[1]),
            errors=stored.errors,
        )


class _Stored(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    factor: float = Field(ge=LEAST_SHARE, le=MOST_SHARE)
    samples: int = Field(ge=0)
    mass: float = Field(ge=0)
    opening: tuple[PositiveInt, PositiveInt] | None
    errors: tuple[Annotated[float, Field(ge=-1, le=MOST_SHARE)], ...] = Field(max_length=WINDOW)


def estimate(calibration: Calibration, anchor: Anchor | None, counted: int) -> int:
    """The input tokens a request will be billed: the last report plus what was added since.

    A new conversation (no anchor) starts from the beginning of the last one, whose system prompt
    and tools are much the same; with nothing learned at all, it is the factor times the count.
    Where the history was cut, a little is taken off as it was put on, and nearly all of it in
    proportion. Never negative.
    """
    anchor = anchor or calibration.opening
    if anchor is None:
        expected = calibration.factor * counted
    elif counted >= anchor.counted:
        expected = anchor.reported + calibration.factor * (counted - anchor.counted)
    else:
        before = max(1, anchor.counted)
        kept, ratio = max(0, counted) / before, anchor.reported / before
        factor = kept * calibration.factor + (1 - kept) * ratio
        expected = anchor.reported + factor * (counted - anchor.counted)
    return max(0, round(expected * (1 + calibration.lean)))


def plausible(*, counted: int, reported: int) -> bool:
    """Whether a report can be of the request that was counted: 25 % to 400 % of the count."""
    return counted > 0 and LEAST_SHARE * counted <= reported <= MOST_SHARE * counted


def learn(
    calibration: Calibration, *, counted: int, reported: int, anchor: Anchor | None = None
) -> Calibration:
    """The calibration after one more report; the same, and a line in the log, for an absurd one.

    `anchor` is the one the request was estimated with, None for the first of a conversation.
    Without it an under-count is corrected at once and an over-count by a fifth. With it the next
    estimate starts from this report, so no under-count lasts; the factor then follows the tokens
    added since, both ways, by their weight.
    """
    if not plausible(counted=counted, reported=reported) or _is_cut(anchor, counted, reported):
        _log.info("usage not learned from: %d tokens reported, %d counted", reported, counted)
        return calibration
    new = Anchor(counted=counted, reported=reported)
    judged = _judged(calibration, anchor, new)
    if anchor is None:
        return replace(_from_whole(judged, new), opening=new)
    return _from_difference(judged, anchor, new)


def _is_cut(anchor: Anchor | None, counted: int, reported: int) -> bool:
    if anchor is None:
        return False
    return counted >= GROWN * anchor.counted and reported <= anchor.reported


def _judged(calibration: Calibration, anchor: Anchor | None, new: Anchor) -> Calibration:
    """With the error of the estimate `new` had; the very first says nothing of the next."""
    samples = calibration.samples + 1
    if anchor is None and calibration.opening is None:
        return replace(calibration, samples=samples)
    expected = max(1, estimate(calibration, anchor, new.counted))
    error = min(new.reported / expected - 1, MOST_SHARE)
    return replace(calibration, samples=samples, errors=(*calibration.errors, error)[-WINDOW:])


def _from_whole(calibration: Calibration, new: Anchor) -> Calibration:
    factor, seen = calibration.factor, new.reported / new.counted
    if seen > factor:
        return replace(calibration, factor=_bounded(seen), mass=FIRST_MASS)
    mass = max(calibration.mass, FIRST_MASS)
    return replace(calibration, factor=_bounded(factor + SLOWLY * (seen - factor)), mass=mass)


def _from_difference(calibration: Calibration, anchor: Anchor, new: Anchor) -> Calibration:
    added = new.counted - anchor.counted
    if not added:
        return calibration
    factor, mass = calibration.factor, calibration.mass * FADING + abs(added)
    slope = (new.reported - anchor.reported) / added
    slope = min(max(slope, factor / STEP), factor * STEP)
    factor = _bounded(factor + (slope - factor) * abs(added) / mass)
    return replace(calibration, factor=factor, mass=mass)


def _bounded(factor: float) -> float:
    return min(max(factor, LEAST_SHARE), MOST_SHARE)


class CalibratedCounter:
    """Another counter times a calibration's factor, member by member, so that counts add up."""

    def __init__(self, inner: Counter, calibration: Calibration) -> None:
        """`inner` is the counter the calibration was learned with."""
        self._inner = inner
        self._factor = calibration.factor

    @property
    def name(self) -> str:
        """The inner name and the factor: `auto:claude*1.07`; the inner name while it is 1."""
        return self._inner.name if self._factor == 1 else f"{self._inner.name}*{self._factor:.2f}"

    @property
    def exact(self) -> bool:
        """Whether the inner counter is exact and nothing is corrected."""
        return self._factor == 1 and self._inner.exact

    def count(self, text: str) -> int:
        """Tokens of `text`, to the nearest; what the inner counter counts never becomes 0."""
        return self._scaled(self._inner.count(text))

    def count_messages(self, messages: Sequence[Message]) -> int:
        """The corrected counts of the messages, each rounded to the nearest."""
        return sum(self._scaled(self._inner.count_messages((message,))) for message in messages)

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        """The corrected counts of the tools, each rounded to the nearest."""
        return sum(self._scaled(self._inner.count_tools((tool,))) for tool in tools)

    def _scaled(self, tokens: int) -> int:
        return max(round(tokens * self._factor), min(tokens, 1))
