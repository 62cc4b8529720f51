"""A URL that may be asked for, as far as the URL itself tells."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from stratal_ingest.addresses import checked_host
from stratal_ingest.errors import UrlRefused

_PORTS = {"http": 80, "https": 443}
_UNFIT = re.compile(r"[\x00-\x20\x7f\\]")  # parsers disagree about URLs with these in them
_MAX_URL = 4_096  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Host, port and request of one URL."""

    secure: bool
    host: str  # lower-case ASCII, or an address
    port: int
    request: str  # path and query
    url: str

    @classmethod
    def of(cls, url: str) -> "Target":
        """The target `url` names; raises `UrlRefused`."""
        if len(url) > _MAX_URL or _UNFIT.search(url):
            raise UrlRefused("it is too long for a URL, or holds characters none may have")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise UrlRefused("it is no URL") from error
        return cls._checked(parts, port)

    @classmethod
    def _checked(cls, parts: SplitResult, port: int | None) -> "Target":
        if parts.scheme not in _PORTS:
            raise UrlRefused(f"{parts.scheme[:20]!r} is no scheme that is fetched: use https")
        if "@" in parts.netloc:
            raise UrlRefused("it holds credentials", hint="Leave out what stands before the @.")
        port = _PORTS[parts.scheme] if port is None else port
        if port not in _PORTS.values():
            raise UrlRefused(f"port {port} is not 80 or 443")
        host = checked_host(parts.hostname or "")
        path, query = _quoted(parts.path or "/"), _quoted(parts.query)
        shown = f"[{host}]" if ":" in host else host
        place = shown if port == _PORTS[parts.scheme] else f"{shown}:{port}"
        return cls(
            secure=parts.scheme == "https",
            host=host,
            port=port,
            request=f"{path}?{query}" if query else path,
            url=urlunsplit((parts.scheme, place, path, query, "")),
        )

    @property
    def place(self) -> str:
        """Host and, where it is not the usual one, port, as a Host header has them."""
        return urlsplit(self.url).netloc

    def redirected(self, location: str) -> "Target":
        """Where a redirect leads; never from https to http."""
        target = Target.of(urljoin(self.url, location.strip().replace(" ", "%20")))
        if self.secure and not target.secure:
            raise UrlRefused("it redirects from https to http")
        return target


def _quoted(text: str) -> str:
    """`text` with what is not ASCII percent-encoded."""
    return "".join(
        letter if letter.isascii() else "".join(f"%{byte:02X}" for byte in letter.encode())
        for letter in text.encode("utf-8", "replace").decode("utf-8")
    )
