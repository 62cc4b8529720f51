"""What an earlier summary says, line by line, so that the next one can carry it on."""

import re
from collections.abc import Iterator

from stratal.context.compression.marks import Mark, marks
from stratal.context.compression.pinned import RULE
from stratal.context.compression.statements import sentences
from stratal.context.compression.survival import Anchor, fold

EARLIER_SPEAKER = "earlier"
ALSO_NAMED = " also named: "  # ends the label of a line that only lists names
_LABEL = re.compile(rf"(?:user|assistant|{EARLIER_SPEAKER}|tool \S{{1,80}})(?:{ALSO_NAMED}|: )")


def earlier_named(previous: str) -> tuple[Anchor, ...]:
    """What an earlier summary names; it yields to all that was named since (its weight is 1)."""
    found: dict[str, Anchor] = {}
    for label, text in told_in(previous):
        for mark in _listed(text) if label.endswith(ALSO_NAMED) else _marked(text):
            found[mark.text] = Anchor(
                text=mark.text,
                needles=tuple(map(fold, mark.parts)),
                weight=1,
                speaker=EARLIER_SPEAKER,
                last=-1,
            )
    return tuple(found.values())


def _listed(text: str) -> Iterator[Mark]:
    return (Mark(one, (one,)) for one in text.split(", ") if one.strip())


def _marked(text: str) -> Iterator[Mark]:
    return (mark for sentence in sentences(text) for mark in marks(sentence))


def told_in(previous: str) -> Iterator[tuple[str, str]]:
    """Label ("user: ", "tool look: ", or none) and text of each line; rules carry themselves."""
    for line in previous.splitlines():
        text = line.strip().removeprefix("- ").removeprefix(f"{EARLIER_SPEAKER}: ")
        if not text.startswith(RULE):
            label = _LABEL.match(text)
            end = label.end() if label else 0
            yield text[:end], text[end:]
