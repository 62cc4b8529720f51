"""`stratal memory`: add, search, list, show and explain memories."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.agent import Agent
from stratal.cli import shapes
from stratal.cli.arguments import FORMS, LISTED, Id, Into, Limit, OfKind, Words
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.terminal import Terminal, brief, cell, lines, table
from stratal_memory.recall.candidates import Candidate, Verdict
from stratal_memory.recall.recall import SEARCHABLE
from stratal_memory.records import Memory, ScopeKind
from stratal_memory.truth import events

app = typer.Typer(help="Add, search, list and explain memories.", add_completion=False)


@app.command()
def add(ctx: typer.Context, text: Words, scope: Into = ScopeKind.USER) -> None:
    """Remember one statement as it is."""
    common = common_of(ctx)
    with opened(common) as agent:
        done = agent.facts.add(text, scope=scope)
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
def list_(ctx: typer.Context, kind: OfKind = None, limit: Limit = 50) -> None:
    """What is remembered, newest first; passages and raw messages only with --kind."""
    common = common_of(ctx)
    with opened(common) as agent:
        found = agent.facts.known(forms=FORMS[kind] if kind else LISTED, limit=limit)
    Terminal(common).show(memories(found), memories_view)


@app.command()
def show(ctx: typer.Context, id: Id) -> None:
    """Every version of one memory, oldest first."""
    common = common_of(ctx)
    with opened(common) as agent:
        versions = agent.facts.show(id)
    Terminal(common).show(memories(versions), _versions)


@app.command()
def why(ctx: typer.Context, id: Id) -> None:
    """Why a memory is what it is: who said it, and what happened to it since."""
    common = common_of(ctx)
    with opened(common) as agent:
        story = story_of(agent, id)
    Terminal(common).show(story, story_view)


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


def story_of(agent: Agent, name: str) -> shapes.Story:
    """The versions of a memory and its events; `NotFound` when it is not within reach."""
    versions = agent.facts.show(name)
    with agent.store.read() as connection:
        happened = events.of_key(connection, versions[0].key, user=agent.store.user)
    return shapes.Story(versions=memories(versions).memories, events=tuple(happened))


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
    return made


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
    return made


def _versions(found: shapes.MemoryList) -> RenderableType:
    made = table("version", "memory", "status", "true from", "until", "id", right=("version",))
    for memory in found.memories:
        made.add_row(
            cell(memory.version),
            cell(memory.text),
            cell(memory.status.value),
            cell(memory.valid_from.date()),
            cell(memory.valid_to.date() if memory.valid_to else ""),
            cell(memory.id, "dim"),
        )
    last = found.memories[-1]
    return lines(
        made,
        cell(
            f"{last.kind} in {last.scope}, trust {last.trust}, confidence {last.confidence:.2f} "
            f"from {last.support} statements, {last.source}",
            "dim",
        ),
        *(cell(f"“{seen.quote}” ({seen.ref})", "dim") for seen in last.evidence if seen.quote),
    )


def story_view(story: shapes.Story) -> RenderableType:
    """The versions, then what happened, oldest first."""
    made = table("when", "what", "why", "memory")
    for event in story.events:
        made.add_row(
            cell(f"{event.at:%Y-%m-%d %H:%M}"),
            cell(event.kind),
            cell(event.reason),
            cell(event.memory, "dim"),
        )
    return lines(_versions(shapes.MemoryList(memories=story.versions)), cell(""), made)
