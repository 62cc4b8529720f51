"""Addresses among the paths of a run, told by their looks; credentials in them are not kept."""

import re

from stratal_ingest.errors import UrlRefused

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{1,20}):/{2}")  # one letter is a disk of Windows
_FETCHED = frozenset({"http", "https"})
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*@")


def is_address(path: str) -> bool:
    """Whether `path` begins as an address does, of whatever scheme."""
    return _SCHEME.match(path) is not None


def without_credentials(address: str) -> str:
    """`address` as it may be kept and shown.

    >>> without_credentials("http://user:pw@example.org/a@b")
    'http://example.org/a@b'
    """
    return _CREDENTIALS.sub("", address, count=1)


def refusal(address: str) -> UrlRefused | None:
    """Why this address is never asked for; None where `fetch` decides."""
    scheme = _SCHEME.match(address)
    if scheme is not None and scheme[1].lower() not in _FETCHED:
        return UrlRefused(
            f"{scheme[1]!r} is no scheme that is fetched, only http and https are",
            hint="Name a file of this computer by its path.",
        )
    if without_credentials(address) != address:
        return UrlRefused("it holds credentials", hint="Leave out what stands before the @.")
    return None
