import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, text

from stratal_memory.errors import SchemaTooNew
from stratal_memory.records import Media, Message, Role, Summary, Trust
from stratal_memory.text import content_hash
from stratal_memory.truth import (
    events,
    ledgers,
    locks,
    memories,
    messages,
    migration,
    recalls,
    sessions,
    sqlite,
    summaries,
    turns,
)
from stratal_memory.truth.database import FILE_NAME, Database
from stratal_memory.truth.schema import memories as memory_table
from stratal_memory.truth.tables import metadata
from tests.memory.worlds import World


def test_migrating_makes_exactly_the_tables_of_the_schema(world: World) -> None:
    def ours(item: object, name: str | None, kind: str, reflected: bool, other: object) -> bool:
        return not (kind == "table" and reflected and str(name).startswith("full_text"))

    with world.database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_object": ours, "compare_type": True}
        )
        difference = compare_metadata(context, metadata)

    assert difference == []


def test_head_is_the_newest_revision() -> None:
    scripts = ScriptDirectory(str(migration.SCRIPTS))

    assert scripts.get_heads() == [migration.HEAD]


def test_a_new_directory_has_the_newest_schema(world: World) -> None:
    with world.database.read() as connection:
        assert migration.schema_version(connection) == migration.HEAD
    assert migration.is_current(world.database.engine)


def test_what_a_newer_stratal_wrote_is_left_alone(tmp_path: Path) -> None:
    with Database.open(tmp_path) as database, database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaTooNew, match="schema 9999, this Stratal knows up to"):
        Database.open(tmp_path)

    assert not list((tmp_path / "open").glob("*.lock"))


def test_nobody_is_registered_while_the_schema_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two who open at once would else wait for each other: both must migrate alone."""
    present: list[list[Path]] = []

    def watched(engine: Engine) -> None:
        present.append(list((tmp_path / locks.OPEN_FOLDER).glob("*.lock")))
        migration.upgrade(engine)

    monkeypatch.setattr("stratal_memory.truth.database.upgrade", watched)
    Database.open(tmp_path).close()
    Database.open(tmp_path).close()

    assert present == [[]]


AT = "2026-01-02T03:04:05.000000Z"
MANY = 1_200  # messages of the long conversation: more than the migration rewrites at once


def of_first_schema(folder: Path, rows: dict[str, list[dict[str, object]]]) -> None:
    """A data directory as schema 0001 left it, with these rows by table."""
    engine = sqlite.open_engine(folder / FILE_NAME)
    config = Config()
    config.set_main_option("script_location", str(migration.SCRIPTS))
    with engine.connect() as connection:
        writing = connection.execution_options(write=True)
        with writing.begin():
            config.attributes["connection"] = writing
            command.upgrade(config, "0001")
            for table, some in rows.items():
                for row in some:
                    names = ", ".join(f'"{name}"' for name in row)
                    values = ", ".join(f":{name}" for name in row)
                    writing.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)
    engine.dispose()


def session(id: str) -> dict[str, object]:
    return {
        "id": id,
        "user": "alice",
        "agent": "main",
        "title": "",
        "started": AT,
        "last_active": AT,
    }


def turn(id: str, of: str, *, ledger: str | None = None) -> dict[str, object]:
    return {
        "id": id,
        "session": of,
        "user": "alice",
        "agent": "main",
        "request_id": id,
        "state": "done",
        "model": "m",
        "owner": "",
        "started": AT,
        "ledger": ledger,
    }


def message(
    seq: int, turn: str, of: str, *, role: str = "user", media: str = "[]", said: str = ""
) -> dict[str, object]:
    return {
        "seq": seq,
        "id": f"msg_{seq}",
        "session": of,
        "turn": turn,
        "role": role,
        "text": said or f"text {seq}",
        "tool_calls": "[]",
        "tool_call_id": "",
        "tool_failed": False,
        "reasoning": "",
        "media": media,
        "remembered": True,
        "created": AT,
    }


def memory(id: str, trust: str) -> dict[str, object]:
    empty = ("text", "text_hash", "agent", "session", "source", "facet", "value", "supersedes")
    return {
        **dict.fromkeys(empty, ""),
        "id": id,
        "key": id,
        "version": 1,
        "kind": "semantic",
        "form": "fact",
        "scope_kind": "user",
        "scope_id": "alice",
        "trust": trust,
        "status": "active",
        "confidence": 0.9,
        "support": 1,
        "recorded_at": AT,
        "valid_from": AT,
    }


def summary(id: str, of: str, *, first: int, last: int, said: str) -> dict[str, object]:
    return {
        "id": id,
        "session": of,
        "first_seq": first,
        "last_seq": last,
        "text": said,
        "created": AT,
    }


def event(id: str, *, run: str) -> dict[str, object]:
    return {
        "id": id,
        "at": AT,
        "kind": "memory.added",
        "user": "alice",
        "reason": "a test",
        "memory": "mem_u",
        "key": "mem_u",
        "run": run,
        "detail": "[]",
    }


ROWS: dict[str, list[dict[str, object]]] = {
    "sessions": [session(id) for id in ("talk", "tools", "docs", "quiet", "long")],
    "turns": [
        turn("t1", "talk", ledger=json.dumps({"sections": []})),
        turn("t2", "talk"),
        turn("t3", "talk"),
        turn("unsaid", "talk"),
        turn("t4", "tools"),
        turn("t5", "docs"),
        turn("t6", "long"),
    ],
    "messages": [
        message(
            1, "t1", "talk", said="the first 🦊", media='["a.png", "data:image/png;base64,AA"]'
        ),
        message(2, "t2", "talk"),  # began before t1 was answered
        message(3, "t1", "talk", role="assistant"),
        message(4, "t2", "talk", role="assistant"),
        message(5, "t3", "talk", said="the last"),
        message(6, "t4", "tools", role="tool", said="a result"),
        message(7, "t5", "docs", role="tool"),
        *(message(8 + number, "t6", "long") for number in range(MANY)),
    ],
    "memories": [memory("mem_u", "user"), memory("mem_t", "tool"), memory("mem_d", "document")],
    "recalls": [
        {"turn": "t2", "memory": "mem_u", "score": 0.5},
        {"turn": "t5", "memory": "mem_t", "score": 0.5},
        {"turn": "t5", "memory": "mem_d", "score": 0.5},
        {"turn": "t5", "memory": "mem_gone", "score": 0.5},
    ],
    "evidence": [
        {"memory": "mem_u", "position": 0, "ref": "msg_1", "start": 0, "end": 4, "quote": "Tea?"}
    ],
    "runs": [
        {
            "id": "run_1",
            "kind": "consolidation",
            "user": "alice",
            "started": AT,
            "undone": AT,
            "report": "{}",
        }
    ],
    "events": [event("evt_1", run="run_1"), event("evt_2", run="")],
    # The row that reaches furthest was shown, whichever was written first.
    "summaries": [
        summary("sum_b", "talk", first=1, last=2, said="both"),
        summary("sum_a", "talk", first=1, last=1, said="the first alone"),
    ],
}


@pytest.fixture
def migrated(tmp_path: Path) -> Iterator[Database]:
    of_first_schema(tmp_path, ROWS)
    with Database.open(tmp_path) as database:
        yield database


def test_old_messages_are_read_turn_by_turn(migrated: Database) -> None:
    with migrated.read() as connection:
        every = messages.of_session(connection, "talk")
        newest = list(messages.newest_turns(connection, "talk"))
        last = turns.last_turn(connection, "talk")
        first = turns.find_turn(connection, user="alice", agent="main", id="t1")

    assert [one.seq for one in every] == [1, 3, 2, 4, 5]
    assert [[one.seq for one in some] for some in newest] == [[5], [2, 4], [1, 3]]
    assert every[0].text == "the first 🦊"
    assert {one.opaque for one in every} == {""}
    assert last is not None
    assert last.id == "t3"
    assert first is not None
    assert first.ledger == '{"sections": []}'


def test_old_media_are_images(migrated: Database) -> None:
    with migrated.read() as connection:
        first, *others = messages.of_session(connection, "talk")

    assert first.media == (Media(source="a.png"), Media(source="data:image/png;base64,AA"))
    assert {one.media for one in others} == {()}


def test_old_messages_are_found_by_their_hash(migrated: Database) -> None:
    with migrated.read() as connection:
        found = messages.by_hash(connection, "tools", content_hash("a result"))
        said = (f"text {8 + number}" for number in range(MANY))
        wanted = {content_hash(text): text for text in said}
        texts = ledgers.texts_of(connection, "long", wanted)

    assert found is not None
    assert found.seq == 6
    assert texts == wanted


def test_an_old_conversation_is_as_trusted_as_what_it_read(migrated: Database) -> None:
    with migrated.read() as connection:
        lowest = {
            one.id: sessions.lowest_read(connection, one.id)
            for one in sessions.find_sessions(connection, user="alice")
        }
        recalled = recalls.recalled_in(connection, "docs")

    assert lowest == {
        "talk": Trust.USER,
        "tools": Trust.TOOL,
        "docs": Trust.DOCUMENT,
        "quiet": Trust.SYSTEM,
        "long": Trust.SYSTEM,
    }
    assert recalled == ["mem_d", "mem_gone", "mem_t"]


def test_an_old_summary_is_the_cut_it_was(migrated: Database) -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    with migrated.read() as connection:
        cut = summaries.current_cut(connection, "talk")
        newest = summaries.newest_summary(connection, "talk")
        shown = messages.of_session(connection, "talk", after=cut.after)
        elsewhere = summaries.current_cut(connection, "tools")

    assert cut == summaries.Cut(after=2, summary="both", reason="summarized", at=at)
    assert newest == Summary(
        id="sum_b", session="talk", first=1, last=2, text="both", method="note", created=at
    )
    assert [one.text for one in shown] == ["the last"]
    assert elsewhere == summaries.Cut()


def test_an_old_conversation_goes_on(migrated: Database) -> None:
    with migrated.write() as connection:
        (talk,) = sessions.find_sessions(connection, user="alice", id="talk")
        at = datetime(2026, 2, 1, tzinfo=UTC)
        begun = turns.start_turn(connection, talk, request_id="new", model="m", at=at)
        said = messages.append(connection, begun, [Message(role=Role.USER, text="Hi")], at=at)
        summaries.move_cut(connection, "talk", summaries.Cut(after=5), at=at)

        cut = summaries.current_cut(connection, "talk")
        assert cut.after == 5
        assert messages.of_session(connection, "talk", after=cut.after) == said


def test_an_old_memory_stands_as_it_was(migrated: Database) -> None:
    with migrated.read() as connection:
        [kept] = memories.select_memories(connection, memory_table.c.id == "mem_u")
        undone = {one.id: one.undone for one in events.of_memory(connection, "mem_u")}

    assert not kept.pinned
    [seen] = kept.evidence
    assert (seen.ref, seen.quote, seen.at, seen.trust, seen.source) == (
        "msg_1",
        "Tea?",
        None,
        None,
        "",
    )
    assert undone == {"evt_1": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "evt_2": None}
