"""Tool calls as they are stored: every id names one call."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stratal_memory.records import ToolCall, new_id


def distinct_calls(calls: Sequence[ToolCall], used: Iterable[str]) -> tuple[ToolCall, ...]:
    """`calls` in their order; one whose id is empty or was used before gets a new one."""
    taken = {*used, ""}
    made: list[ToolCall] = []
    for call in calls:
        kept = call if call.id not in taken else replace(call, id=new_id("call"))
        taken.add(kept.id)
        made.append(kept)
    return tuple(made)
