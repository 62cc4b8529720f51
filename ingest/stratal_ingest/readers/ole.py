"""The streams of an OLE file, the wrapping of Office documents before 2007."""

import io
from collections.abc import Mapping

from stratal_ingest.errors import CorruptDocument

_DAMAGED = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError)
_PROPERTIES = "\x05SummaryInformation"
_PAGE, _TITLE = 1, 2  # numbers of properties
_PAGES = {
    **{65001: "utf-8", 932: "cp932", 936: "gb18030", 949: "cp949", 950: "cp950"},
    **{page: f"cp{page}" for page in range(1250, 1259)},
    **{10000: "mac_roman", -535: "utf-8"},
}


def streams_of(data: bytes, *names: str) -> Mapping[str, bytes]:
    """Those of the streams `names` at its root that `data` has.

    Raises `CorruptDocument` where its directory can't be read.
    """
    import olefile

    found: dict[str, bytes] = {}
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as wrapping:
            for name in names:
                if wrapping.exists(name):
                    found[name] = wrapping.openstream(name).read()
    except _DAMAGED as error:
        raise CorruptDocument(f"it is not a readable OLE file: {error}") from error
    return found


def ole_title(data: bytes) -> str:
    """The title its properties name; empty where they can't be read."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as wrapping:
            named = wrapping.exists(_PROPERTIES)
            properties = wrapping.getproperties(_PROPERTIES) if named else {}
    except _DAMAGED:
        return ""
    found, page = properties.get(_TITLE), properties.get(_PAGE)
    if isinstance(found, bytes):
        encoding = _PAGES.get(page, "cp1252") if isinstance(page, int) else "cp1252"
        return found.decode(encoding, "replace").strip("\0 ")
    return found.strip("\0 ") if isinstance(found, str) else ""
