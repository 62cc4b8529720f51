"""Messages are append-only, take any text, and are read newest first as far as needed."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice

import pytest
from sqlalchemy import Connection, Engine, event, insert, select

from stratal_memory.records import Media, MediaKind, Message, Role, Session, ToolCall, new_id
from stratal_memory.store import Store
from stratal_memory.text import REPLACEMENT, content_hash
from stratal_memory.truth import messages, turns
from stratal_memory.truth.schema import messages as table
from stratal_memory.truth.schema import turns as turn_table
from tests.memory.worlds import World, begin, say


def test_messages_come_back_as_they_were_said(world: World) -> None:
    store = world.store()
    session = begin(store)
    call = ToolCall(id="c1", name="search", arguments='{"q": "tea"}')
    media = (
        Media(source="photo.png", width=3, height=2),
        Media(kind=MediaKind.AUDIO, source="data:audio/wav;base64,AA==", seconds=1.5),
    )
    items = [
        Message(role=Role.USER, text="Find tea", media=media),
        Message(role=Role.ASSISTANT, text="", tool_calls=(call,), reasoning="hm", opaque="[1]"),
        Message(role=Role.TOOL, text="no tea", tool_call_id="c1", tool_failed=True),
    ]

    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r1", model="m", at=journal.at
        )
        kept = messages.append(journal.connection, turn, items, at=journal.at)
    with store.read() as connection:
        found = messages.of_session(connection, session.id)

    assert found == kept
    assert [message.seq for message in found] == [message.seq for message in kept] == [1, 2, 3]
    assert [(m.role, m.text, m.tool_calls, m.media) for m in found] == [
        (Role.USER, "Find tea", (), media),
        (Role.ASSISTANT, "", (call,), ()),
        (Role.TOOL, "no tea", (), ()),
    ]
    assert (found[1].reasoning, found[1].opaque) == ("hm", "[1]")
    assert found[2].tool_failed


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "\udfff", "🦊\x00"])
def test_any_text_is_kept(world: World, text: str) -> None:
    store = world.store()

    kept = say(store, begin(store), text)

    assert REPLACEMENT in kept[0].text
    assert len(kept[0].text) == len(text)


@pytest.mark.parametrize("text", ["", "tea", "a\ud800b", "x" * 100_000])
def test_the_stored_hash_is_that_of_the_stored_text(world: World, text: str) -> None:
    store = world.store()

    (kept,) = say(store, begin(store), text)

    with store.read() as connection:
        stored = connection.execute(select(table.c.content_hash)).scalar_one()
    assert stored == content_hash(kept.text)


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.CONTEXT])
def test_what_we_put_into_prompts_is_no_history(world: World, role: Role) -> None:  # covers P7, P8
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r", model="m", at=journal.at
        )

        message = Message(role=role, text="injected")
        with pytest.raises(AssertionError):
            messages.append(journal.connection, turn, [message], at=journal.at)


def test_open_turns_wait_before_they_count_as_cut_off(world: World) -> None:
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r", model="m", at=journal.at
        )
        asked = Message(role=Role.USER, text="Hello?")
        messages.append(journal.connection, turn, [asked], at=journal.at)

    with store.read() as connection:
        now = world.clock()
        fresh = messages.unremembered(connection, user="alice", before=now - timedelta(minutes=15))
        stale = messages.unremembered(connection, user="alice", before=now)

    assert fresh == []
    assert [item.message.text for item in stale] == ["Hello?"]


def at_once(store: Store, session: Session) -> None:
    """Two turns whose messages were stored in turn: a, b, a's answer, b's answer."""
    with store.write() as journal:
        both = [
            turns.start_turn(
                journal.connection, session, request_id=new_id("req"), model="m", at=journal.at
            )
            for _ in range(2)
        ]
        for role, texts in ((Role.USER, ("a", "b")), (Role.ASSISTANT, ("to a", "to b"))):
            for turn, text in zip(both, texts, strict=True):
                item = Message(role=role, text=text)
                messages.append(journal.connection, turn, [item], at=journal.at)


def texts(found: list[tuple[Message, ...]]) -> list[list[str]]:
    return [[message.text for message in turn] for turn in found]


@pytest.mark.parametrize("page", [1, 2, 3, 16])
def test_turns_come_newest_first_and_whole_whatever_the_page(world: World, page: int) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "first", "one")
    at_once(store, session)
    say(store, begin(store), "elsewhere")
    say(store, session, "last")

    with store.read() as connection:
        found = list(messages.newest_turns(connection, session.id, page=page))
        oldest_first = messages.of_session(connection, session.id)

    assert texts(found) == [["last"], ["b", "to b"], ["a", "to a"], ["first", "one"]]
    assert [message for turn in reversed(found) for message in turn] == oldest_first


def test_turns_that_began_at_the_cut_are_not_read(world: World) -> None:
    store = world.store()
    session = begin(store)
    say(store, session, "first", "one")
    at_once(store, session)
    say(store, session, "last")

    with store.read() as connection:
        every = list(messages.newest_turns(connection, session.id))
        began = every[2][0].seq  # the turn of "a"
        at = messages.newest_turns(connection, session.id, after=began)
        before = messages.newest_turns(connection, session.id, after=began - 1)

        assert texts(list(at)) == [["last"], ["b", "to b"]]
        assert texts(list(before)) == [["last"], ["b", "to b"], ["a", "to a"]]


def test_a_conversation_nothing_was_said_in_has_no_turns(world: World) -> None:
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r", model="m", at=journal.at
        )
        assert messages.append(journal.connection, turn, [], at=journal.at) == []

    with store.read() as connection:
        assert list(messages.newest_turns(connection, session.id)) == []


def fill(connection: Connection, session: Session, *, count: int) -> None:
    """`count` turns of two messages, without the cost of appending each."""
    ids = [f"{session.id}-{number}" for number in range(count)]
    shared = {"session": session.id, "model": "m", "owner": "", "started": session.started}
    base = connection.execute(select(table.c.seq).order_by(table.c.seq.desc())).scalar() or 0
    connection.execute(
        insert(turn_table),
        [
            {
                **shared,
                "id": id,
                "user": session.user,
                "agent": session.agent,
                "request_id": id,
                "state": "done",
                "first_seq": base + 2 * number + 1,
            }
            for number, id in enumerate(ids)
        ],
    )
    connection.execute(
        insert(table),
        [
            {
                "seq": base + 2 * number + offset,
                "id": f"{id}-{role}",
                "session": session.id,
                "turn": id,
                "role": role,
                "text": f"{role} {number}",
                "created": session.started,
            }
            for number, id in enumerate(ids)
            for offset, role in ((1, Role.USER), (2, Role.ASSISTANT))
        ],
    )


@contextmanager
def work(engine: Engine, connection: Connection) -> Generator[list[int]]:
    """The SQLite instructions each statement took, in hundreds; counted, not timed."""
    steps: list[int] = []

    def tick() -> None:
        steps[-1] += 1

    def begin_(*_: object) -> None:
        steps.append(0)

    raw = connection.connection.driver_connection
    assert raw is not None
    event.listen(engine, "before_cursor_execute", begin_)
    raw.set_progress_handler(tick, 100)
    yield steps
    raw.set_progress_handler(None, 0)
    event.remove(engine, "before_cursor_execute", begin_)


def test_the_newest_turns_cost_the_same_however_long_the_conversation_is(world: World) -> None:
    store = world.store()
    short, long = begin(store), begin(store)
    with store.write() as journal:
        fill(journal.connection, short, count=20)
        fill(journal.connection, long, count=20_000)

    spent: dict[str, list[int]] = {}
    with store.read() as connection:
        for session in (short, long):
            with work(world.database.engine, connection) as spent[session.id]:
                newest = list(islice(messages.newest_turns(connection, session.id), 3))
            assert len(newest) == 3

    assert texts(newest)[0] == ["user 19999", "assistant 19999"]
    assert len(spent[long.id]) == len(spent[short.id]) == 2  # one page: its turns, its messages
    assert sum(spent[long.id]) <= sum(spent[short.id]) + 2


def test_the_next_page_is_read_when_the_caller_gets_there(world: World) -> None:
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        fill(journal.connection, session, count=50)

    with store.read() as connection, work(world.database.engine, connection) as statements:
        reading = messages.newest_turns(connection, session.id, page=16)
        counts = []
        for _ in range(3):
            list(islice(reading, 16))
            counts.append(len(statements))

    assert counts == [2, 4, 6]


def result(store: Store, session: Session, text: str) -> Message:
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id=new_id("req"), model="m", at=journal.at
        )
        item = Message(role=Role.TOOL, text=text, tool_call_id="c1")
        return messages.append(journal.connection, turn, [item], at=journal.at)[0]


def test_a_tool_result_is_found_by_its_hash_or_its_beginning(world: World) -> None:
    store = world.store()
    session = begin(store)
    other = result(store, session, "wanted" * 1_000)
    wanted = result(store, session, "wanted")
    digest = content_hash("wanted")

    with store.read() as connection:
        for asked in (digest, digest[:8], digest[:31], f" {digest.upper()}\n"):
            assert messages.by_hash(connection, session.id, asked) == wanted
        assert messages.by_hash(connection, session.id, content_hash(other.text)) == other


def test_of_equal_results_the_newest_is_found(world: World) -> None:
    store = world.store()
    session = begin(store)
    result(store, session, "same")
    newest = result(store, session, "same")

    with store.read() as connection:
        assert messages.by_hash(connection, session.id, content_hash("same")) == newest


@pytest.mark.parametrize(
    "asked",
    ["", "%", "________", content_hash("wanted")[:7], content_hash("wanted") + "0", "g" * 32, "\0"],
)
def test_what_is_no_digest_finds_nothing(world: World, asked: str) -> None:
    store = world.store()
    session = begin(store)
    result(store, session, "wanted")

    with store.read() as connection:
        assert messages.by_hash(connection, session.id, asked) is None


def test_only_tool_results_of_this_conversation_are_found(world: World) -> None:
    store = world.store()
    session, other = begin(store), begin(store)
    say(store, session, "said")
    result(store, other, "elsewhere")

    with store.read() as connection:
        for text in ("said", "elsewhere", "never"):
            assert messages.by_hash(connection, session.id, content_hash(text)) is None


def test_a_message_is_one_transaction_of_three_statements(world: World) -> None:
    store = world.store()
    session = begin(store)
    with store.write() as journal:
        turn = turns.start_turn(
            journal.connection, session, request_id="r1", model="m", at=journal.at
        )
    said: list[str] = []

    def note(*told: object) -> None:
        said.append(str(told[2]).split()[0])

    event.listen(world.database.engine, "before_cursor_execute", note)
    with store.write() as journal:
        messages.append(
            journal.connection, turn, [Message(role=Role.USER, text="tea")], at=journal.at
        )
    event.remove(world.database.engine, "before_cursor_execute", note)

    assert said == ["BEGIN", "INSERT", "UPDATE", "UPDATE"]
