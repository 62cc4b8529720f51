import pytest

from stratal_ingest.errors import CorruptDocument
from stratal_ingest.readers.registry import read


def test_every_value_has_its_path() -> None:
    document = read(b'{"user": {"name": "alice", "tags": ["a", true]}, "n": null}', "a.json")

    assert document.text == "user.name: alice\nuser.tags[0]: a\nuser.tags[1]: true\nn: null"


def test_items_of_a_list_and_lines_of_ndjson_are_blocks() -> None:
    listed = read(b'[{"a": 1}, {"a": 2}]', "a.json")
    lines = read(b'{"a": 1}\n{"a": 2}\n', "a.jsonl")

    assert [block.text for block in listed.blocks] == ["a: 1", "a: 2"]
    assert listed.blocks == lines.blocks
    assert (listed.format, lines.format) == ("json", "ndjson")


@pytest.mark.parametrize("data", [b'{"a": ', b'{"a": 1}\n{"b"\n', b"[" * 200_000])
def test_what_is_no_json_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptDocument):
        read(data, "a.json")


def test_series_of_numbers_share_a_line_and_empty_values_are_kept() -> None:
    document = read(b'{"at": [1.5, 2], "none": [], "text": "\xc3\xa9", "one": [7]}', "a.json")

    assert document.text == "at: [1.5, 2]\nnone: []\ntext: é\none[0]: 7"
