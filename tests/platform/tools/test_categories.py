"""The one table of categories, and what is left out of a small window."""

import pytest

from stratal.prompt.modes import Area
from stratal.tools.categories import (
    CONDITIONS,
    SPARED,
    Category,
    Condition,
    Setup,
    chosen,
    enabled,
)
from stratal.tools.tool import Tool, tool

# Z8, row by row.
DOCUMENTED = {
    "todo": "always",
    "subagent": "always",
    "files": "always",
    "mcp": "configured",
    "oauth": "authorized",
    "browser": "connector",
    "sandbox": "enabled",
    "knowledge": "linked",
    "memory": "by_mode",
    "web_search": "configured",
    "skill": "always",
}
WIDE = Setup(window=100_000)


def named(name: str, *, size: int = 10) -> Tool:
    def made() -> None:
        """Do it."""

    made.__name__ = name
    made.__doc__ = "x" * size
    return tool(made, writes=False, area=Area.OTHER)


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [one.spec.name for one in tools]


GROUPS = {category: (named(category.value),) for category in Category}


def test_the_table_is_that_of_the_document_and_ours() -> None:
    # covers Z8
    assert {row.value: found.value for row, found in CONDITIONS.items()} == {
        **DOCUMENTED,
        "mending": "by_mode",
        "result": "always",
        "own": "always",
    }
    assert set(CONDITIONS) == set(Category)


@pytest.mark.parametrize("category", Category)
def test_a_category_is_there_when_its_condition_is_met(category: Category) -> None:
    # covers Z8
    itself = CONDITIONS[category] in (Condition.ALWAYS, Condition.BY_MODE)

    assert enabled(category, WIDE) is itself
    assert enabled(category, Setup(window=100_000, met=frozenset({category})))


def test_a_sub_agent_has_no_sub_agents() -> None:
    inside = Setup(window=100_000, nested=True)

    assert "subagent" not in names(chosen(GROUPS, inside))
    assert "files" in names(chosen(GROUPS, inside))


def test_only_the_tools_that_were_given_are_there() -> None:
    given = Setup(window=100_000, only=frozenset({"files", "oauth", "nobody"}))

    assert names(chosen(GROUPS, given)) == ["files"]


def test_a_small_window_goes_without_what_can_be_spared() -> None:
    sizes = dict.fromkeys(Category, 1_000)  # characters and some more, each
    groups = {category: (named(category.value, size=size),) for category, size in sizes.items()}
    always = [one.value for one in Category if enabled(one, WIDE)]

    for left_out in range(len(SPARED) + 1):
        room = (len(always) - 1 - left_out) * 1_100 // 4 * 20  # the caller's own do not count
        gone = {one.value for one in SPARED[:left_out]}
        found = names(chosen(groups, Setup(window=room)))
        assert found == [name for name in always if name not in gone]

    assert {"memory", "result", "skill", "own"} <= set(names(chosen(groups, Setup(window=100))))
