from email.message import Message

import pytest

from stratal_ingest.fetched import fetched, name_of


def headers(content_type: str) -> Message:
    message = Message()
    message["Content-Type"] = content_type
    return message


@pytest.mark.parametrize(
    ("url", "media_type", "name"),
    [
        ("https://example.org/", "text/html", "example.org.html"),
        ("https://example.org/report.pdf?x=1", "application/pdf", "report.pdf"),
        ("https://example.org/get.php", "application/pdf", "get.php.pdf"),
        ("https://example.org/page.htm", "text/html", "page.htm"),
        ("https://example.org/notes.md", "text/plain", "notes.md"),
        ("https://example.org/a%2F..%2Fb%00.md", "", "a..b.md"),
    ],
)
def test_the_name_tells_the_format(url: str, media_type: str, name: str) -> None:
    assert name_of(url, media_type) == name


def test_a_charset_only_the_header_knew_is_kept() -> None:
    found = fetched("Привет".encode("cp1251"), headers("text/html; charset=windows-1251"), "u")

    assert found.data == "Привет".encode("utf-8-sig")
    assert found.media_type == "text/html"


@pytest.mark.parametrize("charset", ["nonsense", "utf-8", "rot13", ""])
def test_a_charset_that_helps_nobody_changes_nothing(charset: str) -> None:
    data = b"caf\xe9"

    assert fetched(data, headers(f"text/html; charset={charset}"), "u").data == data
