"""The numbers of the Octopus documents, from the settings to the request."""

from dataclasses import replace

import pytest

from stratal.context.request import SystemBlock
from stratal.context.sections import Parts, Procedure
from stratal.desk import info_of
from stratal.engines import counter_of
from stratal.prompt.layers import system_prompt
from stratal.prompt.sections import Mode
from stratal.providers.models import parse_model
from stratal.providers.scripted import ScriptedProvider
from stratal.tokens.approximate import OctopusCounter
from tests.platform.context.making import (
    assistant,
    block,
    user,
)
from tests.platform.documents.worked import OPUS, budget_of, granted, of, sent, words

ROOM = 138_308  # what Octopus' worked example leaves for history


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
def test_octopus_gives_a_model_its_window_and_working_budget(
    model: str, window: int, working: int
) -> None:
    # covers O10
    budget = budget_of(of("octopus", model=model))

    assert (budget.window, budget.working_budget, budget.effective) == (window, working, working)
    assert budget.max_input is None


def example() -> Parts:
    """The sections of Octopus' worked example, heads and names included in their tokens."""
    return Parts(
        system=(SystemBlock(text=words(1_200)),),
        procedure=Procedure(name="p", text=words(300 - 2)),
        blocks=(block("knowledge", words(1_500 - 6)), block("episodes", words(400 - 4))),
    )


@pytest.mark.parametrize(("history", "kept"), [(ROOM, ROOM), (ROOM + 1, 3)])
def test_octopus_worked_example_leaves_138_308_tokens_for_history(history: int, kept: int) -> None:
    # covers O11, O12, O13, O14, O21
    settings = of("octopus", model=OPUS, environment={"STRATAL_CONTEXT__OUTPUT_RESERVE": "8192"})

    made = sent(
        settings,
        budget_of(settings),
        parts=example(),
        history=[user(words(history - 3)), user("a"), user("b"), user("c")],
        message=words(100),
    )

    taken = granted(made)
    assert taken.pop("history", 0) == kept
    assert taken == {
        "system": 1_200, "procedure": 300, "knowledge": 1_500, "episodes": 400, "message": 100,
    }  # fmt: skip
    assert made.request.max_output == 8_192
    assert made.ledger.used + 8_192 <= 150_000


def test_octopus_prunes_history_and_nothing_that_was_injected() -> None:
    # covers O22, Os6
    settings = of("octopus", model=OPUS)
    parts, talk = example(), [user(words(900)), assistant(words(100))] * 200

    short, long = (
        sent(settings, budget_of(settings), parts=parts, history=history, message=words(100))
        for history in (talk[:2], talk)
    )

    assert granted(long) | {"history": 0} == granted(short) | {"history": 0}
    assert granted(long)["history"] == (150_000 - 4_096 - 3_500) // 1_000 * 1_000
    assert long.request.messages[-1] == user(words(100))


def test_octopus_defaults() -> None:
    # covers O15, O19, Os1
    settings = of("octopus", model="openai:gpt-6-sol")
    budget = budget_of(settings)

    assert (budget.effective, budget.output_reserve, budget.min_history) == (100_000, 4_096, 4_000)
    assert (budget.knowledge, budget.episodes) == (3_000, 1_000)
    assert (settings.history.overflow, settings.summary.enabled) == ("fifo", False)
    assert (settings.summary.keep_messages, settings.recall.episode_items) == (2, 3)
    assert (settings.recall.knowledge_items, settings.recall.minimum_similarity) == (5, 0.75)
    assert settings.skills.threshold == 0.80


@pytest.mark.parametrize(
    ("preset", "name"), [("octopus", "octopus"), ("picoclaw", "picoclaw"), ("octo", "auto:claude")]
)
def test_how_tokens_are_counted_is_the_preset_s_choice(preset: str, name: str) -> None:
    # covers O15, O16
    settings = of(preset, model=OPUS)
    info = info_of(settings, parse_model(OPUS))

    assert counter_of(settings, info, provider=ScriptedProvider()).name == name


@pytest.mark.parametrize(
    ("section", "setting"),
    [
        ("knowledge", "STRATAL_CONTEXT__KNOWLEDGE"),
        ("episodes", "STRATAL_CONTEXT__EPISODES"),
        ("memories", "STRATAL_RECALL__TOP_K"),
        ("procedure", "STRATAL_CONTEXT__PROCEDURE"),
        ("profile", "STRATAL_CONTEXT__PROFILE"),
    ],
)
def test_every_kind_of_memory_can_be_switched_off(section: str, setting: str) -> None:
    # covers Os1
    parts = replace(
        example(), profile="name: Alice", blocks=(*example().blocks, block("memories", "likes tea"))
    )
    on, off = (
        of("octopus", model=OPUS, environment=environment) for environment in ({}, {setting: "0"})
    )

    shown = granted(sent(on, budget_of(on), parts=parts))
    left = granted(sent(off, budget_of(off), parts=parts))

    assert shown.keys() - left.keys() == {section}


@pytest.mark.parametrize("mode", Mode)
def test_the_prompt_takes_what_octopus_expects_of_one_and_history_the_remainder(
    mode: Mode,
) -> None:
    # covers Os7
    prompt = system_prompt(mode=mode, tools=[], agent_name="Stratal")
    settings = of("octopus", model=OPUS)

    assert 500 <= OctopusCounter().count(prompt) <= 3_000
    full = sent(settings, budget_of(settings), history=[user("a b c d e f g h i j")] * 20_000)
    assert granted(full)["history"] == (150_000 - 4_096 - 3 - 1) // 10 * 10


def test_the_last_three_turns_pass_the_working_budget_before_anything_recalled_yields() -> None:
    # covers O22, Os5
    settings = of("octopus", model=OPUS)
    large = [user(words(50_000))] * 4

    made = sent(settings, budget_of(settings), parts=example(), history=large)

    taken = granted(made)
    assert (taken["history"], taken["knowledge"], taken["episodes"]) == (150_000, 1_500, 400)
    assert 150_000 < made.ledger.used <= 200_000 - 4_096
