"""The page says every record and field that an export has."""

from pathlib import Path

from stratal_memory.portability.report import Source
from stratal_memory.portability.rows import CHUNK, EVIDENCE, SPECS

PAGE = Path(__file__).parents[3] / "docs" / "portability.md"


def test_every_record_and_field_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for spec in SPECS:
        section = page.partition(f"### {spec.kind}\n")[2].partition("\n### ")[0]
        names = {column.name for column in spec.columns()} | set(spec.places.values())
        missing = {name for name in names if f"`{name}`" not in section}
        assert not missing, (spec.kind, missing)
    for spec in (EVIDENCE, CHUNK):
        assert all(f"`{column.name}`" in page for column in spec.columns()), spec.kind


def test_every_source_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8").casefold()

    assert [source for source in Source if source.value not in page] == []
