"""What a conversation is opened with: who summarises, what is corrected, what an answer costs."""

from decimal import Decimal
from pathlib import Path

import pytest

from stratal.desk import SUMMARISER, info_of, summary_model
from stratal.providers.models import parse_model
from stratal.providers.prices import cost
from stratal.providers.provider import Completion, StopReason, Usage
from stratal_memory.records import ToolCall
from tests.platform.conftest import OpenAgent, OpenTalker
from tests.platform.talking import MODEL, Talker, configured

LONG = "We lived in Ghent for a year and in Porto for two. " * 15


def written_by(open_talker: OpenTalker, chosen: str, *, model: str = MODEL) -> list[str]:
    """The models that were asked for the summary of a short conversation."""
    talker = Talker(summary=lambda request: "- user: We lived in Ghent and in Porto.")
    agent = open_talker(talker, {"STRATAL_SUMMARY__MODEL": chosen}, model=model)
    for _ in range(4):
        agent.send(LONG)
    agent.compact()
    assert all(request.system[0].text == SUMMARISER for request in talker.summarised)
    return sorted({request.model for request in talker.summarised})


@pytest.mark.parametrize(
    ("model", "writer"),
    [
        ("anthropic:claude-sonnet-5-5", "claude-haiku-5-5"),
        ("anthropic:claude-haiku-5-5", "claude-haiku-5-5"),
        ("ollama:llama3:70b", "llama3:70b"),  # it has no tiers: its own model writes
        ("azure:our-deployment", "our-deployment"),
    ],
)
def test_the_low_tier_of_the_same_maker_writes_summaries(
    open_talker: OpenTalker, model: str, writer: str
) -> None:
    # covers C7
    assert written_by(open_talker, "low", model=model) == [writer]


def test_the_primary_model_writes_them_where_the_setting_is_same(open_talker: OpenTalker) -> None:
    # covers Z23
    assert written_by(open_talker, "same") == ["claude-sonnet-5-5"]


def test_nobody_writes_them_where_the_setting_is_none(open_talker: OpenTalker) -> None:
    assert written_by(open_talker, "none") == []


def test_offline_never_writes_summaries(open_talker: OpenTalker) -> None:
    assert written_by(open_talker, "low", model="offline:") == []


@pytest.mark.parametrize(
    ("preset", "writer"),
    [
        ("default", "anthropic:claude-haiku-5-5"),
        ("octo", "anthropic:claude-haiku-5-5"),
        ("octopus", MODEL),
        ("picoclaw", MODEL),
        ("zeus", MODEL),
    ],
)
def test_each_preset_asks_the_model_its_document_names(
    tmp_path: Path, preset: str, writer: str
) -> None:
    # covers C7, Z23, Os3
    settings = configured(tmp_path, preset=preset)

    assert str(summary_model(settings, parse_model(MODEL))) == writer


def test_a_model_of_another_maker_may_write_them(tmp_path: Path) -> None:
    settings = configured(tmp_path, {"STRATAL_SUMMARY__MODEL": "openai:gpt-6-sol"})

    assert str(summary_model(settings, parse_model(MODEL))) == "openai:gpt-6-sol"


def test_the_summariser_has_a_window_of_its_own(open_talker: OpenTalker) -> None:
    agent = open_talker(Talker(), {"STRATAL_SUMMARY__MODEL": "openai:gpt-4o"})

    desk = agent.conversation(agent.session())

    assert desk.summary.window == 128_000
    assert desk.budget.window == 1_000_000


def test_azures_deployments_are_known_by_what_they_run(tmp_path: Path) -> None:
    deployments = {"STRATAL_PROVIDERS__AZURE_DEPLOYMENTS": "ours=gpt-4o"}
    settings = configured(tmp_path, deployments, model="azure:ours")

    assert info_of(settings, parse_model("azure:ours")).window == 128_000
    assert info_of(settings, parse_model("openai:ours")).window == 64_000


# --- what an answer costs -------------------------------------------------------------------


def test_a_turn_of_a_known_model_costs_what_its_calls_cost(open_talker: OpenTalker) -> None:
    first = Usage(input=10_000, output=500, cache_read=4_000, cache_write=1_000)
    second = Usage(input=11_000, output=100, cache_read=10_000)
    call = ToolCall(id="c1", name="memory_search", arguments='{"query": "tea"}')
    script = iter(
        [
            Completion(text="", tool_calls=(call,), stop=StopReason.TOOLS, usage=first),
            Completion(text="Green.", usage=second),
        ]
    )
    agent = open_talker(Talker(lambda request: next(script)))

    reply = agent.send("Which tea do I like?")

    prices = agent.info.prices
    one, other = cost(first, prices), cost(second, prices)
    assert one
    assert other
    assert reply.cost == one + other
    # 2 dollars a million in, 10 out, 0.10 read from the cache, 2.50 written to it
    assert one.total == Decimal("0.0179")
    assert one.uncached == Decimal("0.01")


@pytest.mark.parametrize("model", ["offline:", "ollama:llama3:70b", "openai-chat:own"])
def test_what_has_no_price_costs_nothing_that_can_be_named(
    open_talker: OpenTalker, model: str
) -> None:
    billed = Usage(input=10_000, output=500)
    agent = open_talker(Talker(lambda request: Completion(text="Yes.", usage=billed)), model=model)

    assert agent.send("Hello").cost is None


def test_an_answer_without_usage_has_no_cost(open_talker: OpenTalker) -> None:
    assert open_talker(Talker()).send("Hello").cost is None


def test_offline_costs_nothing(open_agent: OpenAgent) -> None:
    assert open_agent().send("Hello").cost is None


# --- what stays between turns ---------------------------------------------------------------


def test_what_is_learned_of_the_model_is_shared_by_all_conversations(
    open_talker: OpenTalker,
) -> None:
    agent = open_talker(Talker())

    one = agent.conversation(agent.session())
    agent.start_session()
    other = agent.conversation(agent.session())

    assert one.session != other.session
    assert one.calibrator is other.calibrator
    assert one.background is other.background


def test_closing_twice_is_closing_once(open_talker: OpenTalker) -> None:
    talker = Talker()
    agent = open_talker(talker)
    agent.send("Hello")

    agent.close()
    agent.close()

    assert talker.closed


def test_an_edit_of_the_agents_own_layers_waits_for_the_next_opening(
    open_talker: OpenTalker,
) -> None:
    talker = Talker()
    agent = open_talker(talker)
    agent.send("Hello")
    folder = agent.settings.data / "agents" / "main" / "prompt"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SOUL.md").write_text("You speak like a pirate.")

    agent.send("And now?")

    first, second = talker.requests
    assert first.system == second.system
    again = Talker()
    open_talker(again).send("And now?")
    assert any("pirate" in block.text for block in again.requests[0].system)
