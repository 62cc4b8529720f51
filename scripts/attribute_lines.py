"""The lines of `data/attributes`, each with the attribute it tells of or asks for."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parents[1] / "data" / "attributes"
FILLED = 3  # how many values each template is filled with
STRANGE = 0.5  # weight of a template with a value of another attribute: its own words count most
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `attribute` is empty for one that tells or asks nothing of a person."""

    text: str
    attribute: str
    kind: str  # says or asks
    fold: int  # the same for all fillings of one template
    weight: float = 1.0
    frame: str = ""  # the template without its value


def lines() -> list[Line]:
    """Every line, each template filled with some of its values."""
    found = list(_nothing(HERE / "none.txt"))
    blocks = _blocks()
    own = values()
    for place, (name, block) in enumerate(blocks):
        others = [some for other, some in own.items() if other != name]
        strange = [some[place % len(some)] for some in others]
        found += _attribute(name, block, own[name], strange)
    return found


def values() -> dict[str, list[str]]:
    """The values of each attribute, in the order of the files."""
    return {
        name: [one.strip() for one in line.removeprefix("values: ").split(";") if one.strip()]
        for name, block in _blocks()
        for line in block
        if line.startswith("values: ")
    }


def _blocks() -> list[tuple[str, list[str]]]:
    """The lines about each attribute, by its name; some have a second block, without values."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("[a-h].txt"))]
    blocks = [
        one.strip().splitlines() for text in texts for one in text.split("\n\n") if one.strip()
    ]
    return [(one[0].removeprefix("#").partition("|")[0].strip(), one[1:]) for one in blocks]


def _nothing(path: Path) -> Iterator[Line]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        kind, _, text = line.partition(": ")
        if text:
            yield Line(text, "", "says" if kind == "talk" else "asks", number % FOLDS)
            if kind == "talk":  # what is said asks for nothing either
                yield Line(text, "", "asks", number % FOLDS)


def _attribute(
    name: str, block: list[str], values: list[str], strange: list[str]
) -> Iterator[Line]:
    for number, line in enumerate(block):
        key, _, text = line.partition(": ")
        if key == "asks":
            yield Line(text, name, "asks", number % FOLDS)
        elif key in ("says", "changes", "ends"):
            own = [values[(number * FILLED + step) % len(values)] for step in range(FILLED)]
            yield from _filled(text, name, own, strange[number * 7 % len(strange)], number % FOLDS)


def _filled(text: str, name: str, own: list[str], strange: str, fold: int) -> Iterator[Line]:
    if "{v}" not in text:
        yield Line(text, name, "says", fold, frame=text)
        return
    frame = text.replace("{v}", " ")
    for value in own:
        yield Line(text.replace("{v}", value), name, "says", fold, 1 / FILLED, frame)
    yield Line(text.replace("{v}", strange), name, "says", fold, STRANGE / FILLED, frame)
