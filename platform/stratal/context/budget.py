"""The working window, shared out: limits, caps and the history formula. Integers only."""

from dataclasses import dataclass

from stratal.errors import ConfigError, ContextBudgetError


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many tokens there are, and the most each section may take.

    All fields are tokens unless they say otherwise.
    Source: Octopus, "Token Budget" (O19), REQUIREMENTS section 3. Its worked example (O12, O13):
    150,000 of a 200,000 window, 8,192 for the answer, 3,500 of fixed sections.

    >>> Budget(window=200_000, working_budget=150_000, output_reserve=8_192).history(fixed=3_500)
    138308
    """

    window: int = 100_000  # input and output together
    working_budget: int | None = None  # recommended use of the window; None: all of it
    max_input: int | None = None  # where the provider limits the input alone
    output_reserve: int = 4_096  # kept for the answer, and sent as its limit (O14)
    min_history: int = 4_000  # what optional sections must leave to history
    knowledge: int = 3_000
    episodes: int = 1_000
    profile: int = 500
    procedure: int | None = None  # a longer one is left out whole, never cut
    memory_chars: int = 2_000  # characters of the memories section as formatted (Z5, Z11)
    memory_items: int = 5  # Z10
    compress_at: float = 1.0  # of the window: above this share history is cut (C10)
    margin: float = 0.0  # of the input: held back for what the counter may miss
    overhead: int = 0  # what the provider counts beyond our count; under 0 where it counts less

    def __post_init__(self) -> None:
        for name in ("min_history", "knowledge", "episodes", "profile", "memory_chars"):
            if getattr(self, name) < 0:
                raise ConfigError(f"budget.{name} is {getattr(self, name)}, it can't be negative")
        if not 0 < self.compress_at <= 1 or not 0 <= self.margin < 1:
            raise ConfigError(
                f"budget.compress_at is {self.compress_at} and budget.margin {self.margin}",
                hint="The one is over 0 and at most 1, the other at least 0 and under 1.",
            )
        if self.output_reserve < 1:
            raise ConfigError(f"budget.output_reserve is {self.output_reserve}, at least 1 it is")
        if self._shared <= self.output_reserve:
            raise ConfigError(
                f"a window of {self._shared:,} tokens leaves no input when "
                f"{self.output_reserve:,} are kept for the answer",
                hint="Lower the output reserve, or configure the model's real window.",
            )

    @property
    def effective(self) -> int:
        """What request and answer should stay within: working budget, window, largest input."""
        if self.max_input is None:
            return self._shared
        return min(self._shared, self.max_input + self.output_reserve)

    @property
    def _shared(self) -> int:
        return min(self.working_budget or self.window, self.window)

    @property
    def whole_limit(self) -> int:
        """The most that may be billed: input + reserve <= window, and input <= max_input."""
        room = self.window - self.output_reserve
        return room if self.max_input is None else min(room, self.max_input)

    @property
    def input_limit(self) -> int:
        """The same in counted tokens: with the margin on top it is still inside the window."""
        return int(self.whole_limit / (1 + self.margin))

    @property
    def input_target(self) -> int:
        """The most the input should take, inside the working budget and before `compress_at`."""
        room = min(self.effective - self.output_reserve, int(self.effective * self.compress_at))
        return min(int(room / (1 + self.margin)), self.input_limit)

    def history(self, *, fixed: int) -> int:
        """Tokens left for history beside `fixed` ones, inside the working budget (O12, P3).

        Raises `ContextBudgetError` when `fixed` alone is over it: the caller has shrunk every
        optional section already, so only a larger window or a shorter message helps.
        """
        left = self.input_target - fixed
        if left < 0:
            raise ContextBudgetError(
                fixed=fixed, reserve=self.output_reserve, window=self.effective
            )
        return left


def is_over(*, message_tokens: int, tool_tokens: int, reserve: int, window: int) -> bool:
    """Whether a request exceeds its window; exactly full is not over (P20, P21).

    >>> is_over(message_tokens=90, tool_tokens=6, reserve=4, window=100)
    False
    """
    return message_tokens + tool_tokens + reserve > window
