"""Whole turns over HTTP, against servers that refuse what the real ones refuse."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.settings import load_settings
from tests.fakes import wire_anthropic, wire_openai
from tests.fakes.wire_anthropic import Body, Use
from tests.fakes.wire_server import Reply, Seen, WireServer

LONG = "The bakery in Ghent opens at seven and the rye has to rest for a night. " * 12


@pytest.fixture(autouse=True)
def _no_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAL_EMBEDDING__MODEL", "none")
    monkeypatch.setenv("STRATAL_SUMMARY__MODEL", "none")
    monkeypatch.setenv("ANTHROPIC_API_KEY", wire_anthropic.KEY)
    monkeypatch.setenv("OPENAI_API_KEY", wire_openai.KEY)


def talk(tmp_path: Path, url: str, model: str, *, window: int | None = None) -> Agent:
    name = "ANTHROPIC_BASE_URL" if model.startswith("anthropic") else "OPENAI_BASE_URL"
    environment = {
        name: url,
        "ANTHROPIC_API_KEY": wire_anthropic.KEY,
        "OPENAI_API_KEY": wire_openai.KEY,
        "STRATAL_EMBEDDING__MODEL": "none",
        "STRATAL_SUMMARY__MODEL": "none",
        "STRATAL_LEARNING__MODEL": "none",
    }
    if window is not None:
        environment["STRATAL_CONTEXT__WINDOW"] = str(window)
    settings = load_settings({"data": tmp_path / "data", "model": model}, environment=environment)
    return Agent.open("alice", settings=settings)


def texts(seen: Seen[Body]) -> list[str]:
    return [block.text for message in seen.body.messages for block in message.blocks]


def marked(seen: Seen[Body]) -> list[str]:
    blocks = [*seen.body.system, *(b for m in seen.body.messages for b in m.blocks)]
    return [block.text for block in blocks if block.cache_control]


@pytest.fixture
def served() -> Iterator[list[WireServer[Body]]]:
    opened: list[WireServer[Body]] = []
    yield opened
    for server in opened:
        server.__exit__(None, None, None)


def serving(opened: list[WireServer[Body]], script: Sequence[Reply]) -> WireServer[Body]:
    server = wire_anthropic.anthropic_server(*script)
    opened.append(server)
    return server.__enter__()


def test_a_signed_thought_goes_back_with_the_result_of_its_call(
    tmp_path: Path, served: list[WireServer[Body]]
) -> None:
    call = Use(id="toolu_1", name="memory_search", pieces=('{"query": ', '"rye"}'))
    server = serving(
        served,
        [
            wire_anthropic.answer(call, stop="tool_use", thinking="They mean the bread."),
            wire_anthropic.answer("Rye rests for a night."),
        ],
    )

    with talk(tmp_path, server.url, "anthropic:claude-opus-5-5") as agent:
        reply = agent.send("How long does rye rest?")

    again = [block for m in server.seen[1].body.messages for block in m.blocks]
    assert reply.text == "Rye rests for a night."
    assert [b.thinking for b in again if b.type == "thinking"] == ["They mean the bread."]
    assert [b.type for b in again if b.type in ("thinking", "tool_use", "tool_result")] == [
        "thinking", "tool_use", "tool_result",
    ]  # fmt: skip


def test_marks_end_the_prompt_and_the_history_of_each_request(
    tmp_path: Path, served: list[WireServer[Body]]
) -> None:  # covers C11, C12, C17
    server = serving(served, [wire_anthropic.answer(f"answer {n}") for n in range(3)])

    with talk(tmp_path, server.url, "anthropic:claude-opus-5-5") as agent:
        for number in range(3):
            agent.send(f"question {number}. {LONG}")

    first, second, third = server.seen
    assert first.body.system[0].text.startswith("# Core")
    assert marked(first)[0] == first.body.system[-1].text
    assert marked(second)[-1] == "answer 0"
    assert marked(third)[-1] == "answer 1"
    history = texts(second)[: texts(second).index("answer 0") + 1]
    assert texts(third)[: len(history)] == history


def test_what_the_cache_took_part_in_is_counted_and_priced(
    tmp_path: Path, served: list[WireServer[Body]]
) -> None:
    usage = {
        "input_tokens": 100,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 200,
    }
    server = serving(served, [wire_anthropic.answer("Yes.", usage=usage, output=50)])

    with talk(tmp_path, server.url, "anthropic:claude-haiku-4-5") as agent:
        reply = agent.send("Is it so?")

    assert (reply.usage.input, reply.usage.uncached, reply.usage.output) == (1_200, 100, 50)
    assert reply.cost is not None
    # Dollars a million tokens: 1 plain, 0.10 read, 1.25 written, 5 out.
    assert str(reply.cost.total) == "0.00069"


def test_an_overflow_is_answered_with_less_and_not_met_again(
    tmp_path: Path, served: list[WireServer[Body]]
) -> None:  # covers P20, P22, P23
    overflow = wire_anthropic.error(
        400, "invalid_request_error", "prompt is too long: 14000 tokens > 12000 maximum"
    )
    server = serving(
        served,
        [
            *(
                wire_anthropic.answer(f"answer {n}", usage={"input_tokens": 2_000})
                for n in range(6)
            ),
            overflow,
            wire_anthropic.answer("It fits now.", usage={"input_tokens": 3_000}),
            wire_anthropic.answer("And again.", usage={"input_tokens": 3_100}),
        ],
    )

    with talk(tmp_path, server.url, "anthropic:claude-opus-5-5") as agent:
        for number in range(6):
            agent.send(f"question {number}. {LONG * 4}")
        reply = agent.send("And now?")
        after = agent.send("Still there?")
        stored = [m.text for m in agent.messages(agent.session())]

    refused, answered = server.seen[6], server.seen[7]
    assert len(answered.raw) < len(refused.raw)
    assert (reply.text, after.text) == ("It fits now.", "And again.")
    assert len(server.seen) == 9
    assert stored[0].startswith("question 0")
    assert len(stored) == 16


def test_the_key_of_the_prompt_cache_is_the_conversation(tmp_path: Path) -> None:  # covers C14
    script = [wire_openai.answer(("One.",)), wire_openai.answer(("Two.",))]

    with (
        wire_openai.openai_server(*script) as server,
        talk(tmp_path, f"{server.url}/v1", "openai:gpt-6-sol") as agent,
    ):
        agent.send("First")
        agent.send("Second")
        session = agent.session().id

    keys = [json.loads(seen.raw)["prompt_cache_key"] for seen in server.seen]
    assert keys == [session, session]
