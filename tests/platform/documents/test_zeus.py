"""The numbers of the Zeus documents, from the settings to the request."""

import math
from dataclasses import replace

import pytest

from stratal.context.compression.triggers import Fill, fired, mark_of
from stratal.desk import summary_model
from stratal.providers.models import parse_model
from stratal.tokens.approximate import OctopusCounter
from tests.platform.context.making import (
    BARE,
    assistant,
    block,
    user,
)
from tests.platform.documents.worked import budget_of, of, sent


def test_2_000_characters_of_memories_are_500_tokens() -> None:
    # covers Z5
    budget = budget_of(of("zeus"))

    assert (budget.memory_chars, budget.memory_items) == (2_000, 5)
    assert OctopusCounter().count("m" * budget.memory_chars) == 500


@pytest.mark.parametrize(
    ("model", "window", "mark"),
    [
        ("openai:gpt-4o", 128_000, 108_800),
        ("anthropic:claude-3-5-sonnet", 200_000, 170_000),
        ("anthropic:claude-nobody-9", 64_000, 54_400),
    ],
)
def test_zeus_summarises_at_85_percent_of_what_the_model_takes(
    model: str, window: int, mark: int
) -> None:
    # covers Z19, Z20, Zs7
    settings = of("zeus", model=model)
    budget = budget_of(settings)
    fill = Fill(used=mark - 1, history=0, messages=2, window=budget.effective)

    assert budget.window == window
    assert fired(settings.summary.triggers(), fill) == ""
    assert fired(settings.summary.triggers(), replace(fill, used=mark))


def test_zeus_has_its_summaries_written_by_the_agent_s_own_model() -> None:
    # covers Z23
    settings = of("zeus", model="anthropic:claude-3-5-sonnet")
    model = parse_model(settings.model)

    assert summary_model(settings, model) == model
    assert summary_model(of("octo", model=settings.model), model) != model  # C7: the low tier


def test_zeus_ends_the_system_prompt_with_profile_and_memories() -> None:
    # covers Z1, Z9
    settings = of("zeus", model="openai:gpt-4o")
    parts = replace(
        BARE, profile="name: Alice", blocks=(block("memories", "likes tea"),), now="Friday"
    )

    made = sent(settings, budget_of(settings), parts=parts, history=[user("a"), assistant("b")])

    assert [one.text for one in made.request.system] == [
        "you are brief", "Friday", "name: Alice", "<memories>\nlikes tea\n</memories>",
    ]  # fmt: skip
    assert [one.cached for one in made.request.system] == [True, False, False, False]


def test_zeus_shows_thirty_messages_in_the_roles_they_were_said_in() -> None:
    # covers Z14, Z15, Z17
    settings = of("zeus", model="openai:gpt-4o")
    talk = [message for n in range(40) for message in (user(f"q{n}"), assistant(f"a{n}"))]

    made = sent(settings, budget_of(settings), history=talk)

    *shown, last = made.request.messages
    assert [(one.role, one.text) for one in shown] == [(one.role, one.text) for one in talk[-30:]]
    assert last == user("go")
    assert made.moved is None  # left out, not summarised


def test_zeus_saves_room_in_the_ways_its_page_names() -> None:
    # covers Z28
    settings = of("zeus", model="anthropic:claude-3-5-sonnet")

    assert (settings.recall.memory_characters, settings.recall.top_k) == (2_000, 5)
    assert (settings.history.max_messages, settings.summary.enabled) == (30, True)
    assert settings.cache.marks
    assert settings.context.procedure == 1_000  # a longer one is a pointer: details on demand


def test_the_mark_lies_before_the_end_where_the_input_alone_is_limited() -> None:
    # covers Z18, Z20
    budget = budget_of(of("zeus", model="openai:gpt-5-mini"))
    limit = budget.input_limit + budget.output_reserve

    assert (budget.window, budget.max_input) == (400_000, 272_000)
    assert mark_of(0.85, budget.effective) == math.ceil(0.85 * limit) < limit == 276_096
