"""Summaries of ranges of turns, and the cut: from where on a conversation is shown."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, insert, select

from stratal_memory.records import Summary, new_id
from stratal_memory.text import storable
from stratal_memory.truth.schema import cuts, summaries


def keep_summary(
    connection: Connection,
    session: str,
    *,
    first: int,
    last: int,
    text: str,
    method: str,
    at: datetime,
) -> Summary:
    """The summary as it is stored, of the turns that began at rows `first` to `last`.

    `method` says who wrote it: "model", "extractive" or "note". The messages stay
    in the truth, and what is shown stays too: `move_cut` changes that.
    """
    summary = Summary(
        id=new_id("sum"),
        session=session,
        first=first,
        last=last,
        text=storable(text),
        method=method,
        created=at,
    )
    connection.execute(
        insert(summaries).values(
            id=summary.id,
            session=session,
            first_seq=first,
            last_seq=last,
            text=summary.text,
            method=method,
            created=at,
        )
    )
    return summary


def newest_summary(connection: Connection, session: str) -> Summary | None:
    """The summary of a conversation that was kept last; None when there is none."""
    row = connection.execute(
        select(summaries)
        .where(summaries.c.session == session)
        .order_by(summaries.c.seq.desc())
        .limit(1)
    ).first()
    if row is None:
        return None
    return Summary(
        id=row.id,
        session=row.session,
        first=row.first_seq,
        last=row.last_seq,
        text=row.text,
        method=row.method,
        created=row.created,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """From where on a conversation is shown, and how. The zero cut shows all of it as it was said.

    Rows are those of messages (`Message.seq`).
    """

    after: int = 0  # turns that began at or before this row are not shown
    aged: int = 0  # tool results up to this row are shown aged
    summary: str = ""  # what stands for the turns that are not shown
    reason: str = ""
    at: datetime | None = None  # when it was moved here; None on the zero cut


def current_cut(connection: Connection, session: str) -> Cut:
    """Where the cut of a conversation stands now; the zero `Cut` when it was never moved."""
    row = connection.execute(
        select(cuts).where(cuts.c.session == session).order_by(cuts.c.seq.desc()).limit(1)
    ).first()
    if row is None:
        return Cut()
    return Cut(after=row.after, aged=row.aged, summary=row.summary, reason=row.reason, at=row.at)


def move_cut(connection: Connection, session: str, cut: Cut, *, at: datetime) -> Cut:
    """The cut as it is stored, with its time; earlier cuts stay as rows."""
    kept = replace(cut, summary=storable(cut.summary), reason=storable(cut.reason), at=at)
    connection.execute(
        insert(cuts).values(
            session=session,
            after=kept.after,
            aged=kept.aged,
            summary=kept.summary,
            reason=kept.reason,
            at=at,
        )
    )
    return kept
