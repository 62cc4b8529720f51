"""The agent's to-do list: kept with the conversation, so that no compaction loses it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from stratal.prompt.modes import Area
from stratal.tools.invocation import Effect
from stratal.tools.tool import Tool, tool
from stratal_memory.learning.redaction import redact
from stratal_memory.store import Store
from stratal_memory.text import storable
from stratal_memory.truth.todos import Todo, TodoState, keep_todos, todos_of

MOST = 30  # points of a list
LONGEST = 200  # characters of a point
SHOWN = 1_500  # characters of the list beside a message
HEAD = "[Your to-do list as this turn began]"
MARKS = {TodoState.OPEN: "[ ]", TodoState.DOING: "[>]", TodoState.DONE: "[x]"}


Point = Annotated[str, Field(max_length=LONGEST)]
Points = Annotated[
    list[Point],
    Field(
        max_length=MOST, description="The whole list in order, as [ ] open, [>] doing, [x] done."
    ),
]


def todo_tools(store: Store, *, session: str) -> tuple[Tool, ...]:
    """`todo_write` for the list of `session`."""

    def todo_write(items: Points) -> str:
        """Replace your to-do list: for work of several steps. It is shown to you every turn."""
        kept = [item for item in map(_read, items) if item.text]
        with store.write() as journal:
            keep_todos(journal.connection, session, kept, at=journal.at)
        return "\n".join(_lines(kept)) or "The list is empty."

    made = tool(todo_write, writes=True, area=Area.TODO, effect=Effect.LOCAL, timeout=None)
    return (replace(made, guarded=True),)  # it changes nothing but what is shown here


def pinned(store: Store, *, session: str) -> str:
    """The list as it stands beside a message; empty where nothing is left to do.

    What is done is counted; of a long list the first points are shown.
    """
    with store.read() as connection:
        items = todos_of(connection, session)
    left = [item for item in items if item.state is not TodoState.DONE]
    if not left:
        return ""
    lines = [HEAD]
    room = SHOWN - len(HEAD)
    for number, line in enumerate(_lines(left)):
        room -= len(line) + 1
        if room < 0:
            lines.append(f"({len(left) - number} more to do)")
            break
        lines.append(line)
    done = len(items) - len(left)
    return "\n".join([*lines, f"({done} done)"] if done else lines)


def _read(line: str) -> Todo:
    """A point on one line, without secrets; one without a mark is open."""
    plain = " ".join(storable(line).split())
    state = next((one for one, mark in MARKS.items() if plain.lower().startswith(mark)), None)
    text = plain if state is None else plain[len(MARKS[state]) :].strip()
    return Todo(text=redact(text).text, state=state or TodoState.OPEN)


def _lines(items: Sequence[Todo]) -> list[str]:
    return [f"{MARKS[item.state]} {item.text}" for item in items]
