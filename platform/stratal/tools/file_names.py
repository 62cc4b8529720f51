"""Names of files in a workspace: none that leads elsewhere, or is not what it looks like."""

import re
import unicodedata
from pathlib import Path

from stratal.errors import InputError

DEEPEST = 8  # folders and the file
LONGEST_NAME = 100  # bytes of one part of a path; file systems take 255

_UNFIT = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')  # of these some file system makes something else
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
# Controls, formats (they turn the direction of writing, or have no width), halves of characters,
# ends of lines and of paragraphs.
_UNSEEN_KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Of other kinds, and not seen either: fillers, selectors of variants, an empty pattern of dots.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a path below the workspace; `InputError` for any that could lead elsewhere."""
    plain = unicodedata.normalize("NFC", name.strip())
    if plain.startswith(("/", "\\", "~")) or not plain:
        raise InputError(
            f"{name[:80]!r} is no path inside the workspace", hint="Write it like notes/plan.md."
        )
    parts = tuple(part for part in plain.split("/") if part not in ("", "."))
    if not 0 < len(parts) <= DEEPEST:
        raise InputError(f"{name[:80]!r} has {len(parts)} parts, 1 to {DEEPEST} are allowed")
    for part in parts:
        _check_part(part)
    return parts


def is_fit(name: str) -> bool:
    """Whether a file that lies below the workspace as `name` can be opened by that name."""
    try:
        return "/".join(parts_of(name)) == name
    except InputError:
        return False


def alike(folder: Path, part: str) -> str:
    """Another name in `folder` that some file system takes for `part`; empty where none is."""
    if not folder.is_dir():
        return ""
    names = (path.name for path in folder.iterdir() if path.name != part)
    return next((name for name in names if _folded(name) == _folded(part)), "")


def _check_part(part: str) -> None:
    unseen = next((sign for sign in part if _is_unseen(sign)), "")
    if unseen:
        raise InputError(
            f"{part[:80]!r} has a character that is not seen, U+{ord(unseen):04X}",
            hint="Use letters, digits and signs that show.",
        )
    if _is_unfit(part) or len(part.encode("utf-8")) > LONGEST_NAME:
        raise InputError(
            f"{part[:80]!r} can't be the name of a file or folder here",
            hint='No dot or blank at its ends, none of <>:"|?*\\, at most 100 bytes.',
        )
    seen = unicodedata.normalize("NFKC", part)
    if _is_unfit(seen) or seen.count(".") > part.count("."):
        raise InputError(
            f"{part[:80]!r} is {seen[:80]!r} to some programs",
            hint="Use plain dots, and none of the signs that only look like / or \\.",
        )


def _is_unseen(sign: str) -> bool:
    return unicodedata.category(sign) in _UNSEEN_KINDS or bool(_UNSEEN.fullmatch(sign))


def _is_unfit(part: str) -> bool:
    hidden = part.startswith((".", " ")) or part.endswith((".", " "))
    return hidden or bool(_UNFIT.search(part) or _DEVICE.fullmatch(part))


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())
