"""What other systems export comes in with its dates, once, and never as somebody else's."""

import json
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import InputError
from stratal_memory.portability import reading
from stratal_memory.portability.export import export
from stratal_memory.portability.importing import import_file
from stratal_memory.portability.past import moment
from stratal_memory.portability.reading import elements
from stratal_memory.portability.report import Imported, Source
from stratal_memory.records import Form, Trust
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.messages import of_session
from stratal_memory.truth.sessions import find_sessions
from tests.memory.worlds import World
from tests.memory.worlds import export as digest

MAY = datetime(2024, 5, 10, 12, tzinfo=UTC)
CHATGPT = [
    {
        "title": "Moving",
        "id": "conv-1",
        "conversation_id": "conv-1",
        "create_time": MAY.timestamp(),
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["s"]},
            "s": {
                "id": "s",
                "parent": "root",
                "children": ["a"],
                "message": {
                    "id": "s",
                    "author": {"role": "system"},
                    "content": {
                        "content_type": "text",
                        "parts": ["You are helpful. I live in Rome."],
                    },
                },
            },
            "a": {
                "id": "a",
                "parent": "s",
                "children": ["b", "left"],
                "message": {
                    "id": "a",
                    "author": {"role": "user"},
                    "create_time": MAY.timestamp(),
                    "content": {"content_type": "text", "parts": ["I moved to Lisbon last month."]},
                },
            },
            "left": {
                "id": "left",
                "parent": "a",
                "children": [],
                "message": {
                    "id": "left",
                    "author": {"role": "assistant"},
                    "create_time": MAY.timestamp() + 1,
                    "content": {"content_type": "text", "parts": ["A branch that was left."]},
                },
            },
            "b": {
                "id": "b",
                "parent": "a",
                "children": ["c"],
                "message": {
                    "id": "b",
                    "author": {"role": "assistant"},
                    "create_time": MAY.timestamp() + 5,
                    "content": {"content_type": "multimodal_text", "parts": ["Lovely.", {"x": 1}]},
                },
            },
            "c": {
                "id": "c",
                "parent": "b",
                "children": ["d"],
                "message": {
                    "id": "c",
                    "author": {"role": "tool"},
                    "content": {"content_type": "code", "text": "print()"},
                },
            },
            "d": {
                "id": "d",
                "parent": "c",
                "children": [],
                "message": {
                    "id": "d",
                    "author": {"role": "user"},
                    "create_time": None,
                    "content": {"content_type": "text", "parts": ["My sister is called Eva."]},
                },
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": "9a",
        "name": "Dogs",
        "created_at": "2024-05-10T12:00:00.000000Z",
        "updated_at": "2024-05-10T12:05:00.000000Z",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "",
                "content": [{"type": "text", "text": "My dog is called Rex."}],
                "created_at": "2024-05-10T12:00:00.000000Z",
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "A good name.",
                "content": [{"type": "tool_use", "name": "x", "input": {}}],
                "created_at": "2024-05-10T12:00:09.000000Z",
            },
        ],
    }
]
MEM0 = {
    "results": [
        {
            "id": "1",
            "memory": "Prefers window seats",
            "hash": "h",
            "metadata": None,
            "created_at": "2024-05-10T05:00:00-07:00",
            "updated_at": None,
            "user_id": "alex",
        },
        {"id": "2", "memory": "Is a nurse", "created_at": "2024-05-11", "user_id": "somebody"},
        {"id": "3", "memory": "Keeps bees", "user_id": "alex"},
        {"id": "4", "memory": "sk-ant-api03-" + "a1B2c3D4" * 10, "created_at": "2024-05-11"},
    ]
}
LETTA = {
    "agents": [
        {
            "id": "agent-0",
            "name": "sam",
            "block_ids": ["block-0", "block-1"],
            "messages": [
                {
                    "id": "message-0",
                    "role": "system",
                    "content": [{"type": "text", "text": "You are Sam. I live in Rome."}],
                    "created_at": "2024-05-10T12:00:00+00:00",
                },
                {
                    "id": "message-1",
                    "role": "user",
                    "content": [{"type": "text", "text": '{"type": "login", "time": "now"}'}],
                    "created_at": "2024-05-10T12:00:01+00:00",
                },
                {
                    "id": "message-2",
                    "role": "user",
                    "content": [
                        {
                            "type": "text",
                            "text": '{"type": "user_message", "message": "I live in Porto."}',
                        }
                    ],
                    "created_at": "2024-05-10T12:00:02+00:00",
                },
                {
                    "id": "message-3",
                    "role": "assistant",
                    "content": [{"type": "text", "text": "thinking to myself"}],
                    "tool_calls": [
                        {
                            "id": "c",
                            "function": {
                                "name": "send_message",
                                "arguments": '{"message": "Porto is lovely."}',
                            },
                        }
                    ],
                    "created_at": "2024-05-10T12:00:03+00:00",
                },
            ],
        }
    ],
    "groups": [],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "First name: Chad\n\nLikes sailing"},
        {"id": "block-1", "label": "persona", "value": "I am Sam."},
    ],
    "files": [],
    "tools": [],
}
PASSAGES = [
    {"id": "passage-1", "text": "The user sails.", "agent_id": "a", "created_at": "2024-05-10"},
    {"id": "passage-2", "text": "x" * 3_000, "agent_id": "a", "created_at": "2024-05-10"},
]
Bring = Callable[..., Imported]


@pytest.fixture
def bring(world: World, tmp_path: Path) -> Bring:
    """Imports an export that is written to a file first."""
    store = world.store(embedder=HashEmbedder(64))

    def run(value: object, *, name: str = "conversations.json", **how: object) -> Imported:
        path = tmp_path / name
        path.write_text(json.dumps(value))
        return import_file(store, path, **how)  # type: ignore[arg-type]  # as the test says

    return run


def told(world: World) -> list[list[tuple[str, str]]]:
    store = world.stores[0]
    with store.read() as connection:
        found = sorted(find_sessions(connection, user="alice"), key=lambda one: one.started)
        return [
            [(said.role.value, said.text) for said in of_session(connection, one.id)]
            for one in found
        ]


def test_chatgpt_comes_as_it_was_last_shown_with_its_dates(world: World, bring: Bring) -> None:
    report = bring(CHATGPT)

    assert report.format == "chatgpt"
    assert told(world) == [
        [
            ("user", "I moved to Lisbon last month."),
            ("assistant", "Lovely."),
            ("user", "My sister is called Eva."),
        ]
    ]
    facts = {fact.facet: fact for fact in Facts(world.stores[0]).known()}
    assert facts["home"].value == "Lisbon"
    # "last month" of the message's own time, not of the import's (mem0#4963).
    assert (facts["home"].valid_from.year, facts["home"].valid_from.month) == (2024, 4)
    assert report.skipped == {"messages of tools and systems": 1, "messages that are no text": 1}


def test_claude_comes_with_its_order_and_names(world: World, bring: Bring) -> None:
    report = bring(CLAUDE)

    assert report.format == "claude"
    assert told(world) == [[("user", "My dog is called Rex."), ("assistant", "A good name.")]]
    store = world.stores[0]
    assert any("Rex" in fact.text for fact in Facts(store).known())
    with store.read() as connection:
        (session,) = find_sessions(connection, user="alice")
    assert (session.title, session.started) == ("Dogs", MAY)


def test_an_import_fills_the_profile_only_by_consolidation(world: World, bring: Bring) -> None:
    bring(CHATGPT)
    store = world.stores[0]

    assert Profile(store).render() == ""
    consolidate(store)
    assert "Home: Lisbon" in Profile(store).render()


@pytest.mark.parametrize("value", [CHATGPT, CLAUDE, MEM0, LETTA, PASSAGES])
def test_the_same_file_again_adds_nothing(world: World, bring: Bring, value: object) -> None:
    bring(value)
    before = digest(world.database)

    report = bring(value)

    assert report.added.total() == 0
    assert digest(world.database) == before


@pytest.mark.parametrize("value", [CHATGPT, CLAUDE, MEM0, LETTA, PASSAGES])
def test_a_dry_run_stores_nothing(world: World, bring: Bring, value: object) -> None:
    before = digest(world.database)

    report = bring(value, dry_run=True)

    assert report.added.total() > 0
    assert digest(world.database) == before


def test_a_conversation_that_went_on_is_continued(world: World, bring: Bring) -> None:
    bring(CLAUDE)
    more = json.loads(json.dumps(CLAUDE))
    more[0]["chat_messages"].append(
        {
            "uuid": "m3",
            "sender": "human",
            "text": "My cat is called Tom.",
            "created_at": "2024-06-01T00:00:00Z",
        }
    )

    report = bring(more)

    assert (report.added["message"], report.unchanged["message"]) == (1, 2)
    assert [text for _, text in told(world)[0]][-1] == "My cat is called Tom."


def test_mem0_comes_as_what_its_model_said_of_one_user(world: World, bring: Bring) -> None:
    report = bring(MEM0)

    (fact,) = Facts(world.stores[0]).known()
    assert (fact.text, fact.trust) == ("Prefers window seats", Trust.ASSISTANT)
    assert fact.valid_from == MAY
    assert fact.source == "imported from mem0"
    assert [one.reason for one in report.refusals] == [
        "it is of mem0's user 'somebody', not of 'alex'",
        "it has no date",
        "it holds a secret (Anthropic key)",
    ]
    consolidate(world.stores[0])
    assert Profile(world.stores[0]).render() == ""


def test_one_of_several_users_of_mem0_is_chosen(world: World, bring: Bring) -> None:
    bring(MEM0, of="somebody")

    assert [fact.text for fact in Facts(world.stores[0]).known()] == ["Is a nurse"]


def test_a_letta_agent_file_comes_as_talk_and_statements(world: World, bring: Bring) -> None:
    report = bring(LETTA, name="sam.af")

    assert report.format == "letta"
    assert told(world) == [[("user", "I live in Porto."), ("assistant", "Porto is lovely.")]]
    texts = {fact.text for fact in Facts(world.stores[0]).known()}
    assert {"First name: Chad", "Likes sailing"} <= texts
    assert not any("Sam" in text or "Rome" in text for text in texts)
    assert report.skipped["blocks about the agent (persona)"] == 1


def test_letta_passages_come_as_statements(world: World, bring: Bring) -> None:
    report = bring(PASSAGES)

    assert [fact.text for fact in Facts(world.stores[0]).known()] == ["The user sails."]
    assert "3,000 characters" in report.refusals[0].reason


def test_an_archive_is_opened(world: World, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr("data/conversations.json", json.dumps(CLAUDE))

    report = import_file(world.store(), tmp_path / "export.zip")

    assert report.added["message"] == 2


def test_secrets_in_a_conversation_are_not_stored(world: World, bring: Bring) -> None:
    key = "sk-ant-api03-" + "a1B2c3D4" * 10
    value = json.loads(json.dumps(CLAUDE))
    value[0]["chat_messages"][0]["content"][0]["text"] = f"My key is {key}"

    bring(value)

    assert key not in "".join(export(world.stores[0]))


def test_bob_imports_the_same_file_as_his_own(world: World, bring: Bring, tmp_path: Path) -> None:
    bring(CHATGPT)
    alice = world.stores[0]
    before = "".join(export(alice))
    bob = world.store("bob", embedder=HashEmbedder(64))

    report = import_file(bob, tmp_path / "conversations.json")

    assert report.unchanged.total() == 0
    assert "".join(export(alice)) == before
    assert any("Lisbon" in fact.text for fact in Facts(bob).known(forms=(Form.FACT,)))


HOSTILE: tuple[object, ...] = (
    [{"mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}, "current_node": "a", "id": "x"}],
    [{"mapping": {"a": None}, "current_node": "a", "id": "x"}],
    [{"mapping": {"a": {"message": {"content": {"content_type": "text", "parts": 5}}}}, "id": {}}],
    [{"chat_messages": [None, 5, {"sender": [], "content": {"a": 1}}], "uuid": "x"}],
    [{"chat_messages": [{"sender": "human", "text": "hi"}], "uuid": "x"}],
    [{"chat_messages": [{"sender": "human", "text": "hi", "created_at": 1e300}], "uuid": "x"}],
    {"results": [{"id": "1", "memory": "   ", "created_at": "2024-05-11"}]},
    {"agents": [None, {"messages": [{"role": "user"}]}], "blocks": "none"},
)


@pytest.mark.parametrize("value", HOSTILE)
def test_what_has_no_shape_is_told_and_nothing_is_stored(
    world: World, bring: Bring, value: object
) -> None:
    before = digest(world.database)

    report = bring(value, source=Source.CHATGPT if "mapping" in str(value) else None)

    assert report.refused + report.skipped.total() >= 1
    assert digest(world.database) == before


@pytest.mark.parametrize("text", ["", "[", "{}", "[1,2]", "hello", '[{"a":1}]', "[" * 9_999])
def test_a_file_that_is_no_export_is_refused(world: World, tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)

    with pytest.raises(InputError, match="no export that is known"):
        import_file(world.store(), path)


def test_a_named_format_goes_before_what_the_file_looks_like(world: World, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("".join(export(world.store())))

    assert import_file(world.store(), path, source=Source.STRATAL).refused == 0
    with pytest.raises(InputError):
        import_file(world.store(), tmp_path / "missing.json")


def test_a_long_array_is_read_element_by_element() -> None:
    """Quotes, backslashes and brackets in strings end no element; blocks end anywhere."""
    values = [{"text": 'a "quoted\\" ] } , text', "n": [1, {"m": "]"}]}, [], "x,y", 5, None, "\\"]

    class Slow(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(3)

    found = list(elements(Slow(json.dumps(values).encode()), called="item"))

    assert [value for _, value in found] == values
    assert found[-1][0] == "item 6"


def test_times_are_read_as_these_systems_write_them() -> None:
    assert moment(MAY.timestamp()) == moment("2024-05-10T12:00:00Z") == MAY
    assert moment("2024-05-10T12:00:00") == MAY
    odds: tuple[object, ...] = (None, True, "", "soon", 1e300, float("nan"), [], {})
    for odd in odds:
        assert moment(odd) is None


def test_a_statement_that_can_not_be_embedded_keeps_no_other_waiting(
    world: World, tmp_path: Path
) -> None:
    class Fails(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            if any("lantern" in text for text in texts):
                raise RuntimeError("out of memory")
            return super().embed(texts)

    said = ["my piano is old", "my lantern is old", "my kayak is old"]
    file = tmp_path / "mem0.json"
    at = "2026-03-01T10:00:00Z"
    rows = [
        {"id": f"m{i}", "memory": one, "user_id": "alice", "created_at": at}
        for i, one in enumerate(said)
    ]
    file.write_text(json.dumps(rows))
    store = world.store(embedder=Fails(64))

    done = import_file(store, file)

    assert (done.added["statement"], done.refused) == (2, 1)
    assert "out of memory" in done.refusals[0].reason
    assert {one.text for one in Facts(store).known()} == {said[0], said[2]}


def test_one_object_that_is_too_large_says_what_to_do(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WHOLE", 64)
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps({"results": ["x" * 200]}))

    with pytest.raises(InputError, match="one JSON object of more than") as refused:
        import_file(world.store(), path)

    assert "list inside it" in refused.value.hint
