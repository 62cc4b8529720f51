import io

import pytest
from rich.console import Console

from stratal.cli.ledger_view import SECTION_STYLES, usage_bar
from stratal.cli.options import Common
from stratal.cli.shapes.house import SettingShape
from stratal.cli.terminal import Terminal, as_json, cell
from stratal.context.ledger import Ledger, Section
from stratal.context.usage import Band


def a_ledger() -> Ledger:
    return Ledger(
        window=60,
        used=30,
        reserve=6,
        band=Band.GOOD,
        sections=(
            Section(name="system", asked=10, granted=10),
            Section(name="history", asked=40, granted=20),
        ),
        candidates=(),
        messages=(),
        left_out=(),
        tools=(),
        model="m",
        counter="words",
        exact=True,
    )


def test_the_bar_has_a_colour_a_section_and_as_many_characters_as_the_window_allows() -> None:
    bar = usage_bar(a_ledger())

    assert bar.plain == f"[{'█' * 10}{'▓' * 20}{'·' * 24}{'-' * 6}]"
    styles = [span.style for span in bar.spans]
    assert SECTION_STYLES["system"] in styles
    assert SECTION_STYLES["history"] in styles


def test_no_colour_is_drawn_when_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()

    Console(file=stream, force_terminal=True).print(usage_bar(a_ledger()))

    assert "\x1b[3" not in stream.getvalue()


@pytest.mark.parametrize("common", [Common(quiet=True), Common(json=True), Common()])
def test_no_bar_is_drawn_where_nobody_watches(
    common: Common, capsys: pytest.CaptureFixture[str]
) -> None:
    with Terminal(common).progress("reading") as advance:
        advance(1, 2, "a.md")

    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")


def test_json_is_ascii_and_comes_back_as_it_was() -> None:
    shape = SettingShape(name="ключ", value="a\udcff", origin="")

    text = as_json(shape)

    assert text.isascii()
    assert '"a\\udcff"' in text


def test_markup_in_a_memory_is_text() -> None:
    stream = io.StringIO()

    Console(file=stream).print(cell("[red]not red[/red] :smile:"))

    assert stream.getvalue() == "[red]not red[/red] :smile:\n"


@pytest.mark.parametrize(
    ("pieces", "written"),
    [
        ([], ""),
        (["Well"], "Well\n"),
        (["Well", ".\n"], "Well.\n"),
        (["Well\n", "", "so"], "Well\nso\n"),
    ],
)
def test_a_line_is_ended_only_where_one_was_begun(
    capsys: pytest.CaptureFixture[str], pieces: list[str], written: str
) -> None:
    terminal = Terminal(Common())

    for piece in pieces:
        terminal.say(piece)
    terminal.said()
    terminal.said()

    assert capsys.readouterr().out == written
