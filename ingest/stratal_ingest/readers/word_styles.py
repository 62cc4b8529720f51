"""What a Word file says elsewhere about its paragraphs: heading levels and the numbers of lists."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from stratal_ingest.readers.package import Package
from stratal_ingest.readers.xml_tree import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY_LEVEL = 9  # outline level of what is no heading
_DEEPEST = 12  # styles a style may be based on, one on the other
_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def value(element: Element | None, path: str) -> str:
    """The `w:val` of the element at `path` below `element`; empty without one."""
    found = None if element is None else element.find(path)
    return "" if found is None else found.get(f"{W}val", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What a paragraph style brings along."""

    level: int | None = None  # of a heading, from 1; 0 is the document's title
    numbering: tuple[str, str] = ("", "")  # list id and level in it


def styles(package: Package, main: str) -> dict[str, Style]:
    """The paragraph styles by their id, each with what it inherits."""
    root = next(package.related(main, "styles"), None)
    found = {} if root is None else {s.get(f"{W}styleId", ""): s for s in root.iter(f"{W}style")}
    return {id: _style(id, found) for id in found}


def _style(id: str, all: Mapping[str, Element]) -> Style:
    level: int | None = None
    numbering = ("", "")
    for _ in range(_DEEPEST):
        element = all.get(id)
        if element is None:
            break
        level = _level(element) if level is None else level
        if not numbering[0]:
            numbering = list_of(element)
        id = value(element, f"{W}basedOn")
    return Style(level=None if level == -1 else level, numbering=numbering)


def _level(style: Element) -> int | None:
    """The level a style itself gives; -1 where it says that it is no heading."""
    name = value(style, f"{W}name").lower()
    if name == "title":
        return 0
    if name.startswith("heading ") and name[8:].isdigit():
        return int(name[8:])
    if name.startswith("toc "):
        return -1
    return outline_level(style)


def outline_level(element: Element) -> int | None:
    """The heading level a style or paragraph sets by hand; -1 for body text."""
    found = value(element, f"{W}pPr/{W}outlineLvl")
    if not found.isdigit():
        return None
    return -1 if int(found) >= _BODY_LEVEL else int(found) + 1


def list_of(element: Element) -> tuple[str, str]:
    """The list a style or paragraph is in, and the level of it; `0` takes it out of all."""
    path = f"{W}pPr/{W}numPr/{W}"
    return value(element, f"{path}numId"), value(element, f"{path}ilvl")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    format: str = "bullet"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class _List:
    levels: Mapping[int, _Level]
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts the items of the lists as Word does when it shows them."""

    def __init__(self, package: Package, main: str) -> None:
        self._lists: dict[str, _List] = {}
        root = next(package.related(main, "numbering"), None)
        if root is None:
            return
        shared = {
            abstract.get(f"{W}abstractNumId", ""): _List(_levels(abstract))
            for abstract in root.iter(f"{W}abstractNum")
        }
        for instance in root.iter(f"{W}num"):
            common = shared.get(value(instance, f"{W}abstractNumId"), _List({}))
            own = instance.find(f"{W}lvlOverride") is not None
            # Lists of one kind count on, unless one begins anew by itself.
            listed = _List({**common.levels, **_overrides(instance, common)}) if own else common
            self._lists[instance.get(f"{W}numId", "")] = listed

    def label(self, id: str, level: int) -> str:
        """What stands before the next item: `2.1`, `b)`, `-` for a bullet, or nothing."""
        listed = self._lists.get(id, _List({}))
        shape = listed.levels.get(level, _Level())
        if shape.format in {"bullet", "none"}:
            return "-" if shape.format == "bullet" else ""
        counts = listed.counts
        counts[level] = counts.get(level, shape.start - 1) + 1
        for deeper in [place for place in counts if place > level]:
            del counts[deeper]

        def number(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            at = listed.levels.get(place, _Level())
            return _written(counts.get(place, at.start), at.format)

        return _PLACEHOLDER.sub(number, shape.text).strip()


def _levels(abstract: Element) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for level in abstract.iter(f"{W}lvl"):
        start = value(level, f"{W}start")
        found[_place(level)] = _Level(
            format=value(level, f"{W}numFmt") or "decimal",
            text=value(level, f"{W}lvlText"),
            start=int(start) if start.isdigit() else 1,
        )
    return found


def _overrides(instance: Element, common: _List) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for override in instance.iter(f"{W}lvlOverride"):
        found |= _levels(override)
        start, place = value(override, f"{W}startOverride"), _place(override)
        shape = found.get(place) or common.levels.get(place)
        if start.isdigit() and shape is not None:
            found[place] = _Level(format=shape.format, text=shape.text, start=int(start))
    return found


def _place(element: Element) -> int:
    place = element.get(f"{W}ilvl", "0")
    return int(place) if place.isdigit() else 0


def _written(number: int, format: str) -> str:
    return _FORMATS.get(format, str)(number)


def _roman(number: int) -> str:
    letters = ""
    for size, letter in _ROMAN:
        while number >= size and len(letters) < 20:
            letters, number = letters + letter, number - size
    return letters


def _letter(number: int) -> str:
    """Letters a to z, then aa, bb."""
    return chr(97 + (number - 1) % 26) * min((number - 1) // 26 + 1, 20) if number > 0 else ""


_FORMATS: Mapping[str, Callable[[int], str]] = {
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "lowerLetter": _letter,
    "upperLetter": lambda number: _letter(number).upper(),
    "decimalZero": lambda number: f"{number:02}",
}
