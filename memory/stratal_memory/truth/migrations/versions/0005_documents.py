"""Documents know where they were found and what they lie in; passages stand in several of them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TEXTS = {"root": "", "parent": "", "version_of": "", "refused": "[]"}


def upgrade() -> None:
    """Forward."""
    for name, default in _TEXTS.items():
        op.add_column(
            "documents", sa.Column(name, sa.Text(), nullable=False, server_default=default)
        )
    op.create_index(
        op.f("ix_documents_scope_kind_scope_id_content_hash"),
        "documents",
        ["scope_kind", "scope_id", "content_hash"],
    )
    op.create_index(op.f("ix_documents_parent"), "documents", ["parent"])
    op.create_index(op.f("ix_documents_version_of"), "documents", ["version_of"])
    _rebuild_chunks()


def _rebuild_chunks() -> None:
    """The key is the place now; SQLite changes no key in place."""
    op.drop_index(op.f("ix_chunks_document"), table_name="chunks")
    op.rename_table("chunks", "chunks_before")
    op.create_table(
        "chunks",
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("memory", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document"], ["documents.id"], name=op.f("fk_chunks_document")),
        sa.ForeignKeyConstraint(["memory"], ["memories.id"], name=op.f("fk_chunks_memory")),
        sa.PrimaryKeyConstraint("document", "ordinal", name=op.f("pk_chunks")),
    )
    op.execute(
        'INSERT INTO chunks (document, ordinal, memory, start, "end", page, heading)'
        ' SELECT document, ordinal, memory, start, "end", page, heading FROM chunks_before'
    )
    op.drop_table("chunks_before")
    op.create_index(op.f("ix_chunks_memory"), "chunks", ["memory"])


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
