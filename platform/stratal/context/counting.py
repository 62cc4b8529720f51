"""The Protocol every token counter follows; the counters themselves live in `stratal.tokens`."""

from collections.abc import Sequence
from typing import Protocol

from stratal.context.request import ToolSpec
from stratal_memory.records import Message


class Counter(Protocol):
    """A way of counting tokens (O15, O16). Every Unicode string can be counted.

    Counts of messages and tools add up: the count of a list is the sum of the counts of its
    members, so that a plan made of parts is the plan of the whole.
    """

    @property
    def name(self) -> str:
        """What the ledger calls it: `octopus`, `picoclaw`, `auto:claude`, ..."""
        ...

    @property
    def exact(self) -> bool:
        """Whether `count` is the model's own count of a text, not an estimate."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a bare text."""
        ...

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Tokens of messages with everything they carry and their overhead; 0 for none."""
        ...

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        """Tokens of tool definitions as the model sees them; 0 for none."""
        ...
