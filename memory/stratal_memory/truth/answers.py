"""What an assistant said right before a message: the question a short answer belongs to."""

from sqlalchemy import Connection, select

from stratal_memory.records import Role
from stratal_memory.truth.schema import messages


def answer_before(connection: Connection, session: str, *, seq: int) -> str:
    """The last text of the assistant in this conversation before row `seq`; empty when none."""
    found = connection.execute(
        select(messages.c.text)
        .where(
            messages.c.session == session,
            messages.c.seq < seq,
            messages.c.role == Role.ASSISTANT,
            messages.c.text != "",
        )
        .order_by(messages.c.seq.desc())
        .limit(1)
    ).scalar()
    return found or ""
