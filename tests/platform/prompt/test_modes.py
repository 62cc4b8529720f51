import itertools
from importlib.resources import files

import pytest

from stratal.context.request import ToolSpec
from stratal.prompt.layers import layers, system_prompt
from stratal.prompt.modes import (
    TABLE,
    Area,
    Matrix,
    Offered,
    allows,
    composition,
    files_of,
    offered,
    placeholder,
    refusal,
)
from stratal.prompt.sections import Mode
from stratal.tokens.approximate import OctopusCounter

AGENT, ASK, PLAN = Mode.AGENT, Mode.ASK, Mode.PLAN
OPEN, SHOWN, CLOSED = Offered.OPEN, Offered.PLACEHOLDER, Offered.CLOSED
SCHEMA = '{"properties":{"text":{"description":"What.","type":"string"}},"type":"object"}'


def spec(name: str, description: str = "Does something useful for the person.") -> ToolSpec:
    return ToolSpec(name=name, description=description, schema=SCHEMA)


# name, area, writes: one tool of each kind the two tables speak of
TOOLS = (
    ("memory_save", Area.MEMORY, True),
    ("memory_search", Area.MEMORY, False),
    ("search_knowledge", Area.KNOWLEDGE, False),
    ("write_file", Area.OTHER, True),
    ("read_file", Area.OTHER, False),
    ("execute_code", Area.SANDBOX, True),
    ("browser_open", Area.BROWSER, False),
    ("web_search", Area.WEB_SEARCH, False),
    ("write_todos", Area.TODO, True),
)


def by_mode(matrix: Matrix) -> dict[str, list[str]]:
    return {
        name: [offered(mode, area=area, writes=writes, matrix=matrix).value for mode in Mode]
        for name, area, writes in TOOLS
    }


# "Mode-Based Context" of Zeus, row by row; TOOLS.md: "All tools", "Read-only tools".
ZEUS_PAGE = [
    ("core", "full", "full", "full"),
    ("soul", "full", "full", "full"),
    ("tools", "all", "read_only", "read_only"),
    ("workflow", "full", "simplified", "planning"),
    ("memory", "full", "simplified", "simplified"),
    ("mode_prompt", "MODE_agent", "MODE_ask", "MODE_plan"),
    ("memory_tools", "enabled", "restricted", "restricted"),
    ("write_tools", "enabled", "disabled", "disabled"),
    ("rag", "enabled", "enabled", "enabled"),
    ("profile", "injected", "injected", "injected"),
    ("memories", "injected", "injected", "injected"),
]


@pytest.mark.parametrize("row", ZEUS_PAGE, ids=lambda row: row[0])
def test_the_table_is_the_page_of_zeus_row_by_row(row: tuple[str, str, str, str]) -> None:
    # covers Z26
    name, *values = row

    assert [getattr(composition(mode), name) for mode in (AGENT, ASK, PLAN)] == values


@pytest.mark.parametrize("matrix", Matrix)
def test_every_mode_has_a_column_in_both_tables(matrix: Matrix) -> None:
    assert set(TABLE[matrix]) == set(Mode)


def test_tools_are_open_as_the_table_says() -> None:
    # covers Z26
    assert by_mode(Matrix.ZEUS) == {
        "memory_save": ["open", "closed", "closed"],
        "memory_search": ["open", "open", "open"],
        "search_knowledge": ["open", "open", "open"],
        "write_file": ["open", "closed", "closed"],
        "read_file": ["open", "open", "open"],
        "execute_code": ["open", "closed", "closed"],
        "browser_open": ["open", "open", "open"],
        "web_search": ["open", "open", "open"],
        "write_todos": ["open", "open", "open"],
    }


def test_the_page_on_tools_is_stricter_with_machines_and_shows_what_ask_may_not_write() -> None:
    # covers Zs5
    memory = [composition(mode, Matrix.ZEUS_TOOLS).memory_tools.value for mode in Mode]

    assert memory == ["enabled", "disabled", "read_only"]
    assert by_mode(Matrix.ZEUS_TOOLS) == {
        "memory_save": ["open", "closed", "closed"],
        "memory_search": ["open", "closed", "open"],
        "search_knowledge": ["open", "open", "open"],
        "write_file": ["open", "placeholder", "closed"],
        "read_file": ["open", "open", "open"],
        "execute_code": ["open", "closed", "closed"],
        "browser_open": ["open", "closed", "closed"],
        "web_search": ["open", "open", "open"],
        "write_todos": ["open", "open", "open"],
    }


@pytest.mark.parametrize(
    ("mode", "matrix", "area"),
    list(itertools.product(Mode, Matrix, Area)),
    ids=lambda part: part.value,
)
def test_a_tool_that_writes_is_never_given_more_than_one_that_reads(
    mode: Mode, matrix: Matrix, area: Area
) -> None:
    strictness = [OPEN, SHOWN, CLOSED]
    reading = offered(mode, area=area, writes=False, matrix=matrix)
    writing = offered(mode, area=area, writes=True, matrix=matrix)

    assert strictness.index(writing) >= strictness.index(reading)


@pytest.mark.parametrize("matrix", Matrix)
@pytest.mark.parametrize("area", Area)
@pytest.mark.parametrize("writes", [True, False])
def test_agent_mode_opens_everything(matrix: Matrix, area: Area, writes: bool) -> None:
    assert offered(AGENT, area=area, writes=writes, matrix=matrix) is OPEN


def test_knowledge_that_writes_is_closed_where_writing_is() -> None:
    assert offered(ASK, area=Area.KNOWLEDGE, writes=True) is CLOSED


def test_allows_is_whether_a_tool_is_open() -> None:
    # covers Z26, Zs5
    zeus = [allows(mode, writes=True, memory=True) for mode in Mode]
    reading = [allows(mode, writes=False, memory=True, matrix=Matrix.ZEUS_TOOLS) for mode in Mode]
    shown = allows(ASK, writes=True, memory=False, matrix=Matrix.ZEUS_TOOLS)

    assert zeus == [True, False, False]
    assert reading == [True, False, True]
    assert not shown


@pytest.mark.parametrize("matrix", Matrix)
def test_both_tables_build_the_prompt_of_the_same_files(matrix: Matrix) -> None:
    for mode in Mode:
        made, ours = composition(mode, matrix), composition(mode)

        assert (made.core, made.soul, made.tools) == (ours.core, ours.soul, ours.tools)
        assert (made.workflow, made.memory) == (ours.workflow, ours.memory)
        assert made.mode_prompt == ours.mode_prompt


def test_each_packaged_file_is_used_and_each_used_file_is_packaged() -> None:
    # covers Z26
    folder = files("stratal.prompt").joinpath("layers")
    packaged = {entry.name.removesuffix(".md") for entry in folder.iterdir()}

    assert {name for mode in Mode for name in files_of(mode).values()} == packaged


def test_the_files_of_a_mode_stand_in_the_order_of_the_prompt() -> None:
    # covers Zs1
    assert list(files_of(PLAN).items()) == [
        ("CORE", "CORE"),
        ("SOUL", "SOUL"),
        ("TOOLS", "TOOLS"),
        ("WORKFLOW", "WORKFLOW_plan"),
        ("MEMORY", "MEMORY_read"),
        ("MODE", "MODE_plan"),
    ]


def given(mode: Mode, matrix: Matrix = Matrix.ZEUS) -> list[ToolSpec]:
    """What the model sees of `TOOLS` in `mode`."""
    seen: list[ToolSpec] = []
    for name, area, writes in TOOLS:
        way = offered(mode, area=area, writes=writes, matrix=matrix)
        if way is not CLOSED:
            seen.append(spec(name) if way is OPEN else placeholder(spec(name), mode))
    return seen


@pytest.mark.parametrize("matrix", Matrix)
@pytest.mark.parametrize("mode", [ASK, PLAN])
def test_ask_and_plan_take_fewer_tokens_than_agent(mode: Mode, matrix: Matrix) -> None:
    # covers Z25, Z27
    count = OctopusCounter()
    less, more = given(mode, matrix), given(AGENT, matrix)

    assert 0 < len(less) < len(more)
    assert count.count_tools(less) < count.count_tools(more)
    for schemas in (True, False):
        prompts = [
            system_prompt(mode=each, tools=tools, agent_name="Sol", schemas=schemas)
            for each, tools in ((mode, less), (AGENT, more))
        ]
        assert count.count(prompts[0]) < count.count(prompts[1])


def test_each_tool_adds_its_schema_to_a_prompt_that_lists_schemas() -> None:
    # covers Z25, Z7
    count = OctopusCounter().count
    sizes = [
        count(
            system_prompt(
                mode=AGENT,
                tools=[spec(f"tool_{i}") for i in range(tools)],
                agent_name="Sol",
                schemas=True,
            )
        )
        for tools in (1, 11, 21)
    ]

    assert sizes[2] - sizes[1] == pytest.approx(sizes[1] - sizes[0], abs=10)
    assert sizes[1] - sizes[0] >= 10 * count(SCHEMA)


def test_a_placeholder_names_the_tool_and_the_mode_to_switch_to() -> None:
    # covers Zs5
    shown = placeholder(spec("write_file", "Write a file.\n\n" + "Much more. " * 90), ASK)

    assert shown == ToolSpec(
        name="write_file",
        description="Not available in ask mode: if this is needed, suggest that the person "
        "switch to agent mode. Write a file.",
        schema='{"properties":{},"type":"object"}',
    )
    tools = next(
        layer
        for layer in layers(mode=ASK, tools=[shown], agent_name="Sol")
        if layer.name == "TOOLS"
    )
    assert "- `write_file`: Not available in ask mode: if this" in tools.text


def test_calling_a_placeholder_says_that_nothing_was_done() -> None:
    # covers Zs5
    assert refusal("write_file", ASK) == (
        "write_file is not available in ask mode; nothing was done. If it is needed, suggest that "
        "the person switch to agent mode."
    )
