"""Due times are leased to workers, planned per user's agent, and can be paused."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

NEVER = "0001-01-01T00:00:00.000000Z"
_DONE = re.compile(r"(\d+) changes, run (\S+)")


def upgrade() -> None:
    """Forward."""
    op.rename_table("slots", "slots_before")
    op.create_table(
        "slots",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("due", sa.String(length=27), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("ready", sa.String(length=27), nullable=False),
        sa.Column("served", sa.String(length=27), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.String(length=27), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("slices", sa.Integer(), nullable=False),
        sa.Column("started", sa.String(length=27), nullable=True),
        sa.Column("ended", sa.String(length=27), nullable=True),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("covers", sa.Integer(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_slots")),
        sa.UniqueConstraint(
            "job", "user", "agent", "due", name=op.f("uq_slots_job_user_agent_due")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_slots_state_served_due"), "slots", ["state", "served", "due"])
    op.create_index(op.f("ix_slots_user_state"), "slots", ["user", "state"])
    op.create_index(op.f("ix_slots_due"), "slots", ["due"])
    _planning()
    _carry_over()
    op.drop_table("slots_before")


def _planning() -> None:
    op.create_table(
        "schedules",
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("planned_to", sa.String(length=27), nullable=False),
        sa.Column("served", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("user", "agent", "job", name=op.f("pk_schedules")),
    )
    op.create_table(
        "timers",
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("since", sa.String(length=27), nullable=False),
        sa.Column("swept", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("job", name=op.f("pk_timers")),
    )
    op.create_table(
        "pauses",
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("since", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("job", "user", name=op.f("pk_pauses")),
    )


def _carry_over() -> None:
    """Rows stay as history; what a crash cut off is not begun again: its due time is long past."""
    connection = op.get_bind()
    found = connection.execute(sa.text("SELECT * FROM slots_before ORDER BY due")).mappings()
    rows = [_row(dict(old)) for old in found]
    if not rows:
        return
    names = tuple(rows[0])
    columns = ", ".join(f'"{name}"' for name in names)
    values = ", ".join(f":{name}" for name in names)
    # What the old table took for two names was one text: the first of equals stays.
    connection.execute(sa.text(f"INSERT OR IGNORE INTO slots ({columns}) VALUES ({values})"), rows)
    connection.execute(
        sa.text(
            'INSERT INTO schedules ("user", agent, job, planned_to, served)'
            ' SELECT "user", agent, job, max(due), max(served) FROM slots'
            ' GROUP BY "user", agent, job'
        )
    )
    connection.execute(
        sa.text(
            "INSERT INTO timers (job, since, swept)"
            " SELECT job, min(due), max(due) FROM slots GROUP BY job"
        )
    )


def _row(old: dict[str, str | None]) -> dict[str, str | int | None]:
    user, _, agent = str(old["user"]).partition("\n")
    outcome = old["outcome"] or ""
    done = _DONE.fullmatch(outcome)
    return {
        "job": old["job"],
        "user": user,
        "agent": agent or "main",
        "due": old["due"],
        "state": "done" if done else "failed",
        "ready": old["due"],
        "served": old["ended"] or NEVER,
        "fence": 0,
        "owner": "",
        "attempts": 0 if done else 1,
        "slices": 0,
        "started": old["started"],
        "ended": old["ended"],
        "changes": int(done[1]) if done else 0,
        "covers": 1,
        "run": done[2] if done else "",
        "outcome": outcome if old["ended"] else "cut off by a crash",
    }


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
