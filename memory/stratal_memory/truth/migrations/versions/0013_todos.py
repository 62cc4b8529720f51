"""To-do lists of conversations, and conversations that a sub-agent has inside another."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    op.create_table(
        "todos",
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_todos_session")),
        sa.PrimaryKeyConstraint("session", "position", name=op.f("pk_todos")),
    )
    op.add_column("sessions", sa.Column("parent", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
