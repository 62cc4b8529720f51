import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from stratal.cli.ledger_view import SECTION_STYLES, ledger_view, usage_bar
from stratal.cli.request_view import request_view
from stratal.cli.shapes.talk import Replayed
from stratal.context.accounts import SECTIONS
from stratal.context.ledger import Ledger, LeftOut, Section
from stratal.context.usage import Band
from stratal.providers.provider import Usage
from tests.platform.context.ledgers import a_ledger, talked


def full() -> Ledger:
    """A window of 1,000 with 600 used, compressed at 800."""
    granted = {"tools": 100, "system": 50, "history": 400, "memories": 40, "message": 10}
    return replace(
        talked(6),
        window=1_000,
        used=600,
        reserve=100,
        band=Band.GOOD,
        compress_at=800,
        summarize_at=700,
        sections=tuple(
            Section(name=name, asked=granted.get(name, 0), granted=granted.get(name, 0))
            for name in SECTIONS
        ),
        left_out=(LeftOut(what="history: 2 oldest messages", tokens=90, reason="no room"),),
    )


def drawn(ledger: Ledger, *, width: int, colour: bool = False, usage: Usage | None = None) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=colour, color_system="256" if colour else None
    )
    console.print(ledger_view(ledger, usage=usage))
    return stream.getvalue()


def test_the_window_is_told_in_numbers() -> None:  # covers Ps12, C20
    view = drawn(full(), width=80, usage=Usage(input=41_200, cache_read=33_800))

    words = " ".join(view.split())
    assert "600 of 1,000 tokens (60.0 %) GOOD" in words
    assert "messages 13" in words  # six turns of two, and the message
    assert "history 400 tokens" in words
    assert "compress at 800 tokens: 75 %, 200 remain" in words
    assert "summarize at 700 tokens: 86 %, 100 remain" in words
    assert "cached 82 % of 41,200 tokens" in words
    assert "left out: history: 2 oldest messages, 90 tokens (no room)" in words


def test_what_nobody_knows_is_not_told() -> None:
    view = drawn(a_ledger(), width=80, usage=Usage())

    assert "cached" not in view
    assert "compress at" not in view
    assert "summarize at" not in view


@pytest.mark.parametrize("width", [40, 60, 80, 130])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:  # covers C20
    view = drawn(full(), width=width, usage=Usage(input=1_000, cache_read=10))

    assert max(cell_len(line) for line in view.splitlines()) <= width
    assert all(f" {name} " in view for name in ("tools", "system", "history", "memories"))


@pytest.mark.parametrize("width", [40, 60])
def test_a_remembered_text_has_room_where_it_is_narrow(width: int) -> None:
    view = drawn(full(), width=width)

    longest = max(view.splitlines(), key=lambda line: line.count("remembered"))
    assert longest.count("remembered") >= (width - 20) // len("remembered 19 ")
    assert "sim 0." in view


def test_the_bar_marks_where_history_is_compressed() -> None:  # covers Ps12, C20
    bar = usage_bar(full(), width=20)

    assert bar.plain == "[██▓▒▒▒▒▒▒▒▒█····│·--]"


def test_every_section_has_a_colour_of_its_own_in_the_bar() -> None:
    assert set(SECTIONS) <= SECTION_STYLES.keys()


def test_the_bands_are_coloured_under_the_bar() -> None:  # covers C20, C21
    view = drawn(full(), width=82, colour=True)

    scale = next(line for line in view.splitlines() if "PEAK" in line and "POOR" in line)
    green, yellow, orange, red = (
        "\x1b[32mPEAK",
        "\x1b[33mGOOD",
        "\x1b[38;5;208mDEGR",
        "\x1b[31mPOOR",
    )
    assert [scale.index(one) for one in (green, yellow, orange, red)] == sorted(
        scale.index(one) for one in (green, yellow, orange, red)
    )


def test_without_a_terminal_nothing_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in drawn(full(), width=80)

    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()
    Console(file=stream, width=80, force_terminal=True).print(ledger_view(full()))
    assert "\x1b[3" not in stream.getvalue()


def test_an_empty_window_is_drawn_too() -> None:
    view = drawn(replace(a_ledger(), window=0, used=0, reserve=0), width=60)

    assert "0 of 0 tokens" in view


def test_a_replayed_request_is_shown_as_the_provider_gets_it() -> None:
    ledger = talked(1)
    request = ledger.replay()
    stream = io.StringIO()

    shape = Replayed(digest=ledger.request_digest, verified=True, request=request)
    Console(file=stream, width=200).print(request_view(shape))

    said = stream.getvalue()
    assert ledger.request_digest in said
    roles = ["tool look", "system", "user", "assistant", "context", "user"]
    assert [line for line in said.splitlines() if line in roles] == roles
    assert "cached up to here" in said
    assert "answer 0" in said
