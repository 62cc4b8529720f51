"""Documents for people: lists, one document with its outline, its chunks."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from stratal.cli.blocks import block
from stratal.cli.ingest_view import short_path
from stratal.cli.shapes.knowledge import (
    DocumentList,
    DocumentRemoved,
    DocumentShape,
    DocumentShown,
    PassageShape,
)
from stratal.cli.terminal import brief, cell, lines, table

OUTLINE = 40  # headings


def list_view(found: DocumentList) -> RenderableType:
    """A block a document: readable in any width, with ids that can be copied whole."""
    if not found.documents:
        return cell("no documents yet: stratal ingest PATH", "dim")
    return lines(*(_listed(document) for document in found.documents))


def _listed(document: DocumentShape) -> RenderableType:
    return block(
        brief(document.title, longest=70),
        document.id,
        f"{document.format}{_pages(document)}",
        f"{document.chunks:,} chunks",
        document.scope,
        short_path(document.path),
        sign="  " if document.parent else "",
    )


def _pages(document: DocumentShape) -> str:
    return f", {document.pages:,} pages" if document.pages else ""


def summary_view(shown: DocumentShown) -> RenderableType:
    """Title, size, where it came from, its outline and its relatives."""
    document = shown.document
    return lines(
        cell(document.title, "bold"),
        cell(document.path),
        cell(
            f"{document.format}{_pages(document)}, {document.characters:,} characters in "
            f"{document.chunks:,} chunks"
        ),
        cell(
            f"{document.scope}, trust {document.trust}, read {document.added:%Y-%m-%d %H:%M}"
            + (f", found by {short_path(document.root)}" if document.root else ""),
            "dim",
        ),
        *_related("lies in", (shown.within,) if shown.within else ()),
        *_related("holds", shown.inside),
        *(cell(f"could not read {one.name}: {one.message}", "red") for one in document.refused),
        *_related("shares chunks with", shown.copies),
        *_outline(shown.passages),
        cell("--text and --chunks show what it says.", "dim"),
    )


def _related(how: str, documents: Sequence[DocumentShape]) -> Iterator[RenderableType]:
    for document in documents:
        yield cell(f"{how} {short_path(document.path)} ({document.id})")


def _outline(passages: Sequence[PassageShape]) -> Iterator[RenderableType]:
    """The headings as a tree, each with the page it begins on."""
    seen = _headings(passages)
    if not seen:
        return
    yield cell("outline", "bold")
    for path, page in list(seen.items())[:OUTLINE]:
        place = f"  p. {page}" if page else ""
        yield cell(f"{'  ' * len(path)}{brief(path[-1], longest=70)}{place}")
    if len(seen) > OUTLINE:
        yield cell(f"  and {len(seen) - OUTLINE:,} more headings", "dim")


def _headings(passages: Sequence[PassageShape]) -> dict[tuple[str, ...], int]:
    """Every heading path in order, with those above it, and its first page."""
    seen: dict[tuple[str, ...], int] = {}
    for passage in passages:
        for depth in range(1, len(passage.heading) + 1):
            seen.setdefault(passage.heading[:depth], passage.page)
    return seen


def chunks_view(shown: DocumentShown) -> RenderableType:
    """A row a chunk."""
    made = table("place", "begins", "id")
    for passage in shown.passages:
        begins = brief(passage.text, longest=70)
        made.add_row(cell(passage.source), cell(begins), cell(passage.id, "dim"))
    return made


def removed_view(done: DocumentRemoved) -> RenderableType:
    """What was removed, and how to get it back."""
    return lines(
        cell(f"removed {done.removed.path}", "green"),
        cell(f"stratal memory undo {done.undo} brings it back", "dim"),
    )
