"""The rows of the report."""

from collections.abc import Callable, Iterator, Sequence

from stratal_ingest.errors import reason
from stratal_ingest.family import INSIDE, Member
from stratal_ingest.report import FileRow, FileStatus, RowError
from stratal_memory.errors import StratalError
from stratal_memory.records import Document, Unread


def unchanged_row(document: Document, shown: str, *, within: str = "") -> FileRow:
    """A document that is what it was."""
    return of_document(document, shown, FileStatus.UNCHANGED, within=within)


def of_document(document: Document, shown: str, status: FileStatus, *, within: str = "") -> FileRow:
    """A stored document whose text was not looked at."""
    return FileRow(
        id=document.id,
        path=shown,
        status=status,
        format=document.format,
        title=document.title,
        pages=document.pages,
        characters=document.characters,
        chunks=document.chunks,
        within=within,
    )


def of_member(
    member: Member, *, id: str, status: FileStatus, seconds: float, count: Callable[[str], int]
) -> FileRow:
    """A document that was read."""
    new = member.new
    return FileRow(
        id=id,
        path=member.shown,
        status=status,
        format=new.format,
        title=new.title,
        pages=new.pages,
        characters=new.characters,
        chunks=len(member.passages),
        tokens=sum(count(passage.text) for passage in member.passages),
        seconds=seconds,
        within=_outer(member.shown) if new.within else "",
    )


def _outer(shown: str) -> str:
    return shown.rpartition(INSIDE)[0]


def refused_row(shown: str, error: StratalError, *, seconds: float = 0.0) -> FileRow:
    """A file that could not be read."""
    return FileRow(
        id="",
        path=shown,
        status=FileStatus.REFUSED,
        seconds=seconds,
        error=RowError(type=type(error).__name__, message=reason(str(error), error.hint)),
    )


def unread_rows(unread: Sequence[Unread], shown: str) -> Iterator[FileRow]:
    """The files inside a document that could not be read."""
    for one in unread:
        yield FileRow(
            id="",
            path=f"{shown}{INSIDE}{one.name}",
            status=FileStatus.REFUSED,
            error=RowError(type=one.type, message=one.message),
            within=shown,
        )


def tree_rows(
    document: Document,
    shown: str,
    status: FileStatus,
    inside: Callable[[Document], Sequence[Document]],
) -> Iterator[FileRow]:
    """A stored document and those in it, whose text was not looked at."""
    yield of_document(document, shown, status, within=_outer(shown) if document.parent else "")
    yield from unread_rows(document.refused, shown)
    for inner in inside(document):
        name = inner.path.removeprefix(f"{document.path}{INSIDE}")
        yield from tree_rows(inner, f"{shown}{INSIDE}{name}", status, inside)
