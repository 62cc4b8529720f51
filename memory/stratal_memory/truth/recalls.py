"""Recalls: which memories were put before the model, so that they are never learned again."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from stratal_memory.truth.schema import recalls, turns


def keep_recalls(connection: Connection, turn: str, scored: Sequence[tuple[str, float]]) -> None:
    """Note the memories, with their scores, that a turn put before the model; once a turn each."""
    known = set(
        connection.execute(select(recalls.c.memory).where(recalls.c.turn == turn)).scalars()
    )
    rows = [
        {"turn": turn, "memory": memory, "score": score}
        for memory, score in dict(scored).items()
        if memory not in known
    ]
    if rows:
        connection.execute(insert(recalls), rows)


def recalled_in(connection: Connection, session: str) -> list[str]:
    """The ids of all memories recalled in a conversation."""
    found = connection.execute(
        select(recalls.c.memory)
        .distinct()
        .join(turns, turns.c.id == recalls.c.turn)
        .where(turns.c.session == session)
        .order_by(recalls.c.memory)
    )
    return list(found.scalars())
