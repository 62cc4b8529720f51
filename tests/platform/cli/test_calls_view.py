"""What is told of a tool call while it runs."""

from collections.abc import Iterator

import pytest

from stratal.cli.calls_view import ToolLines
from stratal.cli.options import Common
from stratal.cli.terminal import Terminal
from stratal.reply import ToolRan, ToolStarted


def lines(*times: float) -> ToolLines:
    """Lines for a terminal, with a clock that reads these seconds, one after the other."""
    clock: Iterator[float] = iter(times)
    return ToolLines(Terminal(Common()), lambda: next(clock))


def started(id: str, arguments: str = '{"to": "bob"}') -> ToolStarted:
    return ToolStarted(id=id, name="pay", arguments=arguments)


def ran(id: str, *, failed: bool = False, result: str = "paid") -> ToolRan:
    return ToolRan(id=id, name="pay", arguments='{"to": "bob"}', result=result, failed=failed)


def test_a_call_is_told_when_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    lines(1.0).started(started("a"))

    assert capsys.readouterr() == ("", '[pay] to="bob"\n')


def test_its_end_says_how_it_went_and_how_long_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    told = lines(1.0, 2.0, 4.25, 5.0)
    told.started(started("a"))
    told.started(started("b"))
    capsys.readouterr()

    told.ran(ran("a"))
    told.ran(ran("b", failed=True, result="no such\naccount"))

    assert capsys.readouterr().err.splitlines() == [
        "[pay] ok, 3.2 s",
        r"[pay] failed, 3.0 s: no such\naccount",
    ]


def test_a_call_that_never_ran_is_told_with_why(capsys: pytest.CaptureFixture[str]) -> None:
    lines().ran(ran("a", failed=True, result="[interrupted; outcome unknown]"))

    assert capsys.readouterr().err.splitlines() == [
        '[pay] to="bob"',
        "[pay] failed: [interrupted; outcome unknown]",
    ]


@pytest.mark.parametrize("arguments", ["{", '{"a": "' + "x" * 90_000 + '"}', '{"a": "\x1b[2K"}'])
def test_no_arguments_fill_or_steer_the_screen(
    capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    lines(1.0).started(started("a", arguments))

    (line,) = capsys.readouterr().err.splitlines()
    assert len(line) <= 160
    assert line.isprintable()
