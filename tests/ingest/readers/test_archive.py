import pytest

from stratal_ingest.errors import CorruptDocument, LimitExceeded
from stratal_ingest.limits import Limits
from stratal_ingest.readers.archive import entry_names, refuse_document_types
from tests.ingest.samples import zipped


def test_names_are_only_data() -> None:
    assert entry_names(zipped(**{"../../etc/passwd": b"x"})) == {"../../etc/passwd"}


def test_a_bomb_is_seen_before_it_is_unpacked() -> None:
    with pytest.raises(LimitExceeded, match="times its size"):
        entry_names(zipped(word__document_xml=b"0" * 1_000_000))


def test_the_declared_size_and_the_number_of_entries_are_limited() -> None:
    archive = zipped(a=b"0123456789", b=b"")

    with pytest.raises(LimitExceeded, match="10 bytes, 9 are allowed"):
        entry_names(archive, Limits(archive_bytes=9))
    with pytest.raises(LimitExceeded, match="2 entries, 1 are allowed"):
        entry_names(archive, Limits(archive_entries=1))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_part_with_a_document_type_is_refused(encoding: str) -> None:
    part = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode(encoding)

    with pytest.raises(CorruptDocument, match=r"word/document\.xml"):
        refuse_document_types(zipped(word__document_xml=part))
