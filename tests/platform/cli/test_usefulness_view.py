"""What came of memories is shown where their scores and stories are shown, in sixty columns."""

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console, RenderableType

from stratal.cli.memory_versions import story_view
from stratal.cli.scoring_view import COLUMNS, came_of, told
from stratal.cli.shapes.memories import Story
from stratal_memory.outcomes import NOTHING, Counts
from stratal_memory.recall.candidates import Factors, Parts
from stratal_memory.tiers.versions import History
from tests.memory.worlds import memory
from tests.platform.cli.running import Run

PARTS = Parts(similarity=0.5, confidence=0.9, scope=0.6)
MANY = Counts(used=12_000, ignored=3_400, corrected=560, wrong="mem_a")


def drawn(view: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=60).print(view)
    return out.getvalue()


def story(counts: Counts, usefulness: float) -> Story:
    made = memory("x", at=datetime(2026, 3, 1, tzinfo=UTC))
    return Story.of(History(versions=(made,), events=(), counts=counts, usefulness=usefulness))


def test_a_score_tells_what_its_usefulness_rests_on() -> None:
    lines = told(PARTS, Factors(usefulness=1.02, counts=Counts(used=1)), ())

    assert "usefulness x1.02 (used 1)" in " ".join(lines)


def test_what_nothing_came_of_is_not_counted_up() -> None:
    assert "usefulness x1.00" in told(PARTS, Factors(), ())[-1]
    assert "(" not in told(PARTS, Factors(), ())[-1]
    assert came_of(NOTHING) == ""


def test_large_counts_fit_a_line() -> None:
    assert all(len(line) <= COLUMNS for line in told(PARTS, Factors(counts=MANY), ()))
    assert came_of(MANY) == "used 12,000, ignored 3,400, corrected 560"


def test_the_story_of_a_memory_tells_what_came_of_it() -> None:
    shown = drawn(story_view(story(MANY, 1.05)))

    assert "usefulness x1.05" in shown
    assert "used 12,000, ignored 3,400, corrected 560" in " ".join(shown.split())
    assert all(len(line) <= 60 for line in shown.splitlines())
    assert "usefulness" not in drawn(story_view(story(NOTHING, 1.0)))


@pytest.mark.parametrize("command", ["why", "history"])
def test_the_commands_carry_the_counts(stratal: Run, command: str) -> None:
    stratal("memory", "add", "I live in Lisbon")
    [known] = stratal("memory", "list", "--json").json["memories"]

    answer = stratal("memory", command, known["key"], "--json").json

    assert answer["usefulness"] == 1.0
    assert (answer["counts"]["used"], answer["counts"]["ignored"]) == (0, 0)
