"""What stands before the model besides history: prompt, profile, procedure, recall, time, tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stratal.context.request import SystemBlock, ToolSpec
from stratal.context.sections import Parts
from stratal.conversation import Conversation
from stratal.prompt.layers import system_prompt
from stratal.prompt.sections import Mode
from stratal.skills import matched_procedure
from stratal.tools.memory import TRUST_OF_RESULT, Reading, memory_tools
from stratal.tools.registry import Toolbox
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.recall import Recollection
from stratal_memory.recall.recalled import recalled_before
from stratal_memory.records import Trust
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import history


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The parts of a request that stay while the model and its tools talk, and those tools."""

    parts: Parts
    tools: Toolbox
    reading: Reading


def standing(
    desk: Conversation, message: str, recalled: Recollection, *, keep: bool = True
) -> Standing:
    """Everything a request for `message` holds besides history and the message itself.

    With `keep` off nothing is stored, not even a skill seen for the first time.
    """
    reading = Reading(*_read(recalled), *_read_before(desk))
    tools = Toolbox.of(
        (
            *memory_tools(desk.store, settings=desk.recall, reading=reading),
            *(reading.during(tool) for tool in desk.tools),
        ),
        mode=desk.mode,
    )
    parts = Parts(
        system=static_prompt(desk.mode, tools.specs(), agent=desk.agent_name),
        profile=Profile(desk.store).render(),
        procedure=matched_procedure(desk, message, keep=keep),
        blocks=recalled.blocks,
        rejected=_rejected(recalled),
        now=now_line(desk.store.clock()),
        tools=tools.specs(),
    )
    return Standing(parts=parts, tools=tools, reading=reading)


def static_prompt(mode: Mode, tools: Sequence[ToolSpec], *, agent: str) -> tuple[SystemBlock, ...]:
    """The same bytes in every turn of a conversation, so that the provider's cache holds."""
    return (SystemBlock(text=system_prompt(mode=mode, tools=tools, agent_name=agent)),)


def now_line(now: datetime) -> str:
    """The day only: a minute in the prompt would change it every turn for nothing."""
    return f"Today is {now:%A}, {now.date().isoformat()}."


def _read(recalled: Recollection) -> list[Trust]:
    """The trust of each item that is put before the model."""
    return [item.candidate.memory.trust for block in recalled.blocks for item in block.items]


def _read_before(desk: Conversation) -> list[Trust]:
    """The trust of what was read earlier in the session: recalled, found by a tool, or its result.

    Text that was read once may speak again from the history, so it counts until the session ends.
    """
    with desk.store.read() as connection:
        seen = history.view(connection, desk.session.id).messages
    names = {call.name for message in seen for call in message.tool_calls}
    recalled = [memory.trust for memory in recalled_before(desk.store, desk.session.id)]
    return recalled + [TRUST_OF_RESULT.get(name, Trust.TOOL) for name in sorted(names)]


def _rejected(recalled: Recollection) -> tuple[Candidate, ...]:
    return tuple(c for c in recalled.candidates if c.verdict is Verdict.OUT)
