"""The tool that gives a task to a sub-agent, which works on it in a context of its own.

For the loop: `Ask` is all this module knows of a turn; `stratal.delegating` makes one, and the
agent puts it into the conversation. What the sub-agents of a turn have used stands in its
`Purse.spent`: it counts for the turn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from stratal.errors import InputError
from stratal.providers.prices import Prices, cost
from stratal.providers.provider import Usage
from stratal.tools.invocation import Effect, Invocation
from stratal.tools.memory import Reading
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Trust

LONGEST = 8_000  # characters of a task

Text = Annotated[
    str, Field(max_length=LONGEST, description="All it must know: it sees nothing else.")
]
Names = Annotated[
    list[str] | None, Field(description="The tools it may use; all of yours if you name none.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one sub-agent may take."""

    steps: int  # model calls
    tokens: int  # billed, in and out
    dollars: Decimal | None = None  # US; None: as many as it needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a sub-agent is asked, and within which bounds."""

    text: str
    tools: frozenset[str] | None  # names; None: all
    share: Share
    trust: Trust  # the lowest of what has been read by who asks
    call: Invocation


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a sub-agent said, and what it took to say it."""

    text: str
    trust: Trust  # the lowest of what it has read
    used: tuple[Usage, ...]  # one a model call
    failed: bool = False  # it came to no answer; the text says why


Ask = Callable[[Task], Answer]


@dataclass(slots=True, kw_only=True)
class Purse:
    """What the sub-agents of one turn may take together, and what they have taken."""

    steps: int  # left
    tokens: int  # left
    dollars: Decimal | None = None  # left of the whole turn; None: it has no limit
    prices: Prices | None = None  # None: what is paid is not known, and takes nothing off
    spent: list[Usage] = field(default_factory=list[Usage])

    def share(self) -> Share:
        """Half of what is left, for the next one; `InputError` when nothing is."""
        broke = self.dollars is not None and self.dollars <= 0
        if self.steps < 1 or self.tokens < 2 or broke:
            raise InputError(
                "the sub-agents of this turn have used up their share",
                hint="Do the rest yourself, or say what is left to do.",
            )
        return Share(
            steps=max(1, self.steps // 2),
            tokens=self.tokens // 2,
            dollars=None if self.dollars is None else self.dollars / 2,
        )

    def pay(self, used: Sequence[Usage]) -> None:
        """Take what was used off what is left."""
        self.steps -= len(used)
        self.tokens -= sum(usage.input + usage.output for usage in used)
        self.spent.extend(used)
        for usage in used:
            self.bill(usage)

    def bill(self, usage: Usage) -> None:
        """Take what a call cost off the dollars of the turn, whoever made it."""
        paid = cost(usage, self.prices)
        if self.dollars is not None and paid is not None:
            self.dollars -= paid.total


def subagent_tools(
    ask: Ask, *, purse: Purse, reading: Reading, names: Sequence[str]
) -> tuple[Tool, ...]:
    """`delegate`, for an agent whose other tools have these `names`.

    The sub-agent begins with the trust of `reading`, and what it answers is read with a tool's
    trust, or with that of what it read where that is lower.
    """

    def delegate(task: Text, call: Invocation, tools: Names = None) -> str:
        """Let a sub-agent do a task of many steps on its own; you get its answer alone."""
        if not task.strip():
            raise InputError("the task is empty", hint="Say what is to be done.")
        wanted = _wanted(tools, names)
        given = Task(text=task, tools=wanted, share=purse.share(), trust=reading.trust, call=call)
        answer = ask(given)
        purse.pay(answer.used)
        reading.note(Trust.TOOL, answer.trust)
        if answer.failed:
            raise InputError(answer.text)
        return answer.text

    made = tool(delegate, writes=False, effect=Effect.LOCAL, timeout=None)
    return (replace(made, guarded=True),)  # a gate stands before each tool of the sub-agent


def _wanted(tools: Sequence[str] | None, names: Sequence[str]) -> frozenset[str] | None:
    if not tools:
        return None
    unknown = sorted(set(tools) - set(names))
    if unknown:
        raise InputError(
            f"you have no tool {', '.join(name[:80] for name in unknown)} to give",
            hint=f"There are: {', '.join(sorted(names))}.",
        )
    return frozenset(tools)
