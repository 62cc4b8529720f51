"""`stratal documents`: what was understood of the files that were ingested."""

from typing import Annotated

import typer

from stratal.agent import Agent
from stratal.cli.arguments import Id, Into
from stratal.cli.documents_view import chunks_view, list_view, removed_view, summary_view
from stratal.cli.ingest_bar import ingest_bar
from stratal.cli.ingest_view import ingested_view
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.knowledge import (
    DocumentList,
    DocumentRemoved,
    DocumentShape,
    DocumentShown,
    Ingested,
    PassageShape,
)
from stratal.cli.terminal import Terminal
from stratal_ingest.options import Options
from stratal_memory.records import Document, ScopeKind
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.rejoining import rejoined

app = typer.Typer(help="What was understood of documents.", add_completion=False)


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The documents within reach, by path."""
    common = common_of(ctx)
    with opened(common) as agent:
        found = tuple(DocumentShape.of(document) for document in agent.documents().live())
    Terminal(common).show(DocumentList(documents=found), list_view)


@app.command()
def show(
    ctx: typer.Context,
    id: Id,
    text: Annotated[
        bool, typer.Option("--text", help="All its text, and that of the files in it.")
    ] = False,
    chunks: Annotated[bool, typer.Option("--chunks", help="A row a chunk.")] = False,
) -> None:
    """One document: what was understood of it, and what it is related to."""
    common = common_of(ctx)
    with opened(common) as agent:
        shape = _shown(agent, id, text=text)
    terminal = Terminal(common)
    if text and not common.json:
        terminal.say(shape.text)
        terminal.said()
        return
    terminal.show(shape, chunks_view if chunks else summary_view)


def _shown(agent: Agent, id: str, *, text: bool) -> DocumentShown:
    documents = agent.documents()
    document = documents.get(id)
    outer = documents.get(document.parent) if document.parent else None
    return DocumentShown(
        document=DocumentShape.of(document),
        within=DocumentShape.of(outer) if outer else None,
        inside=tuple(map(DocumentShape.of, documents.inside(document))),
        copies=tuple(map(DocumentShape.of, documents.copies(document))),
        passages=tuple(
            PassageShape(
                id=memory.id,
                text=memory.text,
                source=memory.source,
                page=place.page,
                heading=place.heading,
                evidence=memory.evidence,
            )
            for place, memory in documents.placed(document)
        ),
        text=_text(documents, document) if text else "",
    )


def _text(documents: Documents, document: Document) -> str:
    """The text of a document, and under their paths that of those in it."""
    parts = [rejoined(documents.placed(document))]
    for inner in documents.inside(document):
        parts += [f"=== {inner.path}", _text(documents, inner)]
    return "\n\n".join(filter(None, parts))


@app.command()
def remove(ctx: typer.Context, id: Id) -> None:
    """Take a document out of recall; its history stays, and undo brings it back."""
    common = common_of(ctx)
    with opened(common) as agent:
        documents = agent.documents().in_act()
        document = documents.get(id)
        documents.retire(document, reason="removed by hand")
    shape = DocumentRemoved(removed=DocumentShape.of(document), undo=documents.run)
    Terminal(common).show(shape, removed_view)


@app.command()
def reindex(ctx: typer.Context, scope: Into = ScopeKind.USER) -> None:
    """Read, cut and embed the documents of a scope anew, from the files that are still there.

    Exit code 3 when some files could not be read any more; their documents stay as they are.
    """
    common = common_of(ctx)
    terminal = Terminal(common)
    with opened(common) as agent, ingest_bar(terminal) as tell:
        report = agent.ingesting(scope, tell).again(Options())
    terminal.show(Ingested.of(report), ingested_view)
    raise typer.Exit(report.exit_code if report.files else 0)
