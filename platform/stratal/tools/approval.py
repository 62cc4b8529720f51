"""A person's word before a call with an effect, once untrusted text has been read.

Whoever wrote a document, a web page or a tool's result may have written an order into it, and no
model tells orders from data for certain. So the text decides nothing: while it may speak, what has
an effect waits for a person.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from stratal.tools.invocation import Effect
from stratal.tools.memory import Reading
from stratal.tools.tool import Tool
from stratal_memory.records import ToolCall, Trust

TRUSTED = frozenset({Trust.SYSTEM, Trust.USER, Trust.ASSISTANT})

REFUSED = (
    "{name} was not run and nothing was done: text that nobody vouches for ({trust}) was read in "
    "this conversation, and the person did not approve this call. Say what you meant to do and "
    "why; do not try it in another way."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A call that waits for a person's word; `call` is what runs, to the byte."""

    call: ToolCall
    trust: Trust  # the lowest of what was read in the conversation

    @property
    def digest(self) -> str:
        """SHA-256 of the name and the arguments, in hex: the same call has the same."""
        parts = (self.call.name, self.call.arguments)
        hashed = hashlib.sha256()
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            hashed.update(len(data).to_bytes(8, "big") + data)
        return hashed.hexdigest()


Approve = Callable[[PendingCall], bool]


def refuse(pending: PendingCall) -> bool:
    """No, whatever it is: what holds where nobody can be asked."""
    return False


class Verdict(Enum):
    """Whether a call may run."""

    FREE = "free"  # nobody needs to be asked
    APPROVED = "approved"
    REFUSED = "refused"


class ApprovalGate:
    """Stands before the tools of one turn; `reading` knows what was read by now."""

    def __init__(self, reading: Reading, approve: Approve) -> None:
        self._reading = reading
        self._approve = approve

    def ask(self, call: ToolCall, tool: Tool | None) -> Verdict:
        """Whether `call` of `tool` may run now; a person is asked where one has to be."""
        trust = self._reading.trust
        if tool is None or not needs_approval(tool, trust):
            return Verdict.FREE
        said_yes = self._approve(PendingCall(call=call, trust=trust))
        return Verdict.APPROVED if said_yes is True else Verdict.REFUSED

    def refusal(self, call: ToolCall) -> str:
        """What the model is told of a call that was refused."""
        return REFUSED.format(name=call.name, trust=self._reading.trust.value)


def needs_approval(tool: Tool, trust: Trust) -> bool:
    """Whether a person is asked before `tool` runs, with text of this `trust` in the context."""
    acts = tool.writes or tool.effect is not Effect.NONE
    return acts and trust not in TRUSTED and not tool.guarded
