"""`stratal documents`: what was understood of the files that were ingested."""

from typing import Annotated

import typer
from rich.console import RenderableType

from stratal.cli.arguments import Id
from stratal.cli.opening import opened
from stratal.cli.options import common_of
from stratal.cli.shapes.knowledge import (
    DocumentList,
    DocumentRemoved,
    DocumentShape,
    DocumentShown,
    PassageShape,
)
from stratal.cli.terminal import Terminal, cell, lines, table

app = typer.Typer(help="What was understood of documents.", add_completion=False)


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """The documents within reach, by path."""
    common = common_of(ctx)
    with opened(common) as agent:
        found = tuple(DocumentShape.of(document) for document in agent.documents().live())
    Terminal(common).show(DocumentList(documents=found), _documents)


@app.command()
def show(
    ctx: typer.Context,
    id: Id,
    text: Annotated[bool, typer.Option("--text", help="The text of the chunks.")] = False,
    chunks: Annotated[bool, typer.Option("--chunks", help="A row a chunk.")] = False,
) -> None:
    """One document and what it was cut into."""
    common = common_of(ctx)
    with opened(common) as agent:
        documents = agent.documents()
        document = documents.get(id)
        passages = documents.passages(document)
    shape = DocumentShown(
        document=DocumentShape.of(document),
        passages=tuple(PassageShape.of(passage) for passage in passages),
    )
    view = _text if text else _chunks if chunks else _summary
    Terminal(common).show(shape, view)


@app.command()
def remove(ctx: typer.Context, id: Id) -> None:
    """Take a document out of recall; its history stays."""
    common = common_of(ctx)
    with opened(common) as agent:
        documents = agent.documents()
        document = documents.get(id)
        documents.retire(document, reason="removed by hand")
    shape = DocumentRemoved(removed=DocumentShape.of(document))
    Terminal(common).show(shape, lambda done: cell(f"removed {done.removed.path}", "green"))


def _documents(found: DocumentList) -> RenderableType:
    if not found.documents:
        return cell("no documents yet: stratal ingest PATH", "dim")
    numbers = ("pages", "chunks")
    made = table("title", "format", *numbers, "scope", "id", right=numbers)
    for document in found.documents:
        made.add_row(
            cell(document.title),
            cell(document.format, "dim"),
            cell(document.pages or ""),
            cell(document.chunks),
            cell(document.scope, "dim"),
            cell(document.id, "dim"),
        )
    return made


def _summary(shown: DocumentShown) -> RenderableType:
    document = shown.document
    pages = f", {document.pages} pages" if document.pages else ""
    return lines(
        cell(document.title, "bold"),
        cell(document.path),
        cell(
            f"{document.format}{pages}, {document.characters:,} characters in "
            f"{document.chunks} chunks; {document.scope}, trust {document.trust}, "
            f"added {document.added:%Y-%m-%d %H:%M}"
        ),
        cell("--text and --chunks show what it says.", "dim"),
    )


def _chunks(shown: DocumentShown) -> RenderableType:
    made = table("place", "begins", "id")
    for passage in shown.passages:
        begins = " ".join(passage.text.split())[:70]
        made.add_row(cell(passage.source), cell(begins), cell(passage.id, "dim"))
    return made


def _text(shown: DocumentShown) -> RenderableType:
    parts = [
        part
        for passage in shown.passages
        for part in (cell(passage.source, "bold"), cell(f"{passage.text}\n"))
    ]
    return lines(*parts)
