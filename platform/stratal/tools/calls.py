"""Tool calls as they are stored: every id names one call, and every maker takes id and name."""

import re
from collections.abc import Iterable, Sequence

from stratal_memory.records import ToolCall, new_id
from stratal_memory.text import storable

UNNAMED = "unnamed_tool"
LONGEST_NAME = 64  # characters, at both makers
LONGEST_ID = 8_000  # characters; some servers put what they sign into the id
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


def distinct_calls(calls: Sequence[ToolCall], used: Iterable[str]) -> tuple[ToolCall, ...]:
    """`calls` in their order, fit to be stored, answered and sent again.

    One whose id is unfit or was used before gets a new one. In a name every other character than
    a letter, a digit, `_` and `-` becomes `_`; a call without a name gets one.
    """
    taken = set(used)
    made: list[ToolCall] = []
    for call in calls:
        own = call.id if is_fit(call.id) and call.id not in taken else new_id("call")
        taken.add(own)
        arguments = storable(call.arguments)
        made.append(ToolCall(id=own, name=_named(call.name), arguments=arguments))
    return tuple(made)


def is_fit(id: str) -> bool:
    """Whether a call may keep this id; no database takes lone surrogates and NULs.

    >>> is_fit("functions.look:0"), is_fit("a" + chr(0)), is_fit(" ")
    (True, False, False)
    """
    return len(id) <= LONGEST_ID and id.isprintable() and bool(id.strip())


def _named(name: str) -> str:
    fit = _UNFIT.sub("_", name.strip()[:LONGEST_NAME])
    return fit if fit.strip("_-") else UNNAMED
