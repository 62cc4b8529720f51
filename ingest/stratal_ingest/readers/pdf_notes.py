"""What stands on a PDF page outside of its text: what forms were filled with, and remarks."""

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pypdfium2

_MAX = 2_000  # annotations of one page that are looked at
_LINK, _POPUP, _WIDGET = 2, 16, 20  # FPDF_ANNOT_LINK, _POPUP, _WIDGET
_OFF = frozenset({"", "Off"})


def notes(page: "pypdfium2.PdfPage") -> Iterator[str]:
    """The text of remarks, and `name: value` of form fields, in the order of the page."""
    import pypdfium2.raw as raw

    count = min(raw.FPDFPage_GetAnnotCount(page), _MAX)
    if not count:
        return
    seen: set[str] = set()
    for number in range(count):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        try:
            text = _text(annotation)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
        if text and text not in seen:
            seen.add(text)
            yield text


def _text(annotation: ctypes.c_void_p) -> str:
    import pypdfium2.raw as raw

    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind in {_LINK, _POPUP}:
        return ""
    if kind != _WIDGET:
        return _value(annotation, "Contents")
    value = _value(annotation, "V")
    name = _value(annotation, "TU") or _value(annotation, "T")
    return "" if value in _OFF else f"{name}: {value}" if name else value


def _value(annotation: ctypes.c_void_p, key: str) -> str:
    import pypdfium2.raw as raw

    name = key.encode("ascii")
    size = raw.FPDFAnnot_GetStringValue(annotation, name, None, 0)  # bytes of UTF-16 with a NUL
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    wide = ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR))
    raw.FPDFAnnot_GetStringValue(annotation, name, wide, size)
    return " ".join(buffer.raw.decode("utf-16-le", "replace").rstrip("\0").split())
