"""Stored procedures with their versions, their outcomes, and the episodes they are drawn from."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    op.create_table(
        "procedures",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scope_kind", sa.String(10), nullable=False),
        sa.Column("scope_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(10), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.String(27), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("approved_by", sa.Text(), nullable=False),
        sa.Column("approved_at", sa.String(27)),
        sa.Column("retired_at", sa.String(27)),
        sa.PrimaryKeyConstraint("key", "version", name=op.f("pk_procedures")),
    )
    op.create_index(
        op.f("ix_procedures_scope_kind_scope_id_state"),
        "procedures",
        ["scope_kind", "scope_id", "state"],
    )
    op.create_table(
        "procedure_outcomes",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("procedure", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(10), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_procedure_outcomes_turn")),
        sa.PrimaryKeyConstraint("turn", name=op.f("pk_procedure_outcomes")),
    )
    for columns in (["procedure", "version"], ["outcome"]):
        name = op.f(f"ix_procedure_outcomes_{'_'.join(columns)}")
        op.create_index(name, "procedure_outcomes", columns)
    op.create_table(
        "procedure_episodes",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("tools", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("steps", sa.Text(), nullable=False),
        sa.Column("ok", sa.Boolean()),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_procedure_episodes_turn")),
        sa.PrimaryKeyConstraint("turn", name=op.f("pk_procedure_episodes")),
    )
    for column in ("tools", "signature", "ok"):
        op.create_index(op.f(f"ix_procedure_episodes_{column}"), "procedure_episodes", [column])


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
