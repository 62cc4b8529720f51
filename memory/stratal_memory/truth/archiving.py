"""Old conversations: their words go first, then what was told of them (Os12)."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from stratal_memory.records import Form
from stratal_memory.truth.schema import (
    evidence,
    ledger_texts,
    memories,
    messages,
    sessions,
    summaries,
    turns,
)

ARCHIVE_TEXT = "[archived: the words are gone, what was learned and told of them stays]"


def with_words(connection: Connection, *, user: str, agent: str, before: datetime) -> list[str]:
    """Conversations last active before `before` whose words are there, oldest first.

    Only those whose episodes are written, and none with an episode that a person pinned.
    """
    said = (
        select(messages.c.seq)
        .where(messages.c.session == sessions.c.id, messages.c.text != ARCHIVE_TEXT)
        .exists()
    )
    settled = sessions.c.episode_of == sessions.c.last_active
    return _old(connection, said & settled, user=user, agent=agent, before=before)


def with_episodes(connection: Connection, *, user: str, agent: str, before: datetime) -> list[str]:
    """Conversations last active before `before` of which something is told, oldest first."""
    told = select(memories.c.seq).where(
        memories.c.session == sessions.c.id, memories.c.form == Form.EPISODE
    )
    kept = select(summaries.c.seq).where(summaries.c.session == sessions.c.id)
    there = told.exists() | kept.exists()
    return _old(connection, there, user=user, agent=agent, before=before)


def _old(
    connection: Connection,
    where: ColumnElement[bool],
    *,
    user: str,
    agent: str,
    before: datetime,
) -> list[str]:
    pinned = select(memories.c.session).where(
        memories.c.form == Form.EPISODE, memories.c.pinned.is_(True)
    )
    query = select(sessions.c.id).where(
        sessions.c.user == user,
        sessions.c.agent == agent,
        sessions.c.last_active < before,
        sessions.c.id.not_in(pinned),
        where,
    )
    return list(connection.execute(query.order_by(sessions.c.last_active)).scalars())


def archived_among(connection: Connection, ids: Sequence[str]) -> list[str]:
    """Those of these conversations whose words went."""
    gone = messages.c.session.in_(ids) & (messages.c.text == ARCHIVE_TEXT)
    return sorted(connection.execute(select(messages.c.session).distinct().where(gone)).scalars())


def clear(connection: Connection, ids: Sequence[str]) -> int:
    """Take the words and tool calls out of the messages of these conversations; how many.

    The rows stay with their ids and times: facts rest on them.
    """
    here = messages.c.session.in_(ids) & (messages.c.text != ARCHIVE_TEXT)
    emptied = update(messages).where(here)
    gone = connection.execute(
        emptied.values(
            text=ARCHIVE_TEXT,
            content_hash="",
            tool_calls="[]",
            tool_call_id="",
            reasoning="",
            opaque="",
            media="[]",
            remembered=True,
        )
    ).rowcount
    connection.execute(delete(ledger_texts).where(ledger_texts.c.session.in_(ids)))
    connection.execute(update(turns).where(turns.c.session.in_(ids)).values(ledger=None))
    return gone


def end(connection: Connection, ids: Sequence[str]) -> None:
    """What the prompt would say of these conversations goes too: summaries and titles."""
    connection.execute(delete(summaries).where(summaries.c.session.in_(ids)))
    connection.execute(update(sessions).where(sessions.c.id.in_(ids)).values(title=""))


def told_of(connection: Connection, ids: Sequence[str], *, form: Form) -> set[str]:
    """Ids of the memories of `form` made in these conversations, and of what cites them."""
    mine = select(memories.c.id).where(memories.c.session.in_(ids), memories.c.form == form)
    found = set(connection.execute(mine).scalars())
    citing = (
        select(memories.c.id)
        .join(evidence, evidence.c.memory == memories.c.id)
        .where(evidence.c.ref.in_(mine), memories.c.form == Form.EPISODE)
    )
    return found | set(connection.execute(citing).scalars())


def last_rows(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    """Where the last turn of each conversation begins: history starts behind it."""
    found = connection.execute(
        select(turns.c.session, func.max(turns.c.first_seq))
        .where(turns.c.session.in_(ids))
        .group_by(turns.c.session)
    )
    return {session: last or 0 for session, last in found}
