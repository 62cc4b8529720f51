"""The numbers of the Octo documents, from the settings to the request."""

import pytest

from stratal.context.usage import BEGINS, Band
from stratal.errors import ConfigError
from stratal.settings import Settings
from tests.platform.context.making import (
    user,
)
from tests.platform.documents.worked import budget_of, of, sent, words


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("anthropic:claude-opus-5-5", 200_000),
        ("anthropic:claude-3-5-haiku", 200_000),
        ("openai-chat:anthropic/claude-opus-4.5", 200_000),
        ("openai:gpt-4o", 128_000),
        ("azure:gpt-4o-mini", 128_000),
        ("openai:o1", 200_000),
        ("openai:o3", 200_000),
        ("openai:o4-mini", 200_000),
        ("openai-chat:google/gemini-2.5-pro", 1_000_000),
        ("ollama:llama3:70b", 32_000),
        ("openai-chat:my-own-model", 32_000),
    ],
)
def test_octo_knows_a_window_by_the_name_of_the_model(model: str, window: int) -> None:
    # covers C18
    assert budget_of(of("octo", model=model)).window == window


def test_octo_compresses_above_70_percent_before_the_call() -> None:
    # covers C9, C10
    settings = of("octo", model="openai:gpt-4o")
    budget = budget_of(settings)
    mark = 128_000 * 70 // 100
    talk = [user(words(900))] * 97
    first = [user(words(mark - 97 * 900 - 3 - 1))]

    full = sent(settings, budget, history=[*first, *talk])
    over = sent(settings, budget, history=[*first, *talk, user("b")])

    assert (full.ledger.used, full.moved) == (mark, None)
    assert over.moved is not None
    assert len(over.request.messages) - 1 == 40  # of 99: at least 40 %


def test_octo_s_variables_of_the_environment_mean_what_they_mean_there() -> None:
    # covers C1, C22, C23
    plain = of("octo")
    tuned = of(
        "octo",
        environment={
            "TOOL_RESULT_LIMIT": "9000",
            "SUMMARIZATION_TRIGGER_FRACTION": "0.5",
            "SUMMARIZATION_TRIGGER_TOKENS": "50000",
            "SUMMARIZATION_KEEP_TOKENS": "10000",
            "SUPERVISOR_MSG_CHAR_LIMIT": "15000",
        },
    )

    assert [octo_numbers(settings) for settings in (plain, tuned)] == [
        (20_000, 0.7, 100_000, 20_000, 30_000),
        (9_000, 0.5, 50_000, 10_000, 15_000),
    ]


def octo_numbers(settings: Settings) -> tuple[int | float | None, ...]:
    summary, results = settings.summary, settings.tool_results
    return (
        results.limit,
        summary.trigger_fraction,
        summary.trigger_tokens,
        summary.keep_tokens,
        results.message_limit,
    )


def test_octo_s_own_code_has_other_numbers_and_they_can_be_set() -> None:
    # covers C23, Cs3
    settings = of(
        "octo",
        environment={
            "SUMMARIZATION_TRIGGER_TOKENS": "40000",
            "SUMMARIZATION_KEEP_TOKENS": "8000",
            "STRATAL_SUMMARY__TRIGGER_FRACTION": "none",
            "STRATAL_SUMMARY__TRIGGER_MESSAGES": "none",
            "STRATAL_SUMMARY__KEEP_MESSAGES": "none",
        },
    )

    triggers, keep = settings.summary.triggers(), settings.summary.keep()
    assert (triggers.tokens, triggers.fraction, triggers.messages) == (40_000, None, None)
    assert (keep.tokens, keep.messages) == (8_000, None)


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("CONTEXT__COMPRESS_AT", "0.6", "context.compress_at"),
        ("HISTORY__SHARE", "0.5", "history.share"),
        ("TOOL_RESULTS__AGE_AFTER", "4", "tool_results.age_after"),
        ("TOOL_RESULTS__AGE_OVER", "800", "tool_results.age_over"),
        ("SUMMARY__TRIGGER_MESSAGES", "60", "summary.trigger_messages"),
        ("SUMMARY__KEEP_MESSAGES", "12", "summary.keep_messages"),
    ],
)
def test_every_threshold_of_octo_can_be_set(name: str, value: str, field: str) -> None:
    # covers C23
    settings = of("octo", environment={f"STRATAL_{name}": value})

    section, _, key = field.partition(".")
    assert getattr(getattr(settings, section), key) == float(value)
    assert getattr(getattr(of("octo"), section), key) != float(value)


def test_the_bands_are_those_of_octo_s_document_not_of_its_transport() -> None:
    # covers C21, Cs9
    assert BEGINS == {Band.PEAK: 0, Band.GOOD: 50, Band.DEGRADING: 70, Band.POOR: 85}


@pytest.mark.parametrize("fraction", ["0.0", "0.7", "1.0"])
def test_the_fraction_may_be_anything_from_0_to_1(fraction: str) -> None:
    # covers C22
    environment = {"SUMMARIZATION_TRIGGER_FRACTION": fraction}

    assert of("octo", environment=environment).summary.triggers().fraction == float(fraction)


@pytest.mark.parametrize("fraction", ["-0.1", "1.1", "much"])
def test_a_fraction_outside_of_it_is_an_error_that_names_it(fraction: str) -> None:
    # covers C22
    with pytest.raises(ConfigError, match=r"summary\.trigger_fraction"):
        of("octo", environment={"SUMMARIZATION_TRIGGER_FRACTION": fraction})
