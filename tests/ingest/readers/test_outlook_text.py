import struct

import pytest

from stratal_ingest.errors import CorruptDocument, LimitExceeded
from stratal_ingest.readers.outlook_text import unpacked_rtf

# The two examples of [MS-OXRTFCP], section 4.
SIMPLE = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
    "0af32068656c090020627705b06c647d0a800fa0"
)
REPEATED = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")


@pytest.mark.parametrize(
    ("packed", "plain"),
    [
        (SIMPLE, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"),
        (REPEATED, b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"),
    ],
)
def test_the_examples_of_the_specification(packed: bytes, plain: bytes) -> None:
    assert unpacked_rtf(packed) == plain


@pytest.mark.parametrize(
    ("packed", "error"),
    [
        (SIMPLE[:10], CorruptDocument),
        (SIMPLE[:8] + b"XXXX" + SIMPLE[12:], CorruptDocument),
        (struct.pack("<IIII", 9, 2**31, 0x75465A4C, 0), LimitExceeded),
    ],
)
def test_what_is_not_packed_so_is_refused(packed: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        unpacked_rtf(packed)


def test_what_is_cut_off_is_unpacked_as_far_as_it_goes() -> None:
    assert unpacked_rtf(SIMPLE[:40]).startswith(b"{\\rtf1\\ansi")
