"""First schema."""

import sqlalchemy as sa
from alembic import op

from stratal_memory.truth import sqlite

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    op.create_table(
        "documents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("scope_kind", sa.String(length=10), nullable=False),
        sa.Column("scope_id", sa.Text(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("trust", sa.String(length=10), nullable=False),
        sa.Column("added", sa.String(length=27), nullable=False),
        sa.Column("retired", sa.String(length=27), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
    )
    op.create_index(
        op.f("ix_documents_scope_kind_scope_id_path"),
        "documents",
        ["scope_kind", "scope_id", "path"],
        unique=False,
    )
    op.create_table(
        "events",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=27), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("memory", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_events")),
        sa.UniqueConstraint("id", name=op.f("uq_events_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_events_key"), "events", ["key"], unique=False)
    op.create_index(op.f("ix_events_run"), "events", ["run"], unique=False)
    op.create_index(op.f("ix_events_user_seq"), "events", ["user", "seq"], unique=False)
    op.create_table(
        "generations",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("created", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_generations")),
        sa.UniqueConstraint("id", name=op.f("uq_generations_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "grants",
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("granted_by", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("kind", "id", "user", name=op.f("pk_grants")),
    )
    op.create_table(
        "memories",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("form", sa.String(length=10), nullable=False),
        sa.Column("scope_kind", sa.String(length=10), nullable=False),
        sa.Column("scope_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("trust", sa.String(length=10), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("support", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("facet", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("supersedes", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.String(length=27), nullable=False),
        sa.Column("retired_at", sa.String(length=27), nullable=True),
        sa.Column("valid_from", sa.String(length=27), nullable=False),
        sa.Column("valid_to", sa.String(length=27), nullable=True),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_memories")),
        sa.UniqueConstraint("id", name=op.f("uq_memories_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_memories_key"), "memories", ["key"], unique=False)
    op.create_index(
        op.f("ix_memories_scope_kind_scope_id_status_form"),
        "memories",
        ["scope_kind", "scope_id", "status", "form"],
        unique=False,
    )
    op.create_index(
        op.f("ix_memories_scope_kind_scope_id_text_hash"),
        "memories",
        ["scope_kind", "scope_id", "text_hash"],
        unique=False,
    )
    op.create_table(
        "outbox",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("memory", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("operation", sa.String(length=6), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_outbox")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("started", sa.String(length=27), nullable=False),
        sa.Column("ended", sa.String(length=27), nullable=True),
        sa.Column("undone", sa.String(length=27), nullable=True),
        sa.Column("report", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_user_started"), "runs", ["user", "started"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("started", sa.String(length=27), nullable=False),
        sa.Column("last_active", sa.String(length=27), nullable=False),
        sa.Column("episode_of", sa.String(length=27), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    op.create_index(
        op.f("ix_sessions_user_agent_last_active"),
        "sessions",
        ["user", "agent", "last_active"],
        unique=False,
    )
    op.create_table(
        "slots",
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("due", sa.String(length=27), nullable=False),
        sa.Column("started", sa.String(length=27), nullable=True),
        sa.Column("ended", sa.String(length=27), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("job", "user", "due", name=op.f("pk_slots")),
    )
    op.create_table(
        "spaces",
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("kind", "id", name=op.f("pk_spaces")),
    )
    op.create_table(
        "state",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_state")),
    )
    op.create_table(
        "chunks",
        sa.Column("memory", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document"], ["documents.id"], name=op.f("fk_chunks_document")),
        sa.ForeignKeyConstraint(["memory"], ["memories.id"], name=op.f("fk_chunks_memory")),
        sa.PrimaryKeyConstraint("memory", name=op.f("pk_chunks")),
    )
    op.create_index(op.f("ix_chunks_document"), "chunks", ["document"], unique=False)
    op.create_table(
        "evidence",
        sa.Column("memory", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["memory"], ["memories.id"], name=op.f("fk_evidence_memory")),
        sa.PrimaryKeyConstraint("memory", "position", name=op.f("pk_evidence")),
    )
    op.create_index(op.f("ix_evidence_ref"), "evidence", ["ref"], unique=False)
    op.create_table(
        "summaries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("first_seq", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=27), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_summaries_session")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summaries")),
    )
    op.create_index(op.f("ix_summaries_session"), "summaries", ["session"], unique=False)
    op.create_table(
        "turns",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("started", sa.String(length=27), nullable=False),
        sa.Column("ended", sa.String(length=27), nullable=True),
        sa.Column("ledger", sa.Text(), nullable=True),
        sa.Column("usage", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_turns_session")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
        sa.UniqueConstraint(
            "user", "agent", "request_id", name=op.f("uq_turns_user_agent_request_id")
        ),
    )
    op.create_index(op.f("ix_turns_session"), "turns", ["session"], unique=False)
    op.create_table(
        "vectors",
        sa.Column("memory", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["generation"], ["generations.number"], name=op.f("fk_vectors_generation")
        ),
        sa.ForeignKeyConstraint(["memory"], ["memories.seq"], name=op.f("fk_vectors_memory")),
        sa.PrimaryKeyConstraint("memory", "generation", name=op.f("pk_vectors")),
    )
    op.create_table(
        "messages",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("tool_calls", sa.Text(), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=False),
        sa.Column("tool_failed", sa.Boolean(), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.Column("media", sa.Text(), nullable=False),
        sa.Column("remembered", sa.Boolean(), nullable=False),
        sa.Column("created", sa.String(length=27), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_messages_session")),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_messages_turn")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_messages")),
        sa.UniqueConstraint("id", name=op.f("uq_messages_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_messages_remembered"), "messages", ["remembered"], unique=False)
    op.create_index(op.f("ix_messages_session_seq"), "messages", ["session", "seq"], unique=False)
    op.create_index(op.f("ix_messages_turn"), "messages", ["turn"], unique=False)
    op.create_table(
        "recalls",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("memory", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["turn"], ["turns.id"], name=op.f("fk_recalls_turn")),
        sa.PrimaryKeyConstraint("turn", "memory", name=op.f("pk_recalls")),
    )
    if op.get_bind().dialect.name == "sqlite":
        sqlite.create_full_text(op.get_bind())


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
