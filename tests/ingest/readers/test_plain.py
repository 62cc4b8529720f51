from stratal_ingest.readers.registry import read


def test_paragraphs_are_blocks() -> None:
    document = read(b"one\r\ntwo\r\n\r\n\r\nthree", "a.txt")

    assert [block.text for block in document.blocks] == ["one\ntwo", "three"]
