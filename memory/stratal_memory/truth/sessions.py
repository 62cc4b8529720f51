"""Sessions: conversations, whose they are, and the least trusted thing read in each."""

from datetime import datetime

from sqlalchemy import Connection, func, insert, or_, select, update

from stratal_memory.records import TRUST_ORDER, Session, Trust, new_id
from stratal_memory.truth.schema import messages, sessions


def start_session(
    connection: Connection, *, user: str, agent: str, at: datetime, parent: str = ""
) -> Session:
    """A new, empty conversation; with a `parent` that of a sub-agent asked there."""
    session = Session(
        id=new_id("ses"), user=user, agent=agent, started=at, last_active=at, parent=parent
    )
    connection.execute(
        insert(sessions).values(
            id=session.id,
            user=user,
            agent=agent,
            title="",
            started=at,
            last_active=at,
            parent=parent,
        )
    )
    return session


def any_unsettled(connection: Connection, *, user: str, agent: str) -> bool:
    """Whether something was said in a conversation since it was last turned into an episode."""
    said = select(messages.c.seq).where(messages.c.session == sessions.c.id).exists()
    changed = or_(sessions.c.episode_of.is_(None), sessions.c.episode_of != sessions.c.last_active)
    query = select(sessions.c.id).where(
        sessions.c.user == user, sessions.c.agent == agent, changed, said
    )
    return connection.execute(query.limit(1)).first() is not None


def find_sessions(
    connection: Connection, *, user: str, agent: str | None = None, id: str | None = None
) -> list[Session]:
    """The conversations of one user, latest first; narrowed to one agent or one id.

    Those that a sub-agent had are found by their id alone: nobody said anything there.
    """
    counted = (
        select(func.count()).where(messages.c.session == sessions.c.id).scalar_subquery()
    )  # of these conversations only, not of everybody's
    query = (
        select(sessions, counted.label("messages"))
        .where(sessions.c.user == user)
        .order_by(sessions.c.last_active.desc(), sessions.c.id)
    )
    if agent is not None:
        query = query.where(sessions.c.agent == agent)
    query = query.where(sessions.c.parent == "" if id is None else sessions.c.id == id)
    return [
        Session(
            id=row.id,
            user=row.user,
            agent=row.agent,
            title=row.title,
            started=row.started,
            last_active=row.last_active,
            messages=row.messages,
            episode_of=row.episode_of,
            parent=row.parent,
        )
        for row in connection.execute(query)
    ]


def mark_episode(connection: Connection, session: str, *, of: datetime | None) -> None:
    """Note up to which activity a session was turned into an episode."""
    connection.execute(update(sessions).where(sessions.c.id == session).values(episode_of=of))


def lower_trust(connection: Connection, session: str, trust: Trust) -> None:
    """Note that something of this trust was put before the model; the lowest ever put stays."""
    higher = TRUST_ORDER[: TRUST_ORDER.index(trust)]
    connection.execute(
        update(sessions)
        .where(sessions.c.id == session, sessions.c.lowest_read.in_(higher))
        .values(lowest_read=trust)
    )


def lowest_read(connection: Connection, session: str) -> Trust:
    """The lowest trust ever put before the model in a conversation; SYSTEM before anything was."""
    found = connection.execute(select(sessions.c.lowest_read).where(sessions.c.id == session))
    return Trust(found.scalar_one_or_none() or Trust.SYSTEM)
