"""Memories by the names that lists show: the id of a version, or the key of all of them."""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, or_

from stratal_memory.errors import InputError, NotFound
from stratal_memory.records import Form, Memory, Status
from stratal_memory.text import storable
from stratal_memory.truth import memories
from stratal_memory.truth.access import Reach, visible
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE

SHOWN = tuple(status for status in Status if status is not Status.ERASED)
# Where something else than a fact is changed.
ELSEWHERE = {
    Form.SLOT: "Change the fact it is made of: stratal memory why ID names it.",
    Form.CHUNK: "Take the document out: stratal documents remove ID.",
    Form.SKILL: "Change the skill's own file.",
    Form.EPISODE: "It sums up a conversation; forget it instead.",
    Form.OBSERVATION: "It tells several facts in one line; edit one of those.",
    Form.MESSAGE: "It is what was said, word for word; forget it instead.",
}


def named(connection: Connection, reach: Reach, name: str) -> list[Memory]:
    """The version of that id, or all versions of that key, in the order they were recorded.

    Raises `NotFound` when nothing within reach has that name.
    """
    name = storable(name)
    within = visible(reach, statuses=SHOWN)
    found = memories.select_memories(
        connection, and_(within, or_(table.c.key == name, table.c.id == name))
    )
    if not found:
        raise NotFound(
            f"no memory {name[:80]!r} here", hint="`stratal memory list` shows what there is."
        )
    return found


def standing(
    connection: Connection,
    reach: Reach,
    name: str,
    *,
    statuses: Sequence[Status] = LIVE,
    forms: Sequence[Form] = (Form.FACT,),
) -> list[Memory]:
    """Those versions that `statuses` and `forms` allow; never none.

    Raises `NotFound` as `named` does, `InputError` when it is something else or stands otherwise.
    """
    found = named(connection, reach, name)
    last = found[-1]
    if last.form not in forms:
        raise InputError(f"{name} is no {forms[0]} but a {last.form}", hint=ELSEWHERE[last.form])
    allowed = [one for one in found if one.status in statuses]
    if not allowed:
        raise InputError(
            f"{name} is {last.status}, not {' or '.join(statuses)}",
            hint=f"`stratal memory history {last.key}` shows its versions.",
        )
    return allowed


def one_standing(
    connection: Connection, reach: Reach, name: str, *, statuses: Sequence[Status] = LIVE
) -> Memory:
    """The one fact of that name; `InputError` naming the ids when several contest each other."""
    found = standing(connection, reach, name, statuses=statuses)
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise InputError(f"{name} has {len(found)} versions that contest each other", hint=ids)
    return found[0]
