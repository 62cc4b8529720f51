"""A ledger as a picture: the usage bar by section, then tables of sections and candidates."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from stratal.cli.blocks import block
from stratal.cli.scoring_view import told
from stratal.cli.terminal import brief, cell, lines, table
from stratal.context.ledger import Considered, Ledger
from stratal.context.usage import COLOURS, COMPRESS, FREE, RESERVED, WIDTH, Band, bar, marks, scale
from stratal.providers.provider import Usage
from stratal_memory.recall.candidates import Verdict
from stratal_memory.records import Role

BAND_STYLES = {"orange": "dark_orange"}  # the terminal's name where it is not the word itself
# One a section, so that the bar can be read; in the order sections usually stand in.
SECTION_STYLES = {
    "tools": "bright_black",
    "overhead": "bright_red",
    "system": "blue",
    "profile": "cyan",
    "summary": "bright_cyan",
    "history": "green",
    "procedure": "magenta",
    "memories": "yellow",
    "knowledge": "bright_blue",
    "episodes": "bright_magenta",
    "now": "white",
    "message": "bright_green",
    "tail": "bright_yellow",
    "compress": "bold red",
    "reserve": "bright_black",
    "free": "bright_black",
}
LONGEST_BAR = 100  # characters
SHARE_WIDTH = 30  # characters for all that was used
NUMBERS_WIDTH = 44  # characters the other columns of the sections take
WIDE = 100  # characters from which the parts of a score have columns of their own
BESIDE = 20  # characters the other columns of a candidate take where it is narrow
OUT_SHOWN = 8  # candidates that are out, the best of them


@dataclass(frozen=True, slots=True)
class Fitted:
    """What `draw` makes of the width there is, in characters."""

    draw: Callable[[int], RenderableType]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterable[RenderableType]:
        """Drawn when it is known where."""
        yield self.draw(options.max_width)


def ledger_view(
    ledger: Ledger,
    *,
    messages: bool = False,
    every: bool = False,
    explain: bool = False,
    usage: Usage | None = None,
) -> Group:
    """Bar, numbers, sections, candidates and what was left out, for any width from 40 on.

    With `messages` the text of the request too; with `every` all candidates that are out; with
    `explain` how each score came about; with `usage` what share of the input came from the
    provider's cache.
    """
    parts: list[RenderableType] = [
        _head(ledger),
        Fitted(lambda width: _picture(ledger, width=width)),
        Text(),
        _numbers(ledger, usage),
        Text(),
        Fitted(lambda width: _sections(ledger, width=width)),
        Text(),
        Fitted(lambda width: _candidates(ledger, every=every, explain=explain, width=width)),
    ]
    parts += [
        cell(f"left out: {one.what}, {one.tokens:,} tokens ({one.reason})", "dim")
        for one in ledger.left_out
    ]
    if messages:
        parts += _messages(ledger)
    return Group(*parts)


def usage_bar(ledger: Ledger, *, width: int = WIDTH) -> Text:
    """The window as one line: a colour a section, then what is free, then the answer's reserve."""
    drawn = Text("[", style="dim")
    for piece in bar(
        _granted(ledger),
        reserve=ledger.reserve,
        window=ledger.window,
        width=width,
        compress_at=ledger.compress_at,
    ):
        drawn.append(piece.text, style=SECTION_STYLES.get(piece.name, "white"))
    return drawn.append("]", style="dim")


def _granted(ledger: Ledger) -> list[tuple[str, int]]:
    return [(section.name, section.granted) for section in ledger.sections]


def _head(ledger: Ledger) -> Text:
    share = 100 * ledger.used / max(ledger.window, 1)
    how = "counted" if ledger.exact else "estimated"
    margin = f", {ledger.margin:,} for miscounting" if ledger.margin else ""
    return Text.assemble(
        (f"{ledger.used:,} of {ledger.window:,} tokens ({share:.1f} %) ", "bold"),
        (ledger.band.value, f"bold {_band_style(ledger.band)}"),
        (f"; {ledger.reserve:,} kept for the answer{margin}; {how} by {ledger.counter}", "dim"),
    )


def _band_style(band: Band) -> str:
    colour = COLOURS[band]
    return BAND_STYLES.get(colour, colour)


def _picture(ledger: Ledger, *, width: int) -> RenderableType:
    """The bar, the bands below it, and what each piece of it is."""
    inner = max(1, min(width - 2, LONGEST_BAR))
    bands = Text(" ")
    for one, text in scale(inner):
        bands.append(text, style=_band_style(one))
    return lines(usage_bar(ledger, width=inner), bands, _legend(ledger, width=width))


def _legend(ledger: Ledger, *, width: int) -> Text:
    """The characters of the bar, as many a line as there is room for."""
    tokens = dict(_granted(ledger))
    free = max(0, ledger.window - ledger.used - ledger.reserve)
    shown = [(name, mark, tokens[name]) for name, mark in marks(_granted(ledger))]
    shown += [("free", FREE, free), ("reserve", RESERVED, ledger.reserve)]
    if ledger.compress_at:
        shown.append(("compress", COMPRESS, ledger.compress_at))
    legend, column = Text(), 0
    for name, mark, count in shown:
        said = f" {name}{' at' if name == 'compress' else ''} {count:,}"
        size = len(mark) + len(said)
        if column:
            legend.append("\n" if column + 2 + size > width else "  ")
            column = 0 if column + 2 + size > width else column + 2
        legend.append(mark, style=SECTION_STYLES.get(name, "white")).append(said)
        column += size
    return legend


def _numbers(ledger: Ledger, usage: Usage | None) -> RenderableType:
    """Picoclaw's numbers: messages, history, the two thresholds, progress, what remains (Ps12)."""
    spoken = sum(one.role not in (Role.SYSTEM, Role.CONTEXT) for one in ledger.messages)
    history = sum(one.granted for one in ledger.sections if one.name == "history")
    rows = [("messages", f"{spoken:,}"), ("history", f"{history:,} tokens")]
    for name, at in (("compress at", ledger.compress_at), ("summarize at", ledger.summarize_at)):
        if at:
            left = max(0, at - ledger.used)
            rows.append((name, f"{at:,} tokens: {100 * ledger.used / at:.0f} %, {left:,} remain"))
    if usage and usage.input:
        share = 100 * usage.cache_read / usage.input
        rows.append(("cached", f"{share:.0f} % of {usage.input:,} tokens"))
    made = table("", "")
    made.show_header = False
    for name, said in rows:
        made.add_row(cell(name, "dim"), cell(said))
    return made


def _sections(ledger: Ledger, *, width: int) -> RenderableType:
    room = min(SHARE_WIDTH, width - NUMBERS_WIDTH)
    columns = ("section", "asked", "granted", "cap", *(("share",) if room > 0 else ()))
    made = table(*columns, right=("asked", "granted", "cap"))
    for section in ledger.sections:
        if section.asked:
            style = SECTION_STYLES.get(section.name, "")
            row = [
                cell(section.name, style),
                cell(f"{section.asked:,}"),
                cell(f"{section.granted:,}", "" if section.granted == section.asked else "yellow"),
                cell("" if section.cap is None else f"{section.cap:,}", "dim"),
                cell("█" * round(max(room, 0) * section.granted / max(ledger.used, 1)), style),
            ]
            made.add_row(*row[: len(columns)])
    return made


def _candidates(ledger: Ledger, *, every: bool, explain: bool, width: int) -> RenderableType:
    if not ledger.candidates:
        return cell("no memory was considered", "dim")
    kept = [one for one in ledger.candidates if one.verdict is Verdict.IN]
    out = [one for one in ledger.candidates if one.verdict is Verdict.OUT]
    shown = out if every else out[:OUT_SHOWN]
    more = len(out) - len(shown)
    rest = cell(f"and {more} more that are out", "dim") if more else None
    if explain:
        return lines(*(_explained(one) for one in (*kept, *shown)), rest)
    parts = ("sim", "conf", "scope") if width >= WIDE else ()
    numbers = ("score", *parts, "tokens")
    made = table("", *numbers, "memory, and why", right=numbers)
    for one in (*kept, *shown):
        made.add_row(*_candidate(one, width=width))
    return lines(made, rest)


def _explained(one: Considered) -> RenderableType:
    """A candidate with all that its score and its verdict rest on."""
    return block(
        f"{one.score:.2f} {brief(one.text)}",
        f"{one.reason}, {one.tokens:,} tokens",
        one.memory,
        one.source,
        *told(one.parts, one.factors, one.signals),
        style="" if one.verdict is Verdict.IN else "dim",
        sign=one.verdict.value,
    )


def _candidate(one: Considered, *, width: int) -> Iterator[Text]:
    wide = width >= WIDE
    taken = one.verdict is Verdict.IN
    rest = "" if taken else "dim"
    parts = (one.parts.similarity, one.parts.confidence, one.parts.scope)
    yield cell(one.verdict.value, "green" if taken else "red")
    for number in (one.score, *(parts if wide else ())):
        yield cell(f"{number:.2f}", rest)
    yield cell(f"{one.tokens:,}", rest)
    why = f"{one.reason} ({one.source})"
    if wide:
        both = Text("\n", no_wrap=True, overflow="ellipsis")  # two lines, however narrow
        yield both.join((cell(brief(one.text), rest), cell(why, "dim")))
    else:
        scored = "sim {:.2f}, conf {:.2f}, scope {:.2f}; ".format(*parts)
        text = brief(one.text, longest=2 * max(20, width - BESIDE) - 8)  # two lines
        yield Text("\n").join((cell(text, rest), cell(scored + why, "dim")))


def _messages(ledger: Ledger) -> Iterator[Text]:
    for line in ledger.messages:
        yield Text()
        yield cell(f"{line.role.value}, {line.tokens:,} tokens", "bold")
        yield cell(
            line.text or ", ".join(f"{call.name} {call.arguments}" for call in line.tool_calls)
        )
