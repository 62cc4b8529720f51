"""What a person is told of a consolidation that could not be done whole."""

import io

import pytest
from rich.console import Console

from stratal.cli.consolidate import run_view
from stratal.cli.shapes.settling import Run as RunShape
from stratal_memory.consolidation.report import Change, State, Step
from stratal_memory.records import Cost
from tests.platform.cli.running import Run

OUTAGE = "put off: ProviderUnavailable: anthropic: Connection error."
ADDED = Change(step="episodes", action="added", before="", after="Baked.", reason="a talk")


def paused(
    *steps: Step, waits_for: str = "anthropic", changes: tuple[Change, ...] = ()
) -> RunShape:
    return RunShape(
        run="run_1",
        user="me",
        steps=steps,
        changes=changes,
        held=(),
        cost=Cost(),
        state=State.PAUSED,
        resumed=False,
        waits_for=waits_for,
    )


def put_off(looked_at: int, changed: int = 0) -> Step:
    return Step(name="episodes", looked_at=looked_at, changed=changed, how="model", note=OUTAGE)


def drawn(run: RunShape) -> list[str]:
    console = Console(file=io.StringIO(), width=200)
    with console.capture() as captured:
        console.print(run_view(run))
    return captured.get().splitlines()


@pytest.mark.parametrize(
    ("looked_at", "said"),
    [
        (4, "me: paused: 4 episodes wait for anthropic"),
        (1, "me: paused: 1 episode waits for anthropic"),
    ],
)
def test_a_run_that_was_put_off_begins_with_what_waits(looked_at: int, said: str) -> None:
    later = Step(name="rollups", looked_at=0, changed=0, note="put off: episodes come first")

    told = drawn(paused(put_off(looked_at), later))

    assert told[0].strip() == said
    assert not any("nothing to change" in line for line in told)


def test_what_was_changed_before_is_shown_below() -> None:
    told = drawn(paused(put_off(4, changed=1), changes=(ADDED,)))

    assert told[0].strip() == "me: paused: episodes wait for anthropic"
    assert any("Baked." in line for line in told[1:])


def test_a_run_that_was_put_off_is_partly_failed(
    stratal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stratal("chat", "-m", "I'm allergic to kiwi.")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-nothing")
    monkeypatch.setenv("STRATAL_LEARNING__DAILY_TOKENS", "1")  # no call is made

    drawn = stratal("consolidate")
    read = stratal("consolidate", "--json")
    everybody = stratal("consolidate", "--all-users")

    assert drawn.out.startswith("me: paused: 1 episode waits for tomorrow's spend cap")
    assert (drawn.code, read.code, everybody.code) == (3, 3, 3)
    assert (read.json["state"], read.json["waits_for"]) == ("paused", "tomorrow's spend cap")


def test_a_run_that_came_to_its_end_is_done(stratal: Run) -> None:
    stratal("chat", "-m", "I'm allergic to kiwi.")

    assert stratal("consolidate").code == 0
    assert stratal("consolidate").code == 0
