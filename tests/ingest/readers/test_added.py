from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal_ingest.readers.added import added
from stratal_ingest.readers.registry import read

MODULE = """
from stratal_ingest.document import Block, ReadDocument

class LoudReader:
    formats = ("loud",)
    libraries = ()

    def read(self, data, name):
        return ReadDocument(format="loud", blocks=(Block(text=data.decode().upper()),))
"""


@pytest.fixture(autouse=True)
def _looked_up_afresh() -> Iterator[None]:
    added.cache_clear()
    yield
    added.cache_clear()


def test_a_reader_of_another_package_reads_its_suffix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud_reader.py").write_text(MODULE)
    told = tmp_path / "loud-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[stratal.readers]\nloud = loud_reader:LoudReader\n")
    monkeypatch.syspath_prepend(tmp_path)

    document = read(b"hello", "a.LOUD")

    assert (document.format, document.text) == ("loud", "HELLO")
    assert read(b"hello", "a.txt").text == "hello"
