"""What stands before the model besides history: prompt, profile, procedure, recall, time, tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stratal.context.request import SystemBlock, ToolSpec
from stratal.context.sections import Layout, Parts
from stratal.conversation import Conversation
from stratal.prompt.layers import system_prompt
from stratal.skills import matched_procedure
from stratal.tools.memory import Reading, memory_tools
from stratal.tools.registry import Toolbox
from stratal.tools.results import result_tools
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.recall import Recollection
from stratal_memory.records import Trust, lowest_trust
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import sessions


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
    reading = Reading(read_trust(recalled), _read_before(desk))
    tools = Toolbox.of(
        (
            *memory_tools(desk.store, settings=desk.recall, reading=reading),
            *result_tools(
                desk.store,
                session=desk.session.id,
                count=desk.counter.count,
                shown=desk.rules.results.limit,
            ),
            *(reading.during(tool) for tool in desk.tools),
        ),
        mode=desk.mode,
        matrix=desk.matrix,
    )
    parts = Parts(
        system=static_prompt(desk, tools.specs()),
        profile=Profile(desk.store).render(),
        procedure=matched_procedure(desk, message, keep=keep),
        blocks=recalled.blocks,
        rejected=_rejected(recalled),
        now=now_line(desk.store.clock()),
        tools=tools.specs(),
    )
    return Standing(parts=parts, tools=tools, reading=reading)


def static_prompt(desk: Conversation, tools: Sequence[ToolSpec]) -> tuple[SystemBlock, ...]:
    """The same bytes in every turn of a conversation, so that the provider's cache holds."""
    text = system_prompt(
        mode=desk.mode,
        tools=tools,
        agent_name=desk.agent_name,
        schemas=desk.layout is Layout.ZEUS,  # Z7: its document puts them into the prompt, too
        overrides=desk.overrides,
    )
    return (SystemBlock(text=text),)


def now_line(now: datetime) -> str:
    """The day only: a minute in the prompt would change it every turn for nothing."""
    return f"Today is {now:%A}, {now.date().isoformat()}."


def read_trust(recalled: Recollection) -> Trust:
    """The lowest trust of the items that are put before the model."""
    items = (item for block in recalled.blocks for item in block.items)
    return lowest_trust(Trust.SYSTEM, *(item.candidate.memory.trust for item in items))


def _read_before(desk: Conversation) -> Trust:
    """The lowest trust of what was read earlier in the session: recalled, or given by a tool.

    Text that was read once may speak again from the history, so it counts until the session ends.
    """
    with desk.store.read() as connection:
        return sessions.lowest_read(connection, desk.session.id)


def _rejected(recalled: Recollection) -> tuple[Candidate, ...]:
    return tuple(c for c in recalled.candidates if c.verdict is Verdict.OUT)
