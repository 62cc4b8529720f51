import io

import pytest

from stratal_ingest.document import Block, BlockKind, Enclosed, ReadDocument, Refusal
from stratal_ingest.wire import Answer, decode, encode, receive, send

INSIDE = ReadDocument(format="text", blocks=(Block(text="a\ud800"),))
DOCUMENT = ReadDocument(
    format="eml",
    blocks=(Block(text="t", kind=BlockKind.TABLE, heading=("a", "b"), page=3),),
    title="title",
    pages=3,
    enclosed=(
        Enclosed(name="read", size=9, document=INSIDE),
        Enclosed(name="not", refusal=Refusal(type="CorruptDocument", message="m", hint="h")),
    ),
)


@pytest.mark.parametrize(
    "answer",
    [Answer(document=DOCUMENT), Answer(refusal=Refusal(type="EmptyDocument", message="none"))],
)
def test_an_answer_comes_back_as_it_was(answer: Answer) -> None:
    assert repr(decode(encode(answer))) == repr(answer).replace("\\ud800", "?")


def test_bytes_of_a_file_inside_are_not_sent() -> None:
    inside = Enclosed(name="a", data=b"secret")
    answer = Answer(document=ReadDocument(format="zip", blocks=(), enclosed=(inside,)))

    assert b"secret" not in encode(answer)


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b'{"document": 1, "refusal": null}'])
def test_what_is_no_answer_is_an_error(payload: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        decode(payload)


def test_a_frame_that_is_too_long_or_cut_off_is_an_error() -> None:
    stream = io.BytesIO()
    send(stream, b"12345")

    with pytest.raises(ValueError, match="5 bytes"):
        receive(io.BytesIO(stream.getvalue()), limit=4)
    with pytest.raises(EOFError):
        receive(io.BytesIO(stream.getvalue()[:-1]), limit=9)
