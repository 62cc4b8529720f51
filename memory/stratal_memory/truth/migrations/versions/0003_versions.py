"""What versions need: pins, evidence with its date, trust and source, events that were undone."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    op.add_column(
        "memories", sa.Column("pinned", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_index(
        op.f("ix_memories_scope_kind_scope_id_facet"),
        "memories",
        ["scope_kind", "scope_id", "facet"],
    )
    op.add_column("evidence", sa.Column("at", sa.String(length=27), nullable=True))
    op.add_column(
        "evidence", sa.Column("trust", sa.String(length=10), nullable=False, server_default="")
    )
    op.add_column("evidence", sa.Column("source", sa.Text(), nullable=False, server_default=""))
    op.add_column("events", sa.Column("undone", sa.String(length=27), nullable=True))
    op.execute(
        "UPDATE events SET undone = (SELECT runs.undone FROM runs WHERE runs.id = events.run)"
        " WHERE run != ''"
    )


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
