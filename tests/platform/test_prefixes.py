"""The prompt cache holds: 50 turns with memory writes, tools and recall, through the agent."""

from pathlib import Path

from stratal.context.sections import Layout
from tests.platform.prefixes import conversation


def test_between_cuts_a_request_begins_with_the_one_before_up_to_its_recall(
    tmp_path: Path,
) -> None:  # covers C11, C12, C17, Cs5
    share = conversation(tmp_path / "data", Layout.CACHE_FRIENDLY)

    assert share.recalled >= 45
    assert 2 <= share.cuts <= 10
    assert share.cacheable >= 0.99
    assert share.hit >= 0.80


def test_recall_before_history_can_not_be_cached_so_well(tmp_path: Path) -> None:
    """Or the number above would say nothing."""
    share = conversation(tmp_path / "data", Layout.OCTOPUS, turns=15)

    assert share.cacheable < 0.90
