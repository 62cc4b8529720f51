"""`stratal memory`: add, search, list, show and explain memories."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli import (
    memory_editing,
    memory_erase,
    memory_lint,
    memory_moving,
    memory_review,
    memory_versions,
)
from stratal.cli.arguments import (
    LISTED,
    AsOf,
    Into,
    KnownAt,
    Limit,
    OfKind,
    Words,
    forms_of,
    moment,
)
from stratal.cli.arguments import text as as_text
from stratal.cli.blocks import Fitting, block, lasted, marks, memory_block, style_of
from stratal.cli.opening import opened, opened_store, settings_of
from stratal.cli.options import common_of
from stratal.cli.scoring_view import gate_line, told
from stratal.cli.shapes.memories import Hit, Hits, MemoryList, MemoryShape, Remembered
from stratal.cli.terminal import Terminal, brief, cell, lines, table
from stratal_memory.facets import ItemType
from stratal_memory.recall import recall
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.recall import SEARCHABLE
from stratal_memory.recall.threshold import Gate, gate_of
from stratal_memory.records import Form, Memory, ScopeKind, Status

app = typer.Typer(help="Add, search, list and explain memories.", add_completion=False)
app.command(name="export")(memory_moving.export)
app.command(name="import")(memory_moving.import_)
app.command(name="erase")(memory_erase.command)
app.command(name="lint")(memory_lint.command)


@app.command()
def add(
    ctx: typer.Context,
    text: Words,
    scope: Into = ScopeKind.USER,
    facet: Annotated[
        str,
        typer.Option(
            metavar="NAME", parser=as_text, help="What it is about: decision, stack, habit, ..."
        ),
    ] = "",
) -> None:
    """Remember one statement as it is."""
    common = common_of(ctx)
    with opened(common) as agent:
        done = agent.facts.add(text, scope=scope, facet=facet)
    Terminal(common).show(Remembered.of(done), _remembered)


@app.command()
def search(
    ctx: typer.Context,
    text: Words,
    kind: OfKind = None,
    limit: Limit = 10,
    gate: Annotated[
        bool, typer.Option("--gate/--no-gate", help="Leave out what is not relevant enough.")
    ] = True,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of scores.")] = False,
    as_of: AsOf = None,
) -> None:
    """Find memories, best first."""
    common = common_of(ctx)
    forms = forms_of(kind) if kind else SEARCHABLE
    settings = settings_of(common)
    how = settings.recall.for_recall(settings.context)
    with opened_store(common, settings) as store:
        found = recall.search(
            store,
            text,
            settings=how,
            forms=forms,
            limit=limit,
            gate=gate,
            as_of=None if as_of is None else moment(as_of),
        )
        shape = hits(found, gate_of(store, how))
    Terminal(common).show(shape, _explained if explain or not gate else hits_view)


@app.command(name="list")
def list_(
    ctx: typer.Context,
    kind: OfKind = None,
    limit: Limit = 50,
    type_: Annotated[
        ItemType | None, typer.Option("--type", help="Only facts of this type.")
    ] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """What is remembered, newest first; passages and raw messages only with --kind."""
    common = common_of(ctx)
    forms = forms_of(kind) if kind else LISTED
    if type_ is not None:
        forms = (Form.FACT,)
    most = limit if type_ is None else None
    with opened(common) as agent:
        if as_of is None and known_at is None:
            found = agent.facts.known(forms=forms, limit=most)
        elif as_of is not None:
            found = agent.versions.as_of(moment(as_of), forms=forms, limit=most)
        else:
            found = agent.versions.held(moment(known_at or ""), forms=forms)
        kept = [one for one in found if type_ in (None, one.item)][:limit]
        shown = memories([agent.store.gate.dated(one) for one in kept])
    Terminal(common).show(shown, memories_view)


app.command()(memory_versions.show)
app.command()(memory_versions.history)
app.command()(memory_versions.why)
app.command()(memory_versions.diff)
app.command()(memory_versions.undo)
app.command()(memory_editing.edit)
app.command()(memory_editing.pin)
app.command()(memory_editing.unpin)
app.command()(memory_editing.forget)
app.command()(memory_editing.promote)
app.command(name="review")(memory_review.command)


def hits(found: Sequence[Candidate], gate: Gate) -> Hits:
    """Candidates as their shape."""
    return Hits(hits=tuple(_hit(candidate, gate) for candidate in found))


def _hit(candidate: Candidate, gate: Gate) -> Hit:
    memory = candidate.memory
    return Hit(
        id=memory.id,
        kind=memory.kind,
        form=memory.form,
        text=memory.text,
        scope=str(memory.scope),
        score=candidate.score,
        parts=candidate.parts,
        factors=candidate.factors,
        signals=candidate.signals,
        gate=gate,
        verdict=candidate.verdict,
        reason=candidate.reason,
        source=memory.source,
        trust=memory.trust,
        status=memory.status,
        pinned=memory.pinned,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )


def memories(found: Sequence[Memory]) -> MemoryList:
    """Memories as their shape."""
    return MemoryList(memories=tuple(MemoryShape.of(memory) for memory in found))


def _remembered(done: Remembered) -> RenderableType:
    return lines(
        cell(f"{done.action}: {done.memory.text}", "green"),
        cell(f"{done.memory.id} in {done.memory.scope}; {done.reason}", "dim"),
    )


def hits_view(found: Hits) -> RenderableType:
    """A table of what was found."""
    if not found.hits:
        return cell("nothing relevant is remembered (--no-gate shows what was cut)", "dim")
    made = table("score", "memory", "source", "id", right=("score",))
    for hit in found.hits:
        made.add_row(
            cell(f"{hit.score:.2f}"),
            cell(_marked(hit), style_of(hit)),
            cell(hit.source, "dim"),
            cell(hit.id, "dim"),
        )
    narrow = (
        block(_marked(hit), hit.id, f"{hit.score:.2f}", hit.source, style=style_of(hit))
        for hit in found.hits
    )
    return Fitting(made, lines(*narrow))


def _marked(one: Hit | MemoryShape) -> str:
    """The text, and what is special about it: its dates where it is contested or over."""
    mark = marks(one)
    dated = f"{mark}, {lasted(one)}" if one.status is not Status.ACTIVE else mark
    return f"{brief(one.text)} ({dated})" if mark else brief(one.text)


def _explained(found: Hits) -> RenderableType:
    if not found.hits:
        return cell("no memory shares a word or a meaning with that", "dim")
    shown = (
        block(
            f"{hit.score:.2f} {_marked(hit)}",
            f"{hit.reason}, {hit.scope}",
            hit.id,
            hit.source,
            *told(hit.parts, hit.factors, hit.signals),
            style="" if hit.verdict is Verdict.IN else "dim",
            sign=hit.verdict.value,
        )
        for hit in found.hits
    )
    return lines(*shown, cell(gate_line(found.hits[0].gate), "dim"))


def memories_view(found: MemoryList) -> RenderableType:
    """A table of current memories."""
    if not found.memories:
        return cell("nothing is remembered yet", "dim")
    made = table("since", "kind", "memory", "conf", "from", "id", right=("conf",))
    for memory in found.memories:
        made.add_row(
            cell(memory.valid_from.date()),
            cell(memory.form.value, "dim"),
            cell(_marked(memory), style_of(memory)),
            cell(f"{memory.confidence:.2f}"),
            cell(memory.source, "dim"),
            cell(memory.id, "dim"),
        )
    return Fitting(made, lines(*(memory_block(memory) for memory in found.memories)))
