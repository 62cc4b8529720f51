"""What came of a memory that was put before the model, and how often: words and numbers only."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What an answer, and the person after it, did with one memory."""

    USED = "used"
    IGNORED = "ignored"
    CORRECTED = "corrected"  # the user said otherwise: it was replaced, ended, contested or denied
    QUOTED = "quoted"  # it stands in an answer that quotes whatever it is given: that tells nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How often each came of one memory, over all its versions.

    `corrected` speaks of the version `wrong` alone: what replaced it is not held to account.
    """

    used: int = 0
    ignored: int = 0
    corrected: int = 0
    wrong: str = ""

    def of(self, version: str) -> "Counts":
        """What counts for one version.

        >>> Counts(used=2, corrected=1, wrong="mem_a").of("mem_b").corrected
        0
        """
        if not self.corrected or self.wrong == version:
            return self
        return Counts(used=self.used, ignored=self.ignored)


NOTHING = Counts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What came of one memory in one turn; `overlap` is how much of it the answer holds, 0..1."""

    memory: str  # id of the version
    outcome: Outcome
    overlap: float = 0.0
