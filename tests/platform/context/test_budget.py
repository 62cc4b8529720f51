from collections.abc import Callable

import pytest

from stratal.context.budget import Budget, is_over
from stratal.errors import ConfigError, ContextBudgetError


def test_octopus_worked_example_leaves_138308_tokens_for_history() -> None:  # covers O12, O13, O14
    budget = Budget(window=200_000, working_budget=150_000, output_reserve=8_192)
    system, procedure, knowledge, episodes, message = 1_200, 300, 1_500, 400, 100

    left = budget.history(fixed=system + procedure + knowledge + episodes + message)

    assert left == 138_308


def test_the_defaults_are_those_of_octopus_and_zeus() -> None:  # covers O19, Z5, Z10, Z11, Z4
    budget = Budget()

    assert (budget.effective, budget.output_reserve, budget.min_history) == (100_000, 4_096, 4_000)
    assert (budget.knowledge, budget.episodes, budget.profile) == (3_000, 1_000, 500)
    assert (budget.memory_chars, budget.memory_items, budget.procedure) == (2_000, 5, None)


def test_the_working_budget_never_exceeds_the_window() -> None:  # covers O10
    assert Budget(window=8_192, working_budget=6_000).effective == 6_000
    assert Budget(window=8_192, working_budget=150_000).effective == 8_192


def test_window_and_output_limit_are_two_settings() -> None:  # covers P2, P3, P4, P5
    small, large = (Budget(window=131_072, output_reserve=reserve) for reserve in (8_192, 32_768))

    assert small.history(fixed=1_000) == 131_072 - 8_192 - 1_000
    assert large.history(fixed=1_000) == 131_072 - 32_768 - 1_000


def test_the_input_obeys_the_window_and_its_own_limit() -> None:
    assert Budget(window=1_000, output_reserve=100).input_limit == 900
    assert Budget(window=1_000, output_reserve=100, max_input=800).input_limit == 800
    assert Budget(window=1_000, output_reserve=100, max_input=950).input_limit == 900


def test_fixed_sections_over_the_budget_are_an_error_with_the_numbers() -> None:
    budget = Budget(window=1_000, output_reserve=100)

    with pytest.raises(ContextBudgetError) as caught:
        budget.history(fixed=901)

    assert (caught.value.fixed, caught.value.reserve, caught.value.window) == (901, 100, 1_000)


def test_a_request_that_fills_the_window_exactly_is_not_over() -> None:  # covers P20, P21
    assert not is_over(message_tokens=70, tool_tokens=10, reserve=20, window=100)
    assert is_over(message_tokens=71, tool_tokens=10, reserve=20, window=100)


@pytest.mark.parametrize(
    "broken",
    [
        lambda: Budget(window=4_096),
        lambda: Budget(window=10_000, working_budget=4_000),
        lambda: Budget(output_reserve=0),
        lambda: Budget(knowledge=-1),
    ],
)
def test_a_budget_that_cannot_work_is_refused(broken: Callable[[], Budget]) -> None:
    with pytest.raises(ConfigError):
        broken()
