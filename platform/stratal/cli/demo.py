"""`stratal demo`: the main job on the bundled samples, with nothing but this machine."""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import typer
from pydantic import BaseModel
from rich.console import RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from stratal.cli.consolidate import run_view
from stratal.cli.ingest_view import ingested_view
from stratal.cli.ledger_view import ledger_view
from stratal.cli.opening import settings_of
from stratal.cli.options import Common, common_of
from stratal.cli.shapes.knowledge import Ingested
from stratal.cli.shapes.settling import Run
from stratal.cli.terminal import Terminal, cell, lines
from stratal.demo import ORG, Answered, Began, Counted, Opened, Read, Settled, Step, play
from stratal.demo_script import ALICE
from stratal.errors import InputError
from stratal_ingest.pipeline import Progress
from stratal_memory.learning.gate import Fate
from stratal_memory.truth.database import FILE_NAME

LEXICAL_ONLY = (
    "no embedding model on this machine: words alone are searched (`stratal models pull` gets one)"
)


class Exchange(BaseModel):
    """One message of the demo and what came of it; `failures` is empty when it went as scripted."""

    user: str
    message: str
    reply: str
    shows: str
    learned: tuple[str, ...]
    procedure: str
    failures: tuple[str, ...]


class Demo(BaseModel):
    """What `stratal demo --json` prints."""

    data: str
    embedding: str
    documents: int
    chunks: int
    exchanges: tuple[Exchange, ...]
    profiles: dict[str, str]
    seen_by_the_other: dict[str, int]
    failures: int


def command(ctx: typer.Context) -> None:
    """Ingest, talk, recall, consolidate and explain on bundled samples: no key, no network.

    Exit code 1 when something did not go as the script says.
    """
    common = common_of(ctx)
    if common.data is None:
        common.data = Path(tempfile.mkdtemp(prefix="stratal-demo-"))
    settings = settings_of(common, model="offline:")
    if (settings.data / FILE_NAME).exists():
        raise InputError(
            f"{settings.data} holds data already, and the demo would mix its people into it",
            hint="Give --data a new folder, or leave it out.",
        )
    terminal = Terminal(common)
    told: list[Step] = []
    with terminal.progress("reading documents") as advance:

        def tell(progress: Progress) -> None:
            advance(progress.done, progress.total, Path(progress.path).name)

        steps = play(settings, on_progress=tell)
        told += [next(steps), next(steps)]
    _show_each(terminal, common, told)
    for step in steps:
        told.append(step)
        _show_each(terminal, common, [step])
    summary = _summary(told)
    terminal.show(summary, lambda done: _end(done, str(settings.data)))
    raise typer.Exit(1 if summary.failures else 0)


def _show_each(terminal: Terminal, common: Common, steps: list[Step]) -> None:
    if not common.json:
        for step in steps:
            terminal.console.print(_view(step))


def _view(step: Step) -> RenderableType:
    views: dict[type[Step], Callable[..., RenderableType]] = {
        Opened: _opened,
        Read: _read,
        Began: _began,
        Answered: _answered,
        Settled: _settled,
        Counted: _counted,
    }
    return views[type(step)](step)


def _rule(title: str) -> Rule:
    return Rule(cell(title, "bold"), align="left", style="bright_black")


def _opened(step: Opened) -> RenderableType:
    model = f"embedding by {step.embedding}" if step.embedding else LEXICAL_ONLY
    return lines(
        cell("Stratal, whole on this machine: no key, no server, no network", "bold"),
        cell(f"data in {step.folder}; {model}", "dim"),
        Text(),
    )


def _read(step: Read) -> RenderableType:
    return lines(
        _rule("documents"),
        ingested_view(Ingested.of(step.report)),
        cell(f"alice put them into org:{step.org} and let bob use it", "dim"),
        Text(),
    )


def _began(step: Began) -> RenderableType:
    return _rule(f"{step.session.user}, conversation {step.session.number}, {step.day:%d %B %Y}")


def _answered(step: Answered) -> RenderableType:
    reply = step.reply
    parts: list[RenderableType] = [
        cell(f"› {step.line.text}", "bold cyan"),
        Padding(cell(reply.text), (0, 0, 0, 2), expand=False),
    ]
    if reply.procedure:
        parts.append(cell(f"  procedure matched: {reply.procedure}", "magenta"))
    for decision in reply.learned:
        style = "green" if decision.fate in (Fate.LEARNED, Fate.HELD) else "yellow"
        parts.append(cell(f"  {decision.fate}: {decision.text} ({decision.reason})", style))
    parts += [cell(f"  NOT AS SCRIPTED: {failure}", "bold red") for failure in step.failures]
    if not step.failures:
        parts.append(cell(f"  ✓ {step.line.shows}", "dim"))
    if step.show_ledger:
        parts += [Text(), _rule("the ledger of that answer"), ledger_view(reply.ledger)]
    return lines(*parts, Text())


def _settled(step: Settled) -> RenderableType:
    return lines(
        _rule(f"night: {step.user}'s memory settles"),
        run_view(Run.of(step.report)),
        cell(f"the profile of {step.user} now:", "bold"),
        Padding(cell(step.profile or "(nothing is known)"), (0, 0, 0, 2), expand=False),
        Text(),
    )


def _counted(step: Counted) -> RenderableType:
    told = [
        cell(
            f"{user}: {step.held[user]} facts held; asked for their very words, "
            f"the other user finds {step.seen_by_the_other[user]}",
            "dim" if not step.seen_by_the_other[user] else "bold red",
        )
        for user in step.held
    ]
    return lines(_rule("who sees what"), *told, Text())


def _summary(told: list[Step]) -> Demo:
    opened = next(step for step in told if isinstance(step, Opened))
    read = next(step for step in told if isinstance(step, Read))
    counted = next(step for step in told if isinstance(step, Counted))
    exchanges = tuple(_exchange(told, at) for at, s in enumerate(told) if isinstance(s, Answered))
    leaks = sum(counted.seen_by_the_other.values())
    return Demo(
        data=opened.folder,
        embedding=opened.embedding,
        documents=len(read.report.files),
        chunks=read.report.totals.chunks,
        exchanges=exchanges,
        profiles={step.user: step.profile for step in told if isinstance(step, Settled)},
        seen_by_the_other=counted.seen_by_the_other,
        failures=sum(bool(exchange.failures) for exchange in exchanges) + leaks,
    )


def _exchange(told: list[Step], at: int) -> Exchange:
    step = told[at]
    assert isinstance(step, Answered)
    began = next(s for s in reversed(told[:at]) if isinstance(s, Began))
    return Exchange(
        user=began.session.user,
        message=step.line.text,
        reply=step.reply.text,
        shows=step.line.shows,
        learned=tuple(decision.text for decision in step.reply.learned),
        procedure=step.reply.procedure,
        failures=step.failures,
    )


def _end(done: Demo, folder: str) -> RenderableType:
    asked = len(done.exchanges)
    verdict = (
        cell(f"{asked} messages, all as scripted", "bold green")
        if not done.failures
        else cell(f"{done.failures} of {asked} steps did not go as scripted", "bold red")
    )
    here = f"{_program()} --data {folder} --org {ORG} --user {ALICE}"
    return lines(
        _rule("what now"),
        verdict,
        cell(f"The data lies in {folder}. Try next:"),
        cell(f"  {here} chat"),
        cell(f"  {here} context 'Where do I live?'"),
        cell(f"  {here} memory list"),
    )


def _program() -> str:
    """How the user can call us: by name where it is on the path."""
    return "stratal" if shutil.which("stratal") else sys.argv[0]
