import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.addresses import checked_address, checked_addresses, checked_host
from stratal_ingest.errors import UrlRefused

# Each of them reaches, or may reach, this machine or the network behind it.
CLOSED = (
    *("127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255"),
    *("192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192"),
    *("198.18.0.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "168.63.129.16"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "fec0::1"),
    *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "::ffff:0:127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::", "2002:808:808::1"),
    *("2001:0:53aa:64c::1", "2001:db8::1", "2001:2::1", "2001:10::1", "3fff::1", "5f00::1"),
    *("100::1", "2a00:1450::5efe:7f00:1", "2a00:1450::200:5efe:a00:1"),
)
# As numbers, octal, hexadecimal, short, wide, circled, with dots of other scripts.
WRITTEN = (
    *("2130706433", "0x7f000001", "017700000001", "127.1", "127.0.1", "0x7f.0.0.1", "0177.0.0.1"),
    *(
        "127.0.0.01",
        "0",
        "0x",
        "1.1.1.0x1",
        "１２７.０.０.１",
        "127。0。0。1",
        "①②⑦.⓪.⓪.①",
        "8.8.8.8.8",
    ),
    *("localhost", "LOCALHOST", "localhost.", "a.localhost", "ｌｏｃａｌｈｏｓｔ", "printer.local"),
    *("metadata.google.internal", "router", "nas.lan", "wiki.corp", "a.home.arpa", "x.onion"),
    *(
        "",
        ".",
        "a..b",
        "-a.org",
        "exa mple.org",
        "a%2eorg",
        "example.org:80",
        "a_\x00.org",
        "ex@m.org",
    ),
    "a" * 64 + ".org",
    "a." * 127 + "org",
)


@pytest.mark.parametrize("address", CLOSED)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:  # covers X2
    with pytest.raises(UrlRefused):
        checked_address(address)


@pytest.mark.parametrize("host", [*CLOSED, *WRITTEN])
def test_a_host_that_is_not_public_is_refused_however_it_is_written(host: str) -> None:
    with pytest.raises(UrlRefused):
        checked_host(host)


@pytest.mark.parametrize(
    ("host", "checked"),
    [
        ("example.org", "example.org"),
        ("EXAMPLE.org.", "example.org"),
        ("bücher.example.com", "xn--bcher-kva.example.com"),
        ("8.8.8.8", "8.8.8.8"),
        ("2606:4700:4700::1111", "2606:4700:4700::1111"),
        ("172.15.0.1", "172.15.0.1"),
        ("localhost.example.com", "localhost.example.com"),
    ],
)
def test_a_public_host_is_taken(host: str, checked: str) -> None:
    assert checked_host(host) == checked


def test_one_closed_address_refuses_the_whole_name() -> None:
    with pytest.raises(UrlRefused, match=r"10\.0\.0\.1"):
        checked_addresses(["8.8.8.8", "10.0.0.1"])


@given(st.text(max_size=40))
def test_whatever_is_taken_for_a_host_is_plain_ascii(host: str) -> None:
    try:
        checked = checked_host(host)
    except UrlRefused:
        return

    assert checked.isascii()
    assert checked == checked_host(checked)
