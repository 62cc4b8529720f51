import os
from pathlib import Path

import pytest

from stratal_ingest.contents import content
from stratal_ingest.errors import LimitExceeded, UnreadableFile


def test_a_device_is_no_file() -> None:
    with pytest.raises(UnreadableFile):
        content("/dev/zero", limit=10)


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("four")

    with pytest.raises(LimitExceeded, match="4 bytes, 3 are allowed"):
        content(str(tmp_path / "a.txt"), limit=3)


def test_a_file_that_is_written_while_it_is_read_is_read_once_more_and_then_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("first")
    writes = ["second one", "third one, longer"]
    plain = os.fdopen

    def written(fd: int, mode: str) -> object:
        file = plain(fd, mode)
        if writes:
            # The size is asked for before, as the reader does, and grows behind its back.
            grown, fstat = writes.pop(0), os.fstat

            def then_write(fd: int) -> os.stat_result:
                status = fstat(fd)
                monkeypatch.setattr(os, "fstat", fstat)
                path.write_text(grown)
                return status

            monkeypatch.setattr(os, "fstat", then_write)
        return file

    monkeypatch.setattr(os, "fdopen", written)
    with pytest.raises(UnreadableFile, match="written while"):
        content(str(path), limit=99)
    writes.append("the last one")
    assert content(str(path), limit=99) == b"the last one"
