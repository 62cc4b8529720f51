"""What came of each recalled memory is known, and how often it was of use."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    for column in (
        sa.Column("outcome", sa.String(length=10), nullable=False, server_default=""),
        sa.Column("overlap", sa.Float(), nullable=False, server_default="0"),
        sa.Column("decided_at", sa.String(length=27), nullable=True),
    ):
        op.add_column("recalls", column)
    op.create_index(op.f("ix_recalls_memory"), "recalls", ["memory"])
    numbers = ("used", "ignored", "corrected", "fed_used", "fed_corrected")
    op.create_table(
        "usefulness",
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in numbers),
        sa.Column("wrong", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user", "key", name=op.f("pk_usefulness")),
    )


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
