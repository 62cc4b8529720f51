"""A ledger as a picture: the usage bar by section, then tables of sections and candidates."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stratal.cli.terminal import brief, cell, lines, table
from stratal.context.ledger import Considered, Ledger
from stratal.context.usage import COLOURS, bar
from stratal_memory.recall.candidates import Verdict

BAND_STYLES = {"orange": "dark_orange"}  # the terminal's name where it is not the word itself
# One a section, so that the bar can be read; in the order sections usually stand in.
SECTION_STYLES = {
    "tools": "bright_black",
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
    "reserve": "bright_black",
    "free": "bright_black",
}
SHARE_WIDTH = 30  # characters for all that was used

OUT_SHOWN = 8  # candidates that are out, the best of them


def ledger_view(ledger: Ledger, *, messages: bool = False, every: bool = False) -> Group:
    """Bar, sections, candidates and what was left out.

    With `messages` the text of the request too; with `every` all candidates that are out.
    """
    parts: list[RenderableType] = [_head(ledger), usage_bar(ledger), Text()]
    parts += [_sections(ledger), Text(), _candidates(ledger, every=every)]
    parts += [
        cell(f"left out: {one.what}, {one.tokens:,} tokens ({one.reason})", "dim")
        for one in ledger.left_out
    ]
    if messages:
        parts += _messages(ledger)
    return Group(*parts)


def usage_bar(ledger: Ledger) -> Text:
    """The window as one line: a colour a section, then what is free, then the answer's reserve."""
    granted = [(section.name, section.granted) for section in ledger.sections]
    drawn = Text("[", style="dim")
    for piece in bar(granted, reserve=ledger.reserve, window=ledger.window):
        drawn.append(piece.text, style=SECTION_STYLES.get(piece.name, "white"))
    return drawn.append("]", style="dim")


def _head(ledger: Ledger) -> Text:
    colour = COLOURS[ledger.band]
    share = 100 * ledger.used / ledger.window
    how = "counted" if ledger.exact else "estimated"
    return Text.assemble(
        (f"{ledger.used:,} of {ledger.window:,} tokens ({share:.1f} %) ", "bold"),
        (ledger.band.value, f"bold {BAND_STYLES.get(colour, colour)}"),
        (f", {ledger.reserve:,} kept for the answer; {how} by {ledger.counter}", "dim"),
    )


def _sections(ledger: Ledger) -> Table:
    made = table("section", "asked", "granted", "cap", "share", right=("asked", "granted", "cap"))
    for section in ledger.sections:
        if section.asked:
            style = SECTION_STYLES.get(section.name, "")
            made.add_row(
                cell(section.name, style),
                cell(f"{section.asked:,}"),
                cell(f"{section.granted:,}", "" if section.granted == section.asked else "yellow"),
                cell("" if section.cap is None else f"{section.cap:,}", "dim"),
                cell("█" * round(SHARE_WIDTH * section.granted / max(ledger.used, 1)), style),
            )
    return made


def _candidates(ledger: Ledger, *, every: bool) -> RenderableType:
    if not ledger.candidates:
        return cell("no memory was considered", "dim")
    kept = [one for one in ledger.candidates if one.verdict is Verdict.IN]
    out = [one for one in ledger.candidates if one.verdict is Verdict.OUT]
    shown = out if every else out[:OUT_SHOWN]
    numbers = ("score", "sim", "conf", "scope", "tokens")
    made = table("", *numbers, "memory, and why", right=numbers)
    for one in (*kept, *shown):
        made.add_row(*_candidate(one))
    more = len(out) - len(shown)
    return lines(made, cell(f"and {more} more that are out", "dim") if more else None)


def _candidate(one: Considered) -> Iterator[Text]:
    taken = one.verdict is Verdict.IN
    rest = "" if taken else "dim"
    yield cell(one.verdict.value, "green" if taken else "red")
    for number in (one.score, one.parts.similarity, one.parts.confidence, one.parts.scope):
        yield cell(f"{number:.2f}", rest)
    yield cell(f"{one.tokens:,}", rest)
    why = Text("\n", no_wrap=True, overflow="ellipsis")  # two lines, however narrow
    yield why.join((cell(brief(one.text), rest), cell(f"{one.reason} ({one.source})", "dim")))


def _messages(ledger: Ledger) -> Iterator[Text]:
    for line in ledger.messages:
        yield Text()
        yield cell(f"{line.role.value}, {line.tokens:,} tokens", "bold")
        yield cell(
            line.text or ", ".join(f"{call.name} {call.arguments}" for call in line.tool_calls)
        )
