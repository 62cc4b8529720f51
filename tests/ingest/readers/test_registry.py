import pytest

from stratal_ingest.errors import EmptyDocument
from stratal_ingest.readers.formats import format_of
from stratal_ingest.readers.registry import BY_FORMAT, READERS, read


def test_every_format_has_one_reader() -> None:
    assert len(BY_FORMAT) == sum(len(reader.formats) for reader in READERS)


@pytest.mark.parametrize("suffix", ["txt", "md", "html", "csv", "json", "jsonl", "rst", "py", "go"])
def test_every_text_format_that_can_be_chosen_has_a_reader(suffix: str) -> None:
    assert format_of(b"text", f"a.{suffix}") in BY_FORMAT


@pytest.mark.parametrize(
    ("data", "name"),
    [(b"", "a.pdf"), (b" \r\n\t ", "a.txt"), (b"<html><script>x</script>", "a.html")],
)
def test_a_document_without_text_is_refused(data: bytes, name: str) -> None:
    with pytest.raises(EmptyDocument):
        read(data, name)
