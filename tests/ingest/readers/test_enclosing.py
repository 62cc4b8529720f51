from collections.abc import Sequence

import pytest

from stratal_ingest.document import Block, Enclosed, ReadDocument
from stratal_ingest.errors import CorruptDocument
from stratal_ingest.limits import Limits
from stratal_ingest.readers.enclosing import Budget, InThisProcess, Opening


def numbers(data: bytes, name: str, within: Sequence[str]) -> ReadDocument:
    """A format of one line: `2 3` encloses a file of each number; a number alone is its text."""
    words = data.split()
    if data == b"bad":
        raise CorruptDocument("bad")
    inner = (
        tuple(Enclosed(name=f"{n}", data=word) for n, word in enumerate(words))
        if b" " in data
        else ()
    )
    return ReadDocument(format="numbers", blocks=(Block(text=data.decode()),), enclosed=inner)


def opened(data: bytes, limits: Limits, read=numbers) -> ReadDocument:  # type: ignore[no-untyped-def]
    opening = Opening(read=read, limits=limits, apart=InThisProcess(limits))
    return opening.whole(data, "a", within=(), budget=Budget.of(limits))


def ends(document: ReadDocument) -> list[str]:
    return [
        file.refusal.type if file.refusal else file.document.text if file.document else ""
        for file in document.enclosed
    ]


def test_one_bad_file_inside_loses_none_of_the_others() -> None:
    assert ends(opened(b"1 bad 3", Limits())) == ["1", "CorruptDocument", "3"]


def test_files_beyond_the_number_allowed_are_one_refusal() -> None:
    document = opened(b"1 2 3 4", Limits(archive_entries=2))

    assert ends(document) == ["1", "2", "LimitExceeded"]
    assert document.enclosed[-1].name == "2 more files"


def test_bytes_are_counted_over_all_files() -> None:
    assert ends(opened(b"11 22 33", Limits(archive_bytes=4))) == ["11", "22", "LimitExceeded"]


def test_the_bytes_are_dropped_and_their_number_kept() -> None:
    file = opened(b"11 22", Limits()).enclosed[0]

    assert (file.data, file.size) == (b"", 2)


def test_time_that_is_over_refuses_what_is_left() -> None:
    assert ends(opened(b"1 2", Limits(seconds=0))) == ["LimitExceeded", "LimitExceeded"]


@pytest.mark.parametrize("nested", [1, 3])
def test_documents_lie_in_each_other_only_so_deep(nested: int) -> None:
    def again(data: bytes, name: str, within: Sequence[str]) -> ReadDocument:
        inner = (Enclosed(name="same", data=data),)
        return ReadDocument(format="loop", blocks=(Block(text="x"),), enclosed=inner)

    document = opened(b"x", Limits(nested=nested), again)
    depth = 0
    while document.enclosed[0].document:
        document = document.enclosed[0].document
        depth += 1

    assert depth == nested
    assert ends(document) == ["LimitExceeded"]
