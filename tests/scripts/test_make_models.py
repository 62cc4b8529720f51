"""The table is made from two tiny wheels of the same form as the real ones."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.make_models import main
from stratal.providers.model_table import parsed

AS_OF = "2026-11-20"
CHAT = {"mode": "chat", "max_input_tokens": 100_000, "max_output_tokens": 8_000}

SECOND = """
from decimal import Decimal
from .types import *

providers: list[Provider] = [
    Provider(
        id='anthropic',
        models=[
            ModelInfo(
                id='claude-x-9',
                match=ClauseOr(or_=[ClauseEquals(equals='claude-x-9'), ClauseRegex(regex='^zz$')]),
                context_window=1000000,
                prices=[
                    ConditionalPrice(prices=ModelPrice(input_mtok=Decimal('9'))),
                    ConditionalPrice(
                        constraint=StartDateConstraint(start_date=datetime.date(2026, 1, 5)),
                        prices=ModelPrice(input_mtok=TieredPrices(base=Decimal('2'), tiers=[])),
                    ),
                    ConditionalPrice(
                        constraint=StartDateConstraint(start_date=datetime.date(2027, 1, 1)),
                        prices=ModelPrice(input_mtok=Decimal('7')),
                    ),
                ],
            ),
        ],
    ),
    Provider(id='x-ai', models=[
        ModelInfo(id='grok', match=ClauseStartsWith(starts_with='grok'), context_window=50000,
                  prices=ModelPrice(input_mtok=Decimal('1'), output_mtok=Decimal('3'))),
    ]),
]
"""
FACT = {
    "provider": "anthropic",
    "match": "claude-x-9",
    "window": 1_000_000,
    "max_input": 1_000_000,
    "max_output": 64_000,
    "cache_minimum": 512,
    "source": "the maker's page",
    "as_of": AS_OF,
}


def made(
    tmp_path: Path, models: Mapping[str, object], facts: list[Mapping[str, object]] | None = None
) -> list[dict[str, Any]]:
    """The rows that these models of litellm become."""
    first = tmp_path / "litellm-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(first, "w") as packed:
        text = json.dumps(models)
        packed.writestr("litellm/model_prices_and_context_window_backup.json", text)
    second = tmp_path / "genai_prices-0.1-py3-none-any.whl"
    with zipfile.ZipFile(second, "w") as packed:
        packed.writestr("genai_prices/data.py", SECOND)
    stated, out = tmp_path / "facts.json", tmp_path / "models.json"
    stated.write_text(json.dumps(facts or []))
    wheels = ["--litellm", str(first), "--genai-prices", str(second)]
    main([*wheels, "--as-of", AS_OF, "--facts", str(stated), "--out", str(out)])
    rows: list[dict[str, Any]] = json.loads(out.read_text())
    assert len(parsed(out.read_bytes())) == len(rows)
    return rows


def of(provider: str, **more: object) -> dict[str, object]:
    return {**CHAT, "litellm_provider": provider, **more}


def test_a_row_holds_what_the_first_source_says(tmp_path: Path) -> None:
    model = of(
        "groq",
        input_cost_per_token=2e-06,
        output_cost_per_token=8e-06,
        cache_read_input_token_cost=1.5e-07,
        supports_function_calling=True,
        supports_sampling_params=False,
        deprecation_date="2027-02-03",
    )

    [row] = made(tmp_path, {"groq/qwen/qwen3-mini": model})

    assert row == {
        "provider": "groq",
        "match": "qwen/qwen3-mini",
        "window": 100_000,
        "max_input": 100_000,
        "max_output": 8_000,
        "family": "other",
        "cache_minimum": 4_096,
        "tier": "low",
        "flags": ["tools", "caching", "no_sampling"],
        "prices": {"input": 2, "output": 8, "cache_read": 0.15},
        "retires": "2027-02-03",
        "source": "litellm 1.2.3",
        "as_of": AS_OF,
        "checked": "absent",
    }


def test_only_current_chat_models_with_both_limits_are_taken(tmp_path: Path) -> None:
    models = {
        "xai/grok-9": of("xai"),
        "xai/grok-8": of("xai", deprecation_date=AS_OF),
        "xai/grok-7": of("xai", max_output_tokens=None),
        "xai/grok-6": of("xai", mode="embedding"),
        "xai/grok-5-audio": of("xai"),
        "elsewhere/grok-9": of("elsewhere"),
        "azure/eu/gpt-9": of("azure"),
        "ollama/llama3": of("ollama"),
        "ollama/big:1t-cloud": of("ollama"),
    }

    named = [(row["provider"], row["match"]) for row in made(tmp_path, models)]

    assert named == [("ollama", "big:1t-cloud"), ("xai", "grok-9")]


def test_an_alias_with_the_same_numbers_is_left_out(tmp_path: Path) -> None:
    models = {
        "xai/grok-9": of("xai"),
        "xai/grok-9-2026-01-01": of("xai", supports_vision=True),
        "xai/grok-9-latest": of("xai"),
        "xai/grok-9-fast": of("xai", max_input_tokens=9_000),
        "xai/grok-9.1": of("xai"),
        "xai/grok-9-1": of("xai"),
    }

    named = [row["match"] for row in made(tmp_path, models)]

    assert named == ["grok-9", "grok-9-1", "grok-9-fast"]


def test_regions_of_bedrock_are_one_model(tmp_path: Path) -> None:
    models = {
        "us.meta.llama9-v1:0": of("bedrock", max_input_tokens=5),
        "global.meta.llama9-v1:0": of("bedrock", max_input_tokens=6),
        "zai.glm-9": of("bedrock_converse", max_input_tokens=7),
        "eu.zai.glm-9": of("bedrock_converse", max_input_tokens=8),
    }

    found = {row["match"]: row["window"] for row in made(tmp_path, models)}

    assert found == {"meta.llama9": 6, "zai.glm-9": 7}


@pytest.mark.parametrize(
    ("said", "window", "reads"),
    [
        (272_000, 400_000, 272_000),
        (922_000, 1_050_000, 922_000),
        (1_050_000, 1_050_000, 922_000),
        (128_000, 128_000, 128_000),
    ],
)
def test_the_window_of_a_gpt_is_read_off_its_input(
    tmp_path: Path, said: int, window: int, reads: int
) -> None:
    model = of("openai", max_input_tokens=said, max_output_tokens=128_000)

    [row] = made(tmp_path, {"gpt-9-sol": model})

    assert (row["window"], row["max_input"], row["max_output"]) == (window, reads, 128_000)


def test_a_fact_wins_and_what_differs_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = {"input_cost_per_token": 3e-06, "output_cost_per_token": 1e-05}

    [row] = made(tmp_path, {"claude-x-9": of("anthropic", **prices)}, [FACT])

    assert (row["window"], row["max_output"], row["source"]) == (1_000_000, 64_000, FACT["source"])
    assert row["prices"] == {"input": 3, "output": 10}
    assert row["checked"].startswith("differs: input 2; litellm 1.2.3 window 100000")
    assert "anthropic:claude-x-9: differs: input 2" in capsys.readouterr().out


def test_a_fact_holds_for_hosts_as_the_most_they_give(tmp_path: Path) -> None:
    hosted = of("bedrock_converse", max_input_tokens=2_000_000, max_output_tokens=32_000)
    newer = of("bedrock_converse", max_input_tokens=2_000_000, max_output_tokens=90_000)
    models = {"anthropic.claude-x-9-v1:0": hosted, "anthropic.claude-x-9-5": newer}

    rows = {row["match"]: row for row in made(tmp_path, models, [FACT]) if row["provider"] != "x"}

    bound, free = rows["anthropic.claude-x-9"], rows["anthropic.claude-x-9-5"]
    assert (bound["window"], bound["max_output"], bound["cache_minimum"]) == (
        1_000_000,
        32_000,
        512,
    )
    assert (free["window"], free["max_output"]) == (2_000_000, 90_000)


@pytest.mark.parametrize(
    ("window", "price", "checked"),
    [
        (50_000, 1e-06, "agrees"),
        (52_000, 1e-06, "agrees"),  # a rounded window is the same one
        (50_000, 2e-06, "differs: input 1"),
        (90_000, 1e-06, "differs: window 50000"),
    ],
)
def test_the_second_source_is_heard(
    tmp_path: Path, window: int, price: float, checked: str
) -> None:
    model = of("xai", max_input_tokens=window, input_cost_per_token=price)

    [row] = made(tmp_path, {"xai/grok-9": {**model, "output_cost_per_token": 3e-06}})

    assert row["checked"] == checked


def test_prices_above_a_step_are_kept(tmp_path: Path) -> None:
    prices = {
        "input_cost_per_token": 1e-06,
        "output_cost_per_token": 2e-06,
        "input_cost_per_token_above_272k_tokens": 2e-06,
        "output_cost_per_token_above_272k_tokens": 3e-06,
        "input_cost_per_token_above_272k_tokens_priority": 9e-06,
    }

    [row] = made(tmp_path, {"zai/glm-9": of("zai", **prices)})

    long = {"input": 2, "output": 3}
    assert row["prices"] == {"input": 1, "output": 2, "above": 272_000, "long": long}


def test_the_same_wheels_make_the_same_bytes(tmp_path: Path) -> None:
    models = {"xai/grok-9": of("xai"), "zai/glm-9": of("zai")}

    made(tmp_path, models)
    once = (tmp_path / "models.json").read_bytes()
    made(tmp_path, dict(reversed(models.items())))

    assert (tmp_path / "models.json").read_bytes() == once
