from pathlib import Path

import pytest

from stratal_ingest.addressed import is_address
from stratal_ingest.errors import UrlRefused
from stratal_ingest.sources import Origin, find


@pytest.mark.parametrize("path", ["http://user:pw@example.org/a", "HTTPS://pw@example.org/a"])
def test_credentials_in_an_address_are_refused_and_not_kept(path: str) -> None:
    (source,) = find([path]).sources

    assert isinstance(source.problem, UrlRefused)
    assert "pw" not in repr(source)


@pytest.mark.parametrize("path", ["file:///etc/passwd", "ftp://me:pw@example.org/a.txt"])
def test_only_http_and_https_are_fetched(path: str) -> None:
    found = find([path])

    assert found.sources[0].origin is Origin.WEB
    assert "http and https" in str(found.sources[0].problem)
    assert found.roots == ()
    assert "pw@" not in repr(found)


def test_a_disk_of_windows_is_no_address(tmp_path: Path) -> None:
    assert not is_address(r"C:\notes.md")
    assert not is_address(str(tmp_path))
