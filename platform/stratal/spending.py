"""How much a turn may take, and the words it ends with when it has taken that much."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from stratal.providers.prices import Prices
from stratal.providers.provider import Completion, Usage
from stratal.reply import total, total_cost

STEP_LIMIT = "I stopped here: this turn reached its limit of {limit} model calls."
TOKEN_LIMIT = "I stopped here: this turn reached its limit of {limit:,} tokens ({spent:,} used)."
MONEY_LIMIT = "I stopped here: this turn reached its limit of ${limit:f} ({spent} used)."
_REACHED = re.compile(
    r"I stopped here: this turn reached its limit of "
    r"(?:(\d+) model( calls)|([\d,]+ tokens)|(\$[\d.]+))(?: \(.* used\))?\."
)
NO_PRICES = "turn.max_dollars could not be applied: no prices are known for this model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one turn may take; None: as much as it needs.

    No model call begins once one is reached; what a call takes is known after it, so the last
    one may go beyond.
    """

    steps: int  # model calls
    tokens: int | None = None  # billed, in and out
    dollars: Decimal | None = None  # US

    def reached(
        self, answers: Sequence[Completion], prices: Prices | None, *, beside: Sequence[Usage] = ()
    ) -> str:
        """The sentence that ends the turn; empty while it may go on.

        `beside` is what its sub-agents took.
        """
        usages = [*(answer.usage for answer in answers), *beside]
        if len(answers) >= self.steps:
            return STEP_LIMIT.format(limit=self.steps)
        used = total(usages)
        if self.tokens is not None and used.input + used.output >= self.tokens:
            return TOKEN_LIMIT.format(limit=self.tokens, spent=used.input + used.output)
        paid = total_cost(usages, prices)
        if self.dollars is not None and paid is not None and paid.total >= self.dollars:
            return MONEY_LIMIT.format(limit=self.dollars, spent=paid)
        return ""

    def warnings(self, prices: Prices | None) -> tuple[str, ...]:
        """What people should know of a limit that can't be kept."""
        return (NO_PRICES,) if self.dollars is not None and prices is None else ()


def limit_reached(text: str) -> str:
    """The limit that ended a turn with this answer, as `4 calls`; empty for any other answer.

    >>> limit_reached(TOKEN_LIMIT.format(limit=2_000, spent=2_100))
    '2,000 tokens'
    """
    found = _REACHED.fullmatch(text)
    return "".join(part or "" for part in found.groups()) if found else ""
