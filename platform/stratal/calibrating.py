"""What the provider billed, learned from: the next request is counted as it will be billed."""

import logging
import math
from dataclasses import replace

from stratal.context.assembler import Assembled
from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.request import Request
from stratal.conversation import Conversation
from stratal.errors import ContextOverflow
from stratal.providers.provider import Completion, Usage
from stratal.providers.sizes import Sizes, named_sizes
from stratal.providers.truncation import truncated
from stratal.tokens.calibrated import (
    Anchor,
    CalibratedCounter,
    Calibration,
    estimate,
    learn,
    plausible,
)
from stratal_memory.records import Message, Role
from stratal_memory.store import Store
from stratal_memory.truth import calibrations

log = logging.getLogger(__name__)

MOST_MISSED = 0.9  # of the input; a counter that misses more is of no use
CUT_SILENTLY = frozenset({"ollama", "openai-chat"})  # servers that may drop a prompt's beginning


class Calibrator:
    """One model's calibration, kept in the truth, and the last request of each conversation."""

    def __init__(self, store: Store, base: Counter, *, model: str, corrects: bool = True) -> None:
        """`base` counts without correction; `model` is the whole model string.

        A counter of a document stays as it is (`corrects` off): only limits are learned for it.
        """
        self._store = store
        self._corrects = corrects
        self._base = base
        self._model = model
        self._anchors: dict[str, Anchor] = {}
        self._limit: int | None = None  # what a refusal named; smaller than what we thought
        self._refused = 0.0  # of the input: what a counter of a document was found to miss
        with store.read() as connection:
            known = calibrations.load(connection, model, base.name)
        self.calibration = Calibration() if known is None else Calibration.from_json(known)

    @property
    def counter(self) -> Counter:
        """The counter as it is corrected now."""
        return CalibratedCounter(self._base, self.calibration) if self._corrects else self._base

    def budget(self, budget: Budget, session: str) -> Budget:
        """`budget` with what the provider adds to our count, and the margin that was measured."""
        overhead = self._overhead(session)
        known = budget if self._limit is None else _within(budget, self._limit)
        if not self._corrects:
            return replace(known, margin=self._refused)
        unknown = self._base.exact and not self.calibration.errors
        return replace(known, overhead=overhead, margin=0.0 if unknown else self.calibration.margin)

    def _overhead(self, session: str) -> int:
        """What the last request was billed beyond the corrected count; under 0 if it was less.

        Of a conversation that only begins it is what the last one began with, and never less
        than nothing: that was another request.
        """
        own, opening = self._anchors.get(session), self.calibration.opening
        if own is not None:
            counted = round(self.calibration.factor * own.counted)
            return max(estimate(self.calibration, own, own.counted) - counted, -counted // 2)
        if opening is None:
            return 0
        counted = round(self.calibration.factor * opening.counted)
        return max(0, estimate(self.calibration, opening, opening.counted) - counted)

    def learn(self, session: str, request: Request, *, reported: int) -> None:
        """Correct the calibration by what was billed for `request`, and keep it."""
        counted = self._counted(request)
        if not self._corrects:
            return
        self.calibration = learn(
            self.calibration,
            counted=counted,
            reported=reported,
            anchor=self._anchors.get(session),
        )
        if plausible(counted=counted, reported=reported):
            self._anchors[session] = Anchor(counted=counted, reported=reported)
        with self._store.write() as journal:
            calibrations.store(
                journal.connection,
                self._model,
                self._base.name,
                self.calibration.to_json(),
                at=journal.at,
            )

    def limit(self, tokens: int) -> None:
        """Never take more than this again, the answer included: the provider said so.

        Until the process ends: a server may be started with a larger window.
        """
        self._limit = tokens if self._limit is None else min(self._limit, tokens)

    def refused(self, request: Request, *, sent: int) -> None:
        """Learn from a refusal that named what it counted, where counts are not corrected."""
        missed = sent / max(1, self._counted(request)) - 1
        if not self._corrects:
            self._refused = min(MOST_MISSED, max(self._refused, missed))

    def expected(self, session: str, request: Request) -> int:
        """The input tokens that will be billed for `request`, as far as we know."""
        anchor = self._anchors.get(session)
        return estimate(self.calibration, anchor, self._counted(request))

    def _counted(self, request: Request) -> int:
        system = [Message(role=Role.SYSTEM, text=block.text) for block in request.system]
        said = self._base.count_messages([*system, *request.messages])
        return said + self._base.count_tools(request.tools)


def after_answer(desk: Conversation, request: Request, usage: Usage) -> Conversation:
    """`desk` with counts as they are known since this answer; unchanged when it tells nothing.

    Usage of 0 tells nothing, and that of a prompt which the server cut is not the prompt's.
    """
    if desk.calibrator is None or usage.input <= 0 or _cut(desk, request, usage):
        return desk
    desk.calibrator.learn(desk.session.id, request, reported=usage.input)
    return _recounted(desk)


def warnings(desk: Conversation, request: Request, completion: Completion) -> tuple[str, ...]:
    """What people should know about an answer: the provider's warnings, and a prompt cut short."""
    said = completion.warnings
    expected = _cut(desk, request, completion.usage)
    if not expected:
        return said
    told = (
        f"{desk.provider.name} read {completion.usage.input:,} tokens of about {expected:,} sent: "
        "its window seems smaller than context.window"
    )
    log.warning("session %s: %s", desk.session.id, told)
    return (*said, told)


def _cut(desk: Conversation, request: Request, usage: Usage) -> int:
    """The tokens that were sent, where the server read far fewer of them; else 0.

    The services of Anthropic, OpenAI and Azure never do: there we counted too many.
    """
    if desk.calibrator is None or desk.provider.name not in CUT_SILENTLY:
        return 0
    expected = desk.calibrator.expected(desk.session.id, request)
    return expected if truncated(expected, usage.input) else 0


def after_overflow(desk: Conversation, made: Assembled, error: ContextOverflow) -> Conversation:
    """`desk` with a smaller limit: what was refused is not sent again.

    The provider's own numbers are learned where it names them, so that the same is not met twice.
    In any case the next request takes half of what could be left out of this one; the error is
    raised again when there is nothing left to leave out.
    """
    granted = made.ledger.granted()
    fixed = sum(granted.get(name, 0) for name in ("tools", "overhead", "system", "message"))
    spare = made.ledger.used - fixed
    if spare <= 0:
        raise ContextOverflow(
            f"the provider's window is too small for this message ({error})",
            hint="Shorten the message, or use a model with a larger window.",
        ) from error
    sizes = named_sizes(str(error))
    desk = _told(desk, made, sizes)
    most = math.ceil((fixed + spare // 2) * _grown(desk, made) * (1 + desk.budget.margin))
    known = _within(desk.budget, sizes.limit) if sizes.limit else desk.budget
    return replace(desk, budget=replace(known, max_input=min(most, known.max_input or most)))


def without_guess(desk: Conversation, budget: Budget) -> Conversation:
    """`desk` with `budget` and what is known beside it, not with what a refusal made us guess."""
    if desk.calibrator is not None:
        budget = desk.calibrator.budget(budget, desk.session.id)
    return replace(desk, budget=budget)


def _told(desk: Conversation, made: Assembled, sizes: Sizes) -> Conversation:
    """`desk` with the numbers of a refusal learned, as far as anything is learned in it."""
    if desk.calibrator is None:
        return desk
    if sizes.limit:
        desk.calibrator.limit(sizes.limit)
    if sizes.sent:
        desk.calibrator.refused(made.request, sent=sizes.sent)
        desk.calibrator.learn(desk.session.id, made.request, reported=sizes.sent)
    return _recounted(desk)


def _grown(desk: Conversation, made: Assembled) -> float:
    """How much more the refused request takes as it is counted now."""
    if desk.calibrator is None:
        return 1.0
    return max(1.0, desk.calibrator.expected(desk.session.id, made.request) / made.ledger.used)


def _within(budget: Budget, limit: int) -> Budget:
    """`budget` for a window of `limit` tokens, of which the answer takes a quarter at most."""
    reserve = min(budget.output_reserve, max(1, limit // 4))
    most = max(1, limit - reserve)
    return replace(budget, output_reserve=reserve, max_input=min(most, budget.max_input or most))


def _recounted(desk: Conversation) -> Conversation:
    assert desk.calibrator is not None
    budget = desk.calibrator.budget(desk.budget, desk.session.id)
    return replace(desk, counter=desk.calibrator.counter, budget=budget)
