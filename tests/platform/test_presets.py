"""Every number of the four documents, as it arrives where turns read it."""

from pathlib import Path

import pytest

from stratal.context.compression.keep import Keep
from stratal.context.compression.strategies import Overflow
from stratal.context.compression.triggers import Measure, Triggers
from stratal.context.sections import Layout
from stratal.context_parts import HistoryPart, SummaryPart, ToolResultsPart, history_rules
from stratal.conversation import Conversation
from stratal.errors import ConfigError
from stratal.presets import PRESETS, WINDOWS, known_window
from stratal.settings import load_settings
from tests.platform.conftest import OpenTalker
from tests.platform.talking import Talker, configured

UNKNOWN = "openai-chat:somebodys-own-model"


def desk_of(
    open_talker: OpenTalker,
    preset: str,
    *,
    model: str = UNKNOWN,
    environment: dict[str, str] | None = None,
) -> Conversation:
    agent = open_talker(Talker(), environment, preset=preset, model=model)
    return agent.conversation(agent.session())


# --- octopus ---------------------------------------------------------------------------------


def test_octopus_shares_its_working_budget_as_its_page_says(open_talker: OpenTalker) -> None:
    # covers O10, O17, O18, O19, Os5
    desk = desk_of(open_talker, "octopus", model="anthropic:claude-haiku-5-5")

    budget = desk.budget
    assert (budget.effective, budget.output_reserve) == (100_000, 4_096)
    assert (budget.min_history, budget.knowledge, budget.episodes) == (4_000, 3_000, 1_000)
    assert (desk.counter.name, desk.counter.count("")) == ("octopus", 1)
    assert desk.layout is Layout.OCTOPUS
    assert (desk.rules.overflow, desk.rules.min_turns) == (Overflow.FIFO, 3)


def test_octopus_has_summarising_ready_but_prunes_first_in_first_out(
    open_talker: OpenTalker,
) -> None:
    # covers Os1, Os3, O21
    summary = desk_of(open_talker, "octopus").summary

    assert not summary.enabled
    assert summary.keep == Keep(messages=2, turns=3, fraction=0.7)
    assert (summary.triggers, summary.at_once) == (Triggers(tokens=100_000), True)


def test_octopus_recalls_by_plain_cosine_over_its_thresholds(open_talker: OpenTalker) -> None:
    # covers Os1, Os18
    desk = desk_of(open_talker, "octopus")

    assert (desk.recall.plain_cosine, desk.recall.minimum_similarity) == (True, 0.75)
    assert (desk.recall.knowledge_items, desk.recall.episode_items) == (5, 3)
    assert desk.skill_threshold == 0.80


@pytest.mark.parametrize(("preset", "learns"), [("octopus", False), ("zeus", True)])
def test_octopus_drafts_no_procedures_by_itself(
    open_talker: OpenTalker, preset: str, learns: bool
) -> None:
    # covers Os1, Os19
    assert desk_of(open_talker, preset).skills.learn is learns


@pytest.mark.parametrize(
    ("model", "window", "working"),
    [
        ("anthropic:claude-sonnet-4-6", 200_000, 150_000),
        ("anthropic:claude-opus-4", 200_000, 150_000),
        ("openai:gpt-4o", 128_000, 100_000),
        ("azure:gpt-4o", 128_000, 100_000),
        ("ollama:llama3:70b", 8_192, 6_000),
    ],
)
def test_octopus_knows_its_models_with_window_and_working_budget(
    open_talker: OpenTalker, model: str, window: int, working: int
) -> None:
    # covers O10
    budget = desk_of(open_talker, "octopus", model=model).budget

    assert (budget.window, budget.effective) == (window, working)


# --- picoclaw --------------------------------------------------------------------------------


def test_picoclaw_takes_four_times_the_output_for_its_window(open_talker: OpenTalker) -> None:
    # covers P2, P4, P5, P6, Ps5
    budget = desk_of(open_talker, "picoclaw", model="anthropic:claude-sonnet-5-5").budget

    assert (budget.output_reserve, budget.window) == (8_192, 32_768)
    assert budget.input_limit == 24_576


def test_a_configured_window_and_output_go_before_picoclaws_rule(open_talker: OpenTalker) -> None:
    # covers P4, P6
    model = "anthropic:claude-sonnet-5-5"
    window = {"STRATAL_CONTEXT__WINDOW": "131072"}
    output = {"STRATAL_CONTEXT__OUTPUT_RESERVE": "16384"}

    wide = desk_of(open_talker, "picoclaw", model=model, environment=window).budget
    long = desk_of(open_talker, "picoclaw", model=model, environment=output).budget

    assert (wide.window, wide.output_reserve) == (131_072, 8_192)
    assert (long.window, long.output_reserve) == (65_536, 16_384)


def test_picoclaw_counts_summarises_and_drops_as_its_page_says(open_talker: OpenTalker) -> None:
    # covers P17, P24, P25, P27, Ps3, Ps5, Ps6
    desk = desk_of(open_talker, "picoclaw")

    assert desk.counter.name == "picoclaw"
    assert desk.counter.count("x" * 5) == 2
    assert desk.summary.triggers == Triggers(fraction=0.75, messages=20)
    assert desk.summary.keep.messages == 4
    assert (desk.summary.at_once, desk.summary.enabled) == (True, True)
    assert (desk.rules.overflow, desk.rules.keep_last_user) == (Overflow.DROP_HALF, True)
    assert (desk.rules.results.limit, desk.rules.results.age_after) == (None, None)
    assert desk.layout is Layout.PICOCLAW


# --- octo ------------------------------------------------------------------------------------


def test_octo_caps_and_ages_tool_results_as_its_page_says(open_talker: OpenTalker) -> None:
    # covers C1, C2, C3, C4, C22, C23, Cs1
    results = desk_of(open_talker, "octo").rules.results

    assert results.limit == 20_000
    assert (results.age_after, results.age_over) == (10, 4_000)
    assert (results.message_limit, results.spill) == (30_000, ".octo/workspace")
    assert results.exempt == ("snapshot", "screenshot", "dom", "base64", "refs")
    assert desk_of(open_talker, "octo").rules.age_every_turn


def test_octo_summarises_and_trims_as_its_page_says(open_talker: OpenTalker) -> None:
    # covers C6, C7, C8, C10, C22, Cs3
    desk = desk_of(open_talker, "octo")

    assert desk.summary.triggers == Triggers(fraction=0.7, tokens=100_000, messages=100)
    assert (desk.summary.keep.messages, desk.summary.keep.tokens) == (20, 20_000)
    assert desk.budget.compress_at == 0.7
    assert (desk.rules.overflow, desk.rules.share) == (Overflow.KEEP_FRACTION, 0.4)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("anthropic:claude-sonnet-5-5", 200_000),
        ("anthropic:claude-haiku-5-5", 200_000),
        ("openai:gpt-4o", 128_000),
        ("azure:gpt-4o", 128_000),
        ("openai:o1", 200_000),
        ("openai:o3-mini", 200_000),
        ("openai:o4-mini", 200_000),
        ("openai-chat:gemini-2.5-pro", 1_000_000),
        ("ollama:qwen3", 32_000),
        (UNKNOWN, 32_000),
    ],
)
def test_octo_knows_windows_by_the_names_of_models(
    open_talker: OpenTalker, model: str, window: int
) -> None:
    # covers C18
    assert desk_of(open_talker, "octo", model=model).budget.window == window


@pytest.mark.parametrize("preset", ["octo", "default"])
def test_octos_own_names_in_the_environment_reach_the_turn(
    open_talker: OpenTalker, preset: str
) -> None:
    # covers C1, C22, C23
    environment = {
        "TOOL_RESULT_LIMIT": "15000",
        "SUMMARIZATION_TRIGGER_FRACTION": "0.6",
        "SUMMARIZATION_TRIGGER_TOKENS": "90000",
        "SUMMARIZATION_KEEP_TOKENS": "10000",
        "SUPERVISOR_MSG_CHAR_LIMIT": "25000",
    }

    desk = desk_of(open_talker, preset, environment=environment)

    assert desk.rules.results.limit == 15_000
    assert desk.rules.results.message_limit == 25_000
    assert (desk.summary.triggers.fraction, desk.summary.triggers.tokens) == (0.6, 90_000)
    assert desk.summary.keep.tokens == 10_000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SUMMARIZATION_TRIGGER_FRACTION", "1.1"),
        ("SUMMARIZATION_TRIGGER_FRACTION", "-0.1"),
        ("SUMMARIZATION_KEEP_TOKENS", "many"),
        ("TOOL_RESULT_LIMIT", "-1"),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_name(tmp_path: Path, name: str, value: str) -> None:
    # covers C22
    with pytest.raises(ConfigError, match="in the environment is wrong"):
        configured(tmp_path, {name: value}, preset="octo")


def test_the_values_of_octos_code_are_one_table_away(open_talker: OpenTalker) -> None:
    # covers Cs3, C23
    code = {
        "STRATAL_SUMMARY__TRIGGER_FRACTION": "none",
        "STRATAL_SUMMARY__TRIGGER_MESSAGES": "none",
        "STRATAL_SUMMARY__TRIGGER_TOKENS": "40000",
        "STRATAL_SUMMARY__KEEP_MESSAGES": "none",
        "STRATAL_SUMMARY__KEEP_TOKENS": "8000",
    }

    summary = desk_of(open_talker, "octo", environment=code).summary

    assert summary.triggers == Triggers(tokens=40_000)
    assert (summary.keep.messages, summary.keep.tokens) == (None, 8_000)


# --- zeus ------------------------------------------------------------------------------------


def test_zeus_recalls_truncates_and_summarises_as_its_page_says(open_talker: OpenTalker) -> None:
    # covers Z5, Z9, Z10, Z11, Z15, Z20, Z21, Z22
    desk = desk_of(open_talker, "zeus")

    assert desk.layout is Layout.ZEUS
    assert (desk.budget.memory_items, desk.budget.memory_chars) == (5, 2_000)
    assert (desk.recall.memory_items, desk.recall.plain_cosine) == (5, True)
    assert (desk.rules.max_messages, desk.rules.overflow) == (30, Overflow.FIFO)
    assert desk.summary.triggers == Triggers(fraction=0.85)
    assert desk.summary.keep.messages == 5


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("openai:gpt-4-turbo", 128_000),
        ("openai:gpt-4o", 128_000),
        ("anthropic:claude-3-5-sonnet", 200_000),
        (UNKNOWN, 64_000),
    ],
)
def test_zeus_knows_its_models_and_takes_64_000_for_others(
    open_talker: OpenTalker, model: str, window: int
) -> None:
    # covers Z18, Z19
    assert desk_of(open_talker, "zeus", model=model).budget.window == window


@pytest.mark.parametrize(
    ("model", "mark"),
    [
        ("openai:gpt-4o", 108_800),
        ("anthropic:claude-3-5-sonnet", 170_000),
        (UNKNOWN, 54_400),
    ],
)
def test_zeus_summarises_at_eighty_five_percent_of_each_window(
    open_talker: OpenTalker, model: str, mark: int
) -> None:
    # covers Zs7, Z20
    agent = open_talker(Talker(), preset="zeus", model=model)
    desk = agent.conversation(agent.session())

    ledger = agent.preview("Hello")

    assert ledger.summarize_at == mark - desk.budget.output_reserve


# --- all of them -----------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_the_triggers_of_every_preset_look_at_the_whole_request(
    open_talker: OpenTalker, preset: str
) -> None:
    # covers P39
    assert desk_of(open_talker, preset).summary.measure is Measure.FULL


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_answers(open_talker: OpenTalker, preset: str) -> None:
    agent = open_talker(Talker(), preset=preset)

    assert agent.send("Hello").text == "Fine."


@pytest.mark.parametrize("preset", PRESETS)
def test_a_configured_window_goes_before_what_the_document_knows(
    open_talker: OpenTalker, preset: str
) -> None:
    # covers C23
    window = {"STRATAL_CONTEXT__WINDOW": "50000"}

    desk = desk_of(open_talker, preset, model="openai:gpt-4o", environment=window)

    assert desk.budget.window == 50_000


@pytest.mark.parametrize("preset", PRESETS)
def test_a_configured_working_budget_goes_before_what_the_document_recommends(
    open_talker: OpenTalker, preset: str
) -> None:
    # covers O10, C23
    own = {"STRATAL_CONTEXT__WORKING_BUDGET": "30000", "STRATAL_CONTEXT__WINDOW": "60000"}

    desk = desk_of(open_talker, preset, model="openai:gpt-4o", environment=own)

    assert (desk.budget.window, desk.budget.effective) == (60_000, 30_000)


@pytest.mark.parametrize(
    ("preset", "runs", "window", "effective"),
    [
        ("octopus", "gpt-4o", 128_000, 100_000),
        ("octopus", "claude-opus-4", 200_000, 150_000),
        ("octo", "gpt-4o", 128_000, 128_000),
        ("octo", "o3-mini", 200_000, 200_000),
        ("zeus", "gpt-4-turbo", 128_000, 128_000),
    ],
)
def test_what_an_azure_deployment_runs_is_looked_up_by_the_models_own_name(
    open_talker: OpenTalker, preset: str, runs: str, window: int, effective: int
) -> None:
    # covers O10, C18, Z18
    deployed = {"STRATAL_PROVIDERS__AZURE_DEPLOYMENTS": f"Prod-EU={runs},small=gpt-4.1"}

    budget = desk_of(open_talker, preset, model="azure:Prod-EU", environment=deployed).budget

    assert (budget.window, budget.effective) == (window, effective)


def test_a_deployments_name_means_nothing_to_other_providers(open_talker: OpenTalker) -> None:
    deployed = {"STRATAL_PROVIDERS__AZURE_DEPLOYMENTS": "somebodys-own-model=gpt-4o"}

    assert desk_of(open_talker, "octo", environment=deployed).budget.window == 32_000


@pytest.mark.parametrize(
    "model", ["openai:gpt-6-sol", "azure:gpt-4.1", "openai-chat:mistral-large-2512"]
)
def test_octos_window_for_unknown_models_is_not_that_of_models_we_know(
    open_talker: OpenTalker, model: str
) -> None:
    # covers C18
    desk = desk_of(open_talker, "octo", model=model)

    assert desk.info.known
    assert desk.budget.window == desk.info.window > 32_000


def test_the_default_waits_for_the_cut_and_asks_the_low_tier(open_talker: OpenTalker) -> None:
    # covers C6, C7
    summary = desk_of(open_talker, "default").summary

    assert summary.triggers == Triggers(fraction=0.7)
    assert summary.keep == Keep(turns=1)
    assert not summary.at_once


def test_the_tables_of_windows_are_those_of_presets() -> None:
    assert set(WINDOWS) <= set(PRESETS)
    assert known_window("default", "gpt-4o") is None


def test_none_switches_a_value_off_in_a_file_too(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'preset = "octo"\n'
        '[tool_results]\nage_after = "none"\nlimit = "none"\n'
        '[summary]\ntrigger_tokens = "none"\nkeep_tokens = "none"\nmodel = "none"\n'
    )

    settings = load_settings(file=file, environment={})

    assert (settings.tool_results.age_after, settings.tool_results.limit) == (None, None)
    assert (settings.summary.trigger_tokens, settings.summary.keep_tokens) == (None, None)
    assert settings.summary.trigger_messages == 100
    assert settings.summary.model == "none"  # the word itself: no model writes


def test_none_is_no_value_where_one_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tool_results\.age_over"):
        configured(tmp_path, {"STRATAL_TOOL_RESULTS__AGE_OVER": "none"})


@pytest.mark.parametrize("folder", ["/etc", "../other", "a/../../b", "..", "a\\..\\b", "a\0b"])
def test_results_are_never_spilled_outside_the_users_folder(tmp_path: Path, folder: str) -> None:
    with pytest.raises(ConfigError, match=r"tool_results\.spill"):
        configured(tmp_path, {"STRATAL_TOOL_RESULTS__SPILL": folder})


def test_a_result_takes_at_most_its_share_of_a_small_window() -> None:
    # covers Cs1
    rules = history_rules(HistoryPart(), ToolResultsPart(), window=10_000)

    assert rules.results.limit == 6_000  # 15 % at four characters a token
    assert rules.results.age_over == 1_200
    assert SummaryPart().triggers() == Triggers(fraction=0.7)
