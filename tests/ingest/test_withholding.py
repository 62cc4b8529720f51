from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.chunker import chunk
from stratal_ingest.document import Block, BlockKind, ReadDocument
from stratal_ingest.withholding import without_secrets
from stratal_memory.learning.redaction import find_secrets

TOKEN = "ghp_" + "a1B2" * 9


def document(*texts: str) -> ReadDocument:
    return ReadDocument(format="text", blocks=tuple(Block(text=text) for text in texts))


def test_what_follows_a_secret_stands_where_its_passage_says() -> None:
    kept = without_secrets(document(f"The token is {TOKEN}.", "The zebra stands alone."))

    (passage,) = chunk(kept, count=lambda text: len(text) // 4)

    assert kept.text == "The token is [secret: GitHub token].\n\nThe zebra stands alone."
    assert kept.text[passage.start : passage.end] == passage.text


def test_a_secret_that_ends_in_another_block_leaves_nothing() -> None:
    made = document("a", "-----BEGIN PRIVATE KEY-----\nMIIB", "AAAA", "-----END PRIVATE KEY----- b")

    assert [block.text for block in without_secrets(made).blocks] == [
        "a",
        "[secret: private key]",
        " b",
    ]


def test_a_document_without_secrets_stays_the_same() -> None:
    made = ReadDocument(format="text", blocks=(Block(text="1\t2", kind=BlockKind.TABLE),))

    assert without_secrets(made) is made


@given(st.lists(st.sampled_from([TOKEN, "my password is hunter2,", "word", " "]), max_size=9))
def test_no_secret_is_left(texts: list[str]) -> None:
    assert not find_secrets(without_secrets(document(*texts)).text)
