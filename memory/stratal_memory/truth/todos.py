"""The to-do list of a conversation: the agent's own, as long as the conversation is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, delete, insert, select

from stratal_memory.text import storable
from stratal_memory.truth.schema_tools import todos


class TodoState(StrEnum):
    """How far a point of the list is."""

    OPEN = "open"
    DOING = "doing"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Todo:
    """One point of the list."""

    text: str
    state: TodoState = TodoState.OPEN


def todos_of(connection: Connection, session: str) -> tuple[Todo, ...]:
    """The list of a conversation, in its order; empty where there is none."""
    found = connection.execute(
        select(todos).where(todos.c.session == session).order_by(todos.c.position)
    )
    return tuple(Todo(text=row.text, state=TodoState(row.state)) for row in found)


def keep_todos(
    connection: Connection, session: str, items: Sequence[Todo], *, at: datetime
) -> None:
    """Put `items` in the place of the list of a conversation; none of them end it."""
    connection.execute(delete(todos).where(todos.c.session == session))
    rows = [
        {
            "session": session,
            "position": position,
            "text": storable(item.text),
            "state": item.state,
            "at": at,
        }
        for position, item in enumerate(items)
    ]
    if rows:
        connection.execute(insert(todos), rows)
