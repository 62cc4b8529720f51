"""Tool calls as they are stored: every id names one call."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stratal_memory.records import ToolCall, new_id

UNNAMED = "unnamed_tool"


def distinct_calls(calls: Sequence[ToolCall], used: Iterable[str]) -> tuple[ToolCall, ...]:
    """`calls` in their order; one whose id is empty or was used before gets a new one.

    A call without a name gets one too, so that it can be answered and sent again.
    """
    taken = {*used, ""}
    made: list[ToolCall] = []
    for call in calls:
        named = call if call.name.strip() else replace(call, name=UNNAMED)
        kept = named if call.id not in taken else replace(named, id=new_id("call"))
        taken.add(kept.id)
        made.append(kept)
    return tuple(made)
