"""What a person said to skills that others wrote is kept, with its history."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    op.create_table(
        "approvals",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("verdict", sa.String(10), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_approvals")),
        sa.UniqueConstraint("id", name=op.f("uq_approvals_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_approvals_user_seq"), "approvals", ["user", "seq"])


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
