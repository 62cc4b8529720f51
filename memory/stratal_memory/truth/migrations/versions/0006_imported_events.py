"""Events that came with an import are known as such: they tell, and are never taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    op.add_column(
        "events", sa.Column("imported", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
