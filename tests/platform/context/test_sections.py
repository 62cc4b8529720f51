from dataclasses import replace

import pytest

from stratal.context.sections import (
    SUMMARY_HEAD,
    Layout,
    Parts,
    Placement,
    block_text,
    place,
    texts,
)
from tests.platform.context.making import BARE, block, everything


def order(placement: Placement) -> list[str]:
    """The sections of the system prompt, then those before history and beside the message."""
    parts = (placement.system, placement.before, placement.beside)
    return [" ".join(name for one in part for name, _ in one.pieces) for part in parts]


def test_zeus_ends_the_system_prompt_with_profile_and_memories() -> None:  # covers Z9, Zs1
    assert order(place(everything(), Layout.ZEUS)) == [
        "system now procedure profile memories episodes knowledge",
        "summary",
        "",
    ]


def test_picoclaw_has_one_system_prompt_that_ends_in_time_and_summary() -> None:  # covers P1, Ps8
    assert order(place(everything(), Layout.PICOCLAW)) == [
        "system profile procedure memories knowledge episodes now summary",
        "",
        "",
    ]


def test_only_the_static_part_is_cached_where_recall_stands_in_the_system_prompt() -> None:
    # covers Z24, Ps8
    for layout in (Layout.ZEUS, Layout.PICOCLAW):
        cached = [one.cached for one in place(everything(), layout).system]

        assert cached == [True, *[False] * (len(cached) - 1)]


def test_the_summary_says_that_it_is_approximate() -> None:  # covers Ps7
    for layout in Layout:
        assert texts(everything(), layout)["summary"] == f"{SUMMARY_HEAD}\nthey spoke of leave"


@pytest.mark.parametrize("layout", Layout)
def test_what_is_empty_takes_no_place(layout: Layout) -> None:
    emptied = replace(BARE, blocks=tuple(block(name) for name in ("memories", "knowledge")))

    assert order(place(emptied, layout)) == ["system", "", ""]


@pytest.mark.parametrize("layout", Layout)
def test_every_layout_places_every_section_once(layout: Layout) -> None:
    found = " ".join(order(place(everything(), layout))).split()

    assert sorted(found) == sorted(
        ["system", "profile", "summary", "procedure", "memories", "knowledge", "episodes", "now"]
    )


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("name", ["memories", "knowledge", "episodes"])
def test_a_block_alone_reads_as_it_does_in_its_place(layout: Layout, name: str) -> None:
    assert block_text(everything(), name, layout) == texts(everything(), layout)[name]


def test_a_block_that_is_not_there_has_no_text() -> None:
    assert block_text(Parts(system=()), "memories", Layout.OCTOPUS) == ""
