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
    shapes,
)
from stratal.cli.arguments import FORMS, LISTED, Into, Limit, OfKind, Words
from stratal.cli.arguments import text as as_text
from stratal.cli.blocks import Fitting, block, memory_block
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.terminal import Terminal, brief, cell, lines, table
from stratal_memory.facets import ItemType
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.recall import SEARCHABLE
from stratal_memory.records import Memory, ScopeKind

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
    Terminal(common).show(shapes.Remembered.of(done), _remembered)


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
) -> None:
    """Find memories, best first."""
    common = common_of(ctx)
    forms = FORMS[kind] if kind else SEARCHABLE
    with opened(common) as agent:
        found = agent.search(text, forms=forms, limit=limit, gate=gate)
    view = _explained if explain or not gate else hits_view
    Terminal(common).show(hits(found), view)


@app.command(name="list")
def list_(
    ctx: typer.Context,
    kind: OfKind = None,
    limit: Limit = 50,
    type_: Annotated[
        ItemType | None, typer.Option("--type", help="Only facts of this type.")
    ] = None,
) -> None:
    """What is remembered, newest first; passages and raw messages only with --kind."""
    common = common_of(ctx)
    with opened(common) as agent:
        if type_ is None:
            found = agent.facts.known(forms=FORMS[kind] if kind else LISTED, limit=limit)
        else:
            found = [one for one in agent.facts.known() if one.item is type_][:limit]
    Terminal(common).show(memories(found), memories_view)


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


def hits(found: Sequence[Candidate]) -> shapes.Hits:
    """Candidates as their shape."""
    return shapes.Hits(hits=tuple(_hit(candidate) for candidate in found))


def _hit(candidate: Candidate) -> shapes.Hit:
    memory = candidate.memory
    return shapes.Hit(
        id=memory.id,
        kind=memory.kind,
        form=memory.form,
        text=memory.text,
        scope=str(memory.scope),
        score=candidate.score,
        parts=candidate.parts,
        factors=candidate.factors,
        signals=candidate.signals,
        verdict=candidate.verdict,
        reason=candidate.reason,
        source=memory.source,
        trust=memory.trust,
        status=memory.status,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )


def memories(found: Sequence[Memory]) -> shapes.MemoryList:
    """Memories as their shape."""
    return shapes.MemoryList(memories=tuple(shapes.MemoryShape.of(memory) for memory in found))


def _remembered(done: shapes.Remembered) -> RenderableType:
    return lines(
        cell(f"{done.action}: {done.memory.text}", "green"),
        cell(f"{done.memory.id} in {done.memory.scope}; {done.reason}", "dim"),
    )


def hits_view(found: shapes.Hits) -> RenderableType:
    """A table of what was found."""
    if not found.hits:
        return cell("nothing relevant is remembered (--no-gate shows what was cut)", "dim")
    made = table("score", "memory", "source", "id", right=("score",))
    for hit in found.hits:
        made.add_row(
            cell(f"{hit.score:.2f}"),
            cell(brief(hit.text)),
            cell(hit.source, "dim"),
            cell(hit.id, "dim"),
        )
    narrow = (block(brief(hit.text), hit.id, f"{hit.score:.2f}", hit.source) for hit in found.hits)
    return Fitting(made, lines(*narrow))


def _explained(found: shapes.Hits) -> RenderableType:
    if not found.hits:
        return cell("no memory shares a word or a meaning with that", "dim")
    numbers = ("score", "sim", "conf", "scope")
    made = table("", *numbers, "memory", "source", "why", right=numbers)
    for hit in found.hits:
        parts = (hit.score, hit.parts.similarity, hit.parts.confidence, hit.parts.scope)
        made.add_row(
            cell(hit.verdict.value, "green" if hit.verdict is Verdict.IN else "red"),
            *(cell(f"{part:.2f}") for part in parts),
            cell(brief(hit.text)),
            cell(hit.source, "dim"),
            cell(hit.reason, "dim"),
        )
    return made


def memories_view(found: shapes.MemoryList) -> RenderableType:
    """A table of current memories."""
    if not found.memories:
        return cell("nothing is remembered yet", "dim")
    made = table("since", "kind", "memory", "conf", "from", "id", right=("conf",))
    for memory in found.memories:
        made.add_row(
            cell(memory.valid_from.date()),
            cell(memory.form.value, "dim"),
            cell(brief(memory.text)),
            cell(f"{memory.confidence:.2f}"),
            cell(memory.source, "dim"),
            cell(memory.id, "dim"),
        )
    return Fitting(made, lines(*(memory_block(memory) for memory in found.memories)))
