"""What the context engine needs: where turns begin, content hashes, cuts, ledger texts."""

import json

import sqlalchemy as sa
from alembic import op

from stratal_memory.text import content_hash

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

PAGE = 500  # messages rewritten at once
# Highest first, as it was when this revision was written.
TRUST_ORDER = ("system", "user", "assistant", "tool", "document", "web")


def upgrade() -> None:
    """Forward."""
    _add_columns()
    _add_tables()
    _find_beginnings()
    _rewrite_messages()
    _find_lowest_read()
    _turn_summaries_into_cuts()


def _add_columns() -> None:
    for name in ("opaque", "content_hash"):
        op.add_column("messages", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.create_index(
        op.f("ix_messages_session_content_hash"), "messages", ["session", "content_hash"]
    )
    op.add_column("turns", sa.Column("first_seq", sa.Integer(), nullable=True))
    op.drop_index(op.f("ix_turns_session"), "turns")  # the new one begins with the session too
    op.create_index(op.f("ix_turns_session_first_seq"), "turns", ["session", "first_seq"])
    op.create_index(op.f("ix_turns_session_state"), "turns", ["session", "state"])
    op.add_column(
        "sessions",
        sa.Column("lowest_read", sa.String(length=10), nullable=False, server_default="system"),
    )


def _add_tables() -> None:
    op.create_table(
        "cuts",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("aged", sa.Integer(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=27), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_cuts_session")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_cuts")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_cuts_session"), "cuts", ["session"])
    op.create_table(
        "ledger_texts",
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_ledger_texts_session")),
        sa.PrimaryKeyConstraint("session", "digest", name=op.f("pk_ledger_texts")),
    )
    op.create_table(
        "calibrations",
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("counter", sa.Text(), nullable=False),
        sa.Column("values", sa.Text(), nullable=False),
        sa.Column("updated", sa.String(length=27), nullable=False),
        sa.PrimaryKeyConstraint("model", "counter", name=op.f("pk_calibrations")),
    )


def _find_beginnings() -> None:
    op.execute(
        "UPDATE turns SET first_seq ="
        " (SELECT min(messages.seq) FROM messages WHERE messages.turn = turns.id)"
    )


def _rewrite_messages() -> None:
    """Content hashes, and media as objects: they were a list of image addresses."""
    bind, last = op.get_bind(), 0
    read = sa.text(
        "SELECT seq, text, media FROM messages WHERE seq > :last ORDER BY seq LIMIT :page"
    )
    write = sa.text("UPDATE messages SET content_hash = :hash, media = :media WHERE seq = :seq")
    while rows := bind.execute(read, {"last": last, "page": PAGE}).all():
        bind.execute(
            write,
            [
                {"seq": seq, "hash": content_hash(text), "media": _media_objects(media)}
                for seq, text, media in rows
            ],
        )
        last = rows[-1].seq


def _media_objects(media: str) -> str:
    return json.dumps([{"kind": "image", "source": source} for source in json.loads(media)])


def _find_lowest_read() -> None:
    """What old conversations read: the memories recalled in them, and results of tools."""
    bind = op.get_bind()
    found = bind.execute(
        sa.text(
            "SELECT turns.session, memories.trust FROM recalls"
            " JOIN turns ON turns.id = recalls.turn"
            " JOIN memories ON memories.id = recalls.memory"
            " UNION SELECT session, 'tool' FROM messages WHERE role = 'tool'"
        )
    )
    lowest: dict[str, str] = {}
    for session, trust in found:
        lowest[session] = max(lowest.get(session, "system"), trust, key=TRUST_ORDER.index)
    write = sa.text("UPDATE sessions SET lowest_read = :trust WHERE id = :session")
    for session, trust in lowest.items():
        bind.execute(write, {"session": session, "trust": trust})


def _turn_summaries_into_cuts() -> None:
    """Summaries get rows in the order they were made; each of them moved what was shown."""
    bind = op.get_bind()
    rows = [
        dict(row)
        for row in bind.execute(
            sa.text(
                "SELECT id, session, first_seq, last_seq, text, created FROM summaries"
                " ORDER BY last_seq, created, id"
            )
        ).mappings()
    ]
    op.drop_table("summaries")
    made = op.create_table(
        "summaries",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("first_seq", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=27), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name=op.f("fk_summaries_session")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_summaries")),
        sa.UniqueConstraint("id", name=op.f("uq_summaries_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_summaries_session"), "summaries", ["session"])
    cut = sa.text(
        "INSERT INTO cuts (session, after, aged, summary, reason, at)"
        " VALUES (:session, :last_seq, 0, :text, 'summarized', :created)"
    )
    for row in rows:
        bind.execute(sa.insert(made).values(**row, method="note"))
        bind.execute(cut, row)


def downgrade() -> None:
    """Never: a backup is the way back."""
    raise NotImplementedError("restore a backup instead")
