"""How well a calibration would have estimated a conversation whose bills are known."""

from collections.abc import Iterable
from dataclasses import dataclass

from stratal.tokens.calibrated import Anchor, Calibration, estimate, learn, plausible


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One request: what was estimated before it was sent, and what was billed. All in tokens."""

    estimated: int
    with_margin: int  # the estimate and the calibration's margin at that moment
    reported: int

    @property
    def error(self) -> float:
        """The share the estimate is off: 0.02 is 2 % too many, negative is too few."""
        return self.estimated / self.reported - 1


def replay(
    requests: Iterable[tuple[int, int]], calibration: Calibration
) -> tuple[Calibration, list[Replayed]]:
    """The requests of one conversation in order, as (counted, reported), estimated one by one.

    Also the calibration after the last of them, for the next conversation with the model.
    """
    anchor: Anchor | None = None
    replayed: list[Replayed] = []
    for counted, reported in requests:
        expected = estimate(calibration, anchor, counted)
        covering = round(expected * (1 + calibration.margin))
        replayed.append(Replayed(estimated=expected, with_margin=covering, reported=reported))
        calibration = learn(calibration, counted=counted, reported=reported, anchor=anchor)
        if plausible(counted=counted, reported=reported):
            anchor = Anchor(counted=counted, reported=reported)
    return calibration, replayed
