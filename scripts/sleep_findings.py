"""What was found of a year: the answers to questions, and the facts that were kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A current value that was not brought, or an outdated one that was brought as if it held."""

    question: str
    kind: str
    value: str
    why: str
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a set of questions found."""

    questions: int = 0
    current: int = 0  # facts that hold and are asked about
    answered: int = 0
    outdated: int = 0  # values that held once and are asked about
    stale: int = 0  # of them, those brought as if they held
    asked_stale: int = 0  # questions that brought one
    profile_tokens: int = 0  # of one question
    recall_tokens: Mapping[str, int] = field(default_factory=dict[str, int])  # of all, by block
    chatter_tokens: int = 0  # recalled for all messages that ask for nothing remembered
    chatter: int = 0
    misses: tuple[Miss, ...] = ()

    @property
    def recalled(self) -> float:
        """Share of current facts that stood in what was put before the model."""
        return self.answered / max(1, self.current)

    @property
    def stale_share(self) -> float:
        """Share of outdated values that were put before the model without a mark of the past."""
        return self.stale / max(1, self.outdated)

    @property
    def tokens(self) -> float:
        """Tokens a question: the profile and what was recalled for it."""
        return self.profile_tokens + self.recalled_tokens()

    def recalled_tokens(self, *blocks: str) -> float:
        """Tokens a question in these blocks, in all of them where none is named."""
        named = blocks or tuple(self.recall_tokens)
        return sum(self.recall_tokens.get(one, 0) for one in named) / max(1, self.questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The active facts of memory, by what they rest on."""

    active: int
    provisional: int
    contested: int
    ever: int  # fact memories of any status
    supports: Mapping[str, int]  # now, partly, past, stale, ended, other, junk
    doubles: int  # active memories beside another one of the same value
    known: int  # current facts that have an active memory
    junk: tuple[str, ...]
    stale: tuple[str, ...]
    doubled: tuple[str, ...]
    unlearned: tuple[str, ...]

    @property
    def junk_share(self) -> float:
        """Share of active facts that nothing true supports."""
        return self.supports.get("junk", 0) / max(1, self.active)
