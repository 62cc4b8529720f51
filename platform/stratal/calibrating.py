"""What the provider billed, learned from: the next request is counted as it will be billed."""

import logging
import math
import re
from dataclasses import replace

from stratal.context.assembler import Assembled
from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.request import Request
from stratal.conversation import Conversation
from stratal.errors import ContextOverflow
from stratal.providers.provider import Completion, Usage
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

# "prompt is too long: 208310 tokens > 200000 maximum" (Anthropic), and its like.
_SIZES = re.compile(
    r"(\d[\d,]{2,20}) tokens? ?(?:>|exceeds?|is (?:larger|greater) than)\D{0,40}(\d[\d,]{2,20})"
)
# "This model's maximum context length is 128000 tokens" (OpenAI), and its like.
_LIMIT = re.compile(r"(?:maximum context length|context window)\D{0,30}(\d[\d,]{2,20})")


class Calibrator:
    """One model's calibration, kept in the truth, and the last request of each conversation."""

    def __init__(self, store: Store, base: Counter, *, model: str) -> None:
        """`base` counts without correction; `model` is the whole model string."""
        self._store = store
        self._base = base
        self._model = model
        self._anchors: dict[str, Anchor] = {}
        with store.read() as connection:
            known = calibrations.load(connection, model, base.name)
        self.calibration = Calibration() if known is None else Calibration.from_json(known)

    @property
    def counter(self) -> Counter:
        """The counter as it is corrected now."""
        return CalibratedCounter(self._base, self.calibration)

    def budget(self, budget: Budget, session: str) -> Budget:
        """`budget` with what the provider adds to our count, and the margin that was measured."""
        anchor = self._anchors.get(session) or self.calibration.opening
        overhead = 0
        if anchor is not None:
            expected = estimate(self.calibration, anchor, anchor.counted)
            overhead = expected - round(self.calibration.factor * anchor.counted)
        margin = 0.0 if self._base.exact else self.calibration.margin
        return replace(budget, overhead=overhead, margin=margin)

    def learn(self, session: str, request: Request, *, reported: int) -> None:
        """Correct the calibration by what was billed for `request`, and keep it."""
        counted = self._counted(request)
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

    def expected(self, session: str, request: Request) -> int:
        """The input tokens that will be billed for `request`, as far as we know."""
        anchor = self._anchors.get(session)
        return estimate(self.calibration, anchor, self._counted(request))

    def _counted(self, request: Request) -> int:
        system = [Message(role=Role.SYSTEM, text=block.text) for block in request.system]
        said = self._base.count_messages([*system, *request.messages])
        return said + self._base.count_tools(request.tools)


def after_answer(desk: Conversation, request: Request, usage: Usage) -> Conversation:
    """`desk` with counts as they are known since this answer; unchanged when it tells nothing."""
    if desk.calibrator is None or usage.input <= 0:
        return desk
    desk.calibrator.learn(desk.session.id, request, reported=usage.input)
    return _recounted(desk)


def warnings(desk: Conversation, request: Request, completion: Completion) -> tuple[str, ...]:
    """What people should know about an answer: the provider's warnings, and a prompt cut short."""
    said = completion.warnings
    if desk.calibrator is None:
        return said
    expected = desk.calibrator.expected(desk.session.id, request)
    if not truncated(expected, completion.usage.input):
        return said
    told = (
        f"{desk.provider.name} read {completion.usage.input:,} tokens of about {expected:,} sent: "
        "its window seems smaller than context.window"
    )
    log.warning("session %s: %s", desk.session.id, told)
    return (*said, told)


def after_overflow(desk: Conversation, made: Assembled, error: ContextOverflow) -> Conversation:
    """`desk` with a smaller limit: what was refused is not sent again.

    The provider's own numbers are learned where it names them, so that the same is not met twice.
    In any case the next request takes half of what could be left out of this one; the error is
    raised again when there is nothing left to leave out.
    """
    granted = {section.name: section.granted for section in made.ledger.sections}
    fixed = sum(granted.get(name, 0) for name in ("tools", "overhead", "system", "message"))
    spare = made.ledger.used - fixed
    if spare <= 0:
        raise ContextOverflow(
            f"the provider's window is too small for this message ({error})",
            hint="Shorten the message, or use a model with a larger window.",
        ) from error
    most = fixed + spare // 2
    found = _SIZES.search(str(error))
    if found is not None and desk.calibrator is not None:
        desk.calibrator.learn(desk.session.id, made.request, reported=_number(found[1]))
        desk = _recounted(desk)
    named = found[2] if found else _named_limit(str(error))
    if named:
        most = min(most, max(1, _number(named) - desk.budget.output_reserve))
    room = math.ceil(most * (1 + desk.budget.margin))
    return replace(desk, budget=replace(desk.budget, max_input=room))


def _recounted(desk: Conversation) -> Conversation:
    assert desk.calibrator is not None
    budget = desk.calibrator.budget(desk.budget, desk.session.id)
    return replace(desk, counter=desk.calibrator.counter, budget=budget)


def _named_limit(text: str) -> str:
    found = _LIMIT.search(text)
    return found[1] if found else ""


def _number(text: str) -> int:
    return int(text.replace(",", ""))
