import json
import subprocess
import sys
from pathlib import Path

import pytest

from stratal.cli.models_view import short
from stratal.providers.models import rows
from tests.fakes.models_server import ModelsServer
from tests.platform.cli.running import Run


def test_the_list_is_the_whole_table(stratal: Run) -> None:
    models = stratal("models", "--json").json["models"]

    assert len(models) == len(rows())
    assert [(one["provider"], one["match"]) for one in models] == [
        (row.provider, row.match) for row in rows()
    ]


def test_a_listed_model_has_all_that_is_known(stratal: Run) -> None:
    [sol] = [
        one
        for one in stratal("models", "--provider", "openai", "--json").json["models"]
        if one["match"] == "gpt-6-sol"
    ]

    assert (sol["window"], sol["max_input"], sol["tier"]) == (1_050_000, 922_000, "default")
    assert sol["prices"]["input"] == 2.0
    assert sol["prices"]["long"]["input"] == 4.0
    assert "tools" in sol["flags"]
    assert sol["known"]


@pytest.mark.parametrize("words", [("models",), ("models", "list")])
def test_the_list_keeps_to_a_provider_and_a_tier(stratal: Run, words: tuple[str, ...]) -> None:
    ran = stratal(*words, "--provider", "anthropic", "--tier", "low", "--json")

    named = {model["match"] for model in ran.json["models"]}
    assert named == {"claude-haiku-4-5", "claude-haiku-5-5"}


def test_an_unknown_provider_or_tier_is_refused_with_the_known_ones(stratal: Run) -> None:
    provider = stratal("models", "--provider", "nobody")
    tier = stratal("models", "--tier", "nope")

    assert (provider.code, tier.code) == (1, 2)
    assert "anthropic, azure, bedrock" in provider.err
    assert "'high', 'default', 'low'" in tier.err


def test_a_combination_nobody_is_in_is_said_so(stratal: Run) -> None:
    ran = stratal("models", "--provider", "offline", "--tier", "low")

    assert (ran.code, ran.out.strip()) == (0, "no model is like that")


@pytest.mark.parametrize("columns", [40, 80, 110, 160])
def test_the_table_keeps_within_the_terminal(
    stratal: Run, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))

    out = stratal("models").out

    assert max(len(line) for line in out.splitlines()) <= columns
    assert ("counts as" in out) == (columns >= 110)
    if columns >= 80:
        assert "anthropic:claude-sonnet-5-5" in out
        assert "2/10" in out


def test_one_model_says_which_row_matched_and_why(stratal: Run) -> None:
    ran = stratal("models", "anthropic:claude-opus-4-5-20251101", "--json").json

    assert (ran["model"], ran["way"]) == ("anthropic:claude-opus-4-5-20251101", "prefix")
    assert "anthropic:claude-opus-4-5" in ran["why"]
    assert ran["models"][0]["match"] == "claude-opus-4-5"
    assert ran["near"] == []


def test_one_model_is_shown_with_its_whole_record(stratal: Run) -> None:
    out = stratal("models", "openai:gpt-5").out

    for text in ("400,000 tokens", "272,000", "1,024 tokens", "$1.25", "2026-12-11", "agrees"):
        assert text in out


@pytest.mark.parametrize(
    ("name", "model", "match"),
    [
        ("gemini:gemini-3.8-flash", "gemini:gemini-3.8-flash", "gemini-3.8-flash"),
        ("gemini-3.8-flash", "gemini:gemini-3.8-flash", "gemini-3.8-flash"),
        (
            "bedrock:eu.anthropic.claude-opus-5-v1:0",
            "bedrock:eu.anthropic.claude-opus-5-v1:0",
            "anthropic.claude-opus-5",
        ),
        ("Groq: openai/gpt-oss-20b", "groq:openai/gpt-oss-20b", "openai/gpt-oss-20b"),
    ],
)
def test_every_provider_of_the_table_can_be_asked_for(
    stratal: Run, name: str, model: str, match: str
) -> None:
    shown = stratal("models", name, "--json").json

    assert (shown["model"], shown["models"][0]["match"]) == (model, match)


def test_a_near_miss_suggests(stratal: Run) -> None:
    with_provider = stratal("models", "openai:gpt-6-soll", "--json").json
    without = stratal("models", "gemin-3.8-flash")

    assert with_provider["near"][0] == "openai:gpt-6-sol"
    assert (with_provider["way"], with_provider["models"][0]["window"]) == ("assumed", 64_000)
    assert without.code == 1
    assert "Did you mean gemini:gemini-3.8-flash" in without.err


@pytest.mark.parametrize("name", ["", ":", "::", "anthropic:", "x" * 5_000, "\ud800", "a\x1b[31m"])
def test_a_name_that_is_none_is_an_error_and_no_crash(stratal: Run, name: str) -> None:
    ran = stratal("models", "show", name)

    assert ran.code == 1
    assert ran.err.startswith("error: ")
    assert "\x1b" not in ran.err


def test_an_azure_deployment_is_shown_as_the_model_it_runs(stratal: Run, tmp_path: Path) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text('[providers.azure_deployments]\nours = "gpt-6-sol"\n')

    shown = stratal("models", "azure:ours", "--json", "--config", str(settings)).json

    assert shown["models"][0]["max_input"] == 922_000
    assert "the deployment ours runs gpt-6-sol" in shown["why"]


def test_refresh_asks_the_provider_and_says_so(
    stratal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = json.dumps({"max_input_tokens": 3_000_000, "max_tokens": 200_000})
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-hidden")

    with ModelsServer({"/v1/models/claude-opus-5-5": (200, answer)}) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        ran = stratal("models", "anthropic:claude-opus-5-5", "--refresh", "--json")

    [model] = ran.json["models"]
    assert (model["window"], model["max_output"]) == (3_000_000, 200_000)
    assert (ran.json["way"], server.url in model["source"]) == ("endpoint", True)
    assert server.seen[0][2]["x-api-key"] == "sk-ant-hidden"
    assert "hidden" not in ran.out


def test_nothing_is_asked_without_refresh(stratal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelsServer({}) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        stratal("models", "anthropic:claude-opus-5-5")

    assert server.seen == []


def test_refresh_where_nobody_knows_is_an_error_with_the_way_out(stratal: Run) -> None:
    ran = stratal("models", "openai:gpt-6-sol", "--refresh")

    assert ran.code == 1
    assert "Set the window yourself" in ran.err


def test_help_reads_no_table() -> None:
    script = (
        "from stratal.cli import main; main(['--help']); main(['models', '--help']);"
        "from stratal.providers.model_table import rows;"
        "raise SystemExit(rows.cache_info().currsize)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)

    assert done.returncode == 0


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (0, "0"),
        (512, "512"),
        (8_192, "8k"),
        (999_999, "999k"),
        (1_000_000, "1M"),
        (1_047_576, "1.05M"),
        (10_000_000, "10M"),
    ],
)
def test_tokens_are_short_in_the_table(tokens: int, shown: str) -> None:
    assert short(tokens) == shown
