"""Runs of consolidation go by steps, can be taken up again, and hold back what is risky."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    for name, kind, default in (
        ("agent", sa.Text(), ""),
        ("state", sa.String(length=10), "done"),
        ("watermark", sa.Integer(), "0"),
        ("owner", sa.Text(), ""),
        ("fence", sa.Integer(), "0"),
    ):
        op.add_column("runs", sa.Column(name, kind, nullable=False, server_default=default))
    for name in ("wake", "lease_until"):
        op.add_column("runs", sa.Column(name, sa.String(length=27), nullable=True))
    op.create_index(
        "uq_runs_unfinished",
        "runs",
        ["user", "agent"],
        unique=True,
        sqlite_where=sa.text("state <> 'done'"),
    )
    _progress()
    _held()
    op.create_table(
        "spending",
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("usd", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("user", "day", name=op.f("pk_spending")),
    )


def _progress() -> None:
    op.create_table(
        "run_steps",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name=op.f("fk_run_steps_run")),
        sa.PrimaryKeyConstraint("run", "name", name=op.f("pk_run_steps")),
    )
    op.create_table(
        "run_changes",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("change", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name=op.f("fk_run_changes_run")),
        sa.PrimaryKeyConstraint("run", "ordinal", name=op.f("pk_run_changes")),
    )


def _held() -> None:
    op.create_table(
        "held",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("risk", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=27), nullable=False),
        sa.Column("decided", sa.String(length=27), nullable=True),
        sa.Column("decision", sa.String(length=10), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_held")),
    )
    op.create_index(op.f("ix_held_user_decision"), "held", ["user", "decision"])


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
