"""RTF as Outlook packs it ([MS-OXRTFCP])."""

import struct

from stratal_ingest.errors import CorruptDocument, LimitExceeded

_HEADER = struct.Struct("<IIII")  # packed size, size, magic, checksum
_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_MAX = 50_000_000  # bytes it may unpack to
_START = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def unpacked_rtf(data: bytes) -> bytes:
    """The RTF in a `PidTagRtfCompressed` property.

    Raises `CorruptDocument` for another magic number, `LimitExceeded` for more than 50 MB.
    """
    if len(data) < _HEADER.size:
        raise CorruptDocument("its packed RTF is cut off")
    _, size, magic, _ = _HEADER.unpack_from(data)
    if size > _MAX:
        raise LimitExceeded(f"its RTF has {size:,} bytes, {_MAX:,} are allowed")
    body = data[_HEADER.size :]
    if magic == _PLAIN:
        return body[:size]
    if magic != _PACKED:
        raise CorruptDocument("its RTF is packed in an unknown way")
    return _unpacked(body, size)


def _unpacked(body: bytes, size: int) -> bytes:
    window = bytearray(_START.ljust(_WINDOW, b"\0"))
    write, at = len(_START), 0
    out = bytearray()
    while at < len(body) and len(out) < size:
        control = body[at]
        at += 1
        for bit in range(8):
            if control >> bit & 1:
                pair = body[at : at + 2]
                at += 2
                run = _run(window, pair, write)
                if run is None:
                    return bytes(out)
            else:
                run = body[at : at + 1]
                at += 1
            for byte in run:
                window[write % _WINDOW] = byte
                write += 1
            out += run
    return bytes(out[:size])


def _run(window: bytearray, pair: bytes, write: int) -> bytes | None:
    """The bytes a reference repeats; None for the one that ends the text."""
    offset, length = int.from_bytes(pair, "big") >> 4, (int.from_bytes(pair, "big") & 15) + 2
    if len(pair) < 2 or offset == write % _WINDOW:
        return None
    # A reference may reach into what it writes itself.
    source = [window[(offset + place) % _WINDOW] for place in range(length)]
    ahead = (write - offset) % _WINDOW
    return bytes(source[place % ahead] for place in range(length))
