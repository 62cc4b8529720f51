"""A picture of memory growing over a year, as SVG text."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, EDGE = 760, 420, 56
COLOURS = ("#999999", "#2a7f62", "#1f5fa8", "#c0542d", "#d9a441")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The counts of one evening."""

    day: int
    messages: int
    distinct: int  # facts told so far
    current: int  # of them, those that hold
    active: int  # memories of facts


def picture(slept: Sequence[Point], awake: Sequence[Point]) -> str:
    """Active memories with and without nights, beside facts and messages over the days."""
    if not slept:
        return '<svg xmlns="http://www.w3.org/2000/svg"/>'
    most = max(max(one.distinct, one.active) for one in (*slept, *awake))
    talk = max(one.messages for one in slept)
    series = [
        (f"messages (of {talk:,}, to scale)", [one.messages * most / talk for one in slept]),
        ("distinct facts told", [float(one.distinct) for one in slept]),
        ("facts that hold", [float(one.current) for one in slept]),
        ("active memories, with nights", [float(one.active) for one in slept]),
        ("active memories, without", [float(one.active) for one in awake]),
    ]
    days = [one.day for one in slept]
    parts = [_axes(days[-1], most)]
    for place, (name, counts) in enumerate(series):
        parts.append(_line(days, counts, most=most, colour=COLOURS[place]))
        parts.append(_label(name, place))
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    )
    return "\n".join((head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>\n"))


def _line(days: Sequence[int], counts: Sequence[float], *, most: int, colour: str) -> str:
    wide, high = WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE
    points = " ".join(
        f"{EDGE + wide * day / days[-1]:.1f},{HEIGHT - EDGE - high * count / most:.1f}"
        for day, count in zip(days, counts, strict=False)
    )
    return f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>'


def _label(name: str, place: int) -> str:
    y = EDGE - 30 + 16 * place
    mark = f'<rect x="{EDGE + 12}" y="{y - 8}" width="14" height="4" fill="{COLOURS[place]}"/>'
    return f'{mark}<text x="{EDGE + 32}" y="{y - 2}">{name}</text>'


def _axes(days: int, most: int) -> str:
    bottom, right = HEIGHT - EDGE, WIDTH - EDGE
    lines = (
        f'<path d="M{EDGE} {EDGE - 40} V{bottom} H{right}" fill="none" stroke="black"/>',
        f'<text x="{right}" y="{bottom + 18}" text-anchor="end">day {days}</text>',
        f'<text x="{EDGE - 6}" y="{EDGE + 4}" text-anchor="end">{most}</text>',
        f'<text x="{EDGE - 6}" y="{bottom}" text-anchor="end">0</text>',
    )
    return "".join(lines)
