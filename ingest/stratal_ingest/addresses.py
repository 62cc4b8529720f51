"""Which addresses of the internet may be fetched from: those everybody can reach, no other."""

import ipaddress
import re
from collections.abc import Sequence

from stratal_ingest.errors import UrlRefused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# IANA's special-purpose registries; ipaddress.is_global differs from release to release.
_CLOSED_4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
            *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
            "168.63.129.16/32",  # public in form; inside Azure it answers to every machine
        ),
    )
)
_OPEN_6 = ipaddress.IPv6Network("2000::/3")  # all that was ever given out for use by everybody
_CLOSED_6 = tuple(
    map(
        ipaddress.IPv6Network,
        # Protocols with Teredo in them, documentation twice, 6to4.
        ("2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16"),
    )
)
_ISATAP = 0x5EFE  # the two bytes before an IPv4 address in an interface's identifier
_LOCAL_NAMES = frozenset(
    {"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home"}
    | {"lan", "arpa", "onion", "test", "example", "invalid", "alt"}
)
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMERIC = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)")


def checked_host(host: str) -> str:
    """`host` in lower-case ASCII, an address in its usual form; no name is looked up.

    Raises `UrlRefused` for names of this machine or its network, for addresses that are not
    public, and for those written as no program should (`127.1`, `0x7f.0.0.1`, `2130706433`).

    >>> checked_host("EXAMPLE.org.")
    'example.org'
    """
    if ":" in host:
        return str(checked_address(host))
    name = _ascii(host)
    labels = name.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        return str(checked_address(name))
    if len(labels) < 2 or labels[-1] in _LOCAL_NAMES:
        raise UrlRefused(f"{name!r} is a name of this machine or its network")
    return name


def _ascii(host: str) -> str:
    try:
        name = host.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:
        raise UrlRefused("its host is no name") from error
    if not _HOST.fullmatch(name) or len(name) > 253:
        raise UrlRefused("its host is no name")
    return name


def checked_address(text: str) -> Address:
    """The address `text` stands for; raises `UrlRefused` where it is none or not public."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError as error:
        raise UrlRefused(f"{text[:60]!r} is no address as it is usually written") from error
    if not is_public(address):
        raise UrlRefused(f"{address} is no public address")
    return address


def checked_addresses(found: Sequence[str]) -> list[str]:
    """All addresses of one name; one that is not public refuses them all."""
    return [str(checked_address(text.partition("%")[0])) for text in found]


def is_public(address: Address) -> bool:
    """Whether the whole internet can reach `address`, and it is no tunnel into another network.

    >>> is_public(ipaddress.ip_address("::ffff:8.8.8.8"))
    False
    """
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    if address.scope_id is not None or address not in _OPEN_6:
        return False
    isatap = int(address) >> 32 & 0xFFFF == _ISATAP
    return not isatap and not any(address in network for network in _CLOSED_6)
