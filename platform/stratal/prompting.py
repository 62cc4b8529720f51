"""What stands before the model besides history: prompt, profile, procedure, recall, time, tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stratal.context.request import SystemBlock, ToolSpec
from stratal.context.sections import Layout, Parts
from stratal.conversation import Conversation
from stratal.prompt.layers import system_prompt
from stratal.skills import matched_procedure, skills_section
from stratal.toolbox import purse_of, toolbox
from stratal.tools.memory import Reading
from stratal.tools.registry import Toolbox
from stratal.tools.subagent import Purse
from stratal.tools.todo import pinned
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.recall import Recollection
from stratal_memory.records import Role, Trust, lowest_trust
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import messages, sessions, turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The parts of a request that stay while the model and its tools talk, and those tools."""

    parts: Parts
    tools: Toolbox
    reading: Reading
    purse: Purse  # what sub-agents took counts for the turn


def standing(
    desk: Conversation, message: str, recalled: Recollection, *, keep: bool = True
) -> Standing:
    """Everything a request for `message` holds besides history and the message itself.

    With `keep` off nothing is stored, not even a skill seen for the first time.
    """
    reading = Reading(read_trust(recalled), _read_before(desk))
    purse = purse_of(desk)
    tools = toolbox(desk, reading, purse)
    if _reads_strangers(desk, tools) or _left_unknown(desk, tools):
        _note_tool(desk, reading, keep=keep)
    parts = Parts(
        system=static_prompt(desk, tools.specs()),
        profile=Profile(desk.store).render(),
        procedure=matched_procedure(desk, message, keep=keep),
        blocks=recalled.blocks,
        rejected=_rejected(recalled),
        now=_now(desk),
        tools=tools.specs(),
    )
    return Standing(parts=parts, tools=tools, reading=reading, purse=purse)


def static_prompt(desk: Conversation, tools: Sequence[ToolSpec]) -> tuple[SystemBlock, ...]:
    """The same bytes in every turn of a conversation, so that the provider's cache holds.

    The list of skills is a block of its own behind the prompt; it changes when a skill comes or
    goes.
    """
    text = system_prompt(
        mode=desk.mode,
        tools=tools,
        agent_name=desk.agent_name,
        schemas=desk.layout is Layout.ZEUS,  # Z7: its document puts them into the prompt, too
        overrides=desk.overrides,
    )
    listed = skills_section(desk)
    return (SystemBlock(text=text), *((SystemBlock(text=listed),) if listed else ()))


def now_line(now: datetime) -> str:
    """The day only: a minute in the prompt would change it every turn for nothing."""
    return f"Today is {now:%A}, {now.date().isoformat()}."


def _now(desk: Conversation) -> str:
    """What is so as the turn begins: the day, and what the agent has still to do.

    It stands in every request, so no compaction takes the list away.
    """
    todo = pinned(desk.store, session=desk.session.id)
    return "\n\n".join(part for part in (now_line(desk.store.clock()), todo) if part)


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


def _reads_strangers(desk: Conversation, tools: Toolbox) -> bool:
    """The description of a tool is read before any tool runs, and a stranger may have written it.

    What the model says on the strength of it stays in the history when the server is gone.
    """
    return not desk.strangers.isdisjoint(spec.name for spec in tools.specs())


def _left_unknown(desk: Conversation, tools: Toolbox) -> bool:
    """Whether a crash cut off a call of this conversation that may have acted.

    Had it come to its end, its result would count as read; nobody may repeat it unasked.
    """
    with desk.store.read() as connection:
        cut_off = turns.open_turns(connection, desk.session.id)
        said = [one for turn in cut_off for one in messages.of_turn(connection, turn.id)]
    answered = {one.tool_call_id for one in said if one.role is Role.TOOL}
    calls = (call for one in said for call in one.tool_calls)
    return any(call.id not in answered and tools.may_have_acted(call) for call in calls)


def _note_tool(desk: Conversation, reading: Reading, *, keep: bool) -> None:
    """The model reads, or acts on, what nobody vouches for."""
    reading.note(Trust.TOOL)
    before = _read_before(desk)
    if keep and lowest_trust(before, Trust.TOOL) is not before:
        with desk.store.write() as journal:
            sessions.lower_trust(journal.connection, desk.session.id, Trust.TOOL)


def _rejected(recalled: Recollection) -> tuple[Candidate, ...]:
    return tuple(c for c in recalled.candidates if c.verdict is Verdict.OUT)
