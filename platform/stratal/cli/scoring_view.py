"""How a score came about, in lines that fit any terminal from 80 columns on."""

from collections.abc import Iterable, Iterator, Sequence

from stratal_memory.outcomes import Counts
from stratal_memory.recall.candidates import Factors, Parts, Signal
from stratal_memory.recall.threshold import Gate

COLUMNS = 72  # of a line, beside what it is set in by


def told(parts: Parts, factors: Factors, signals: Sequence[Signal]) -> list[str]:
    """The terms of the score, what bent it, and what the similarity is made of."""
    terms = (
        f"similarity {parts.similarity:.2f}",
        f"confidence {parts.confidence:.2f}",
        f"scope {parts.scope:.2f}",
    )
    known = came_of(factors.counts)
    bent_by = f" ({known})" if known else ""
    bent = (
        f"recency x{factors.recency:.2f}",
        f"evidence x{factors.evidence:.2f}",
        f"usefulness x{factors.usefulness:.2f}{bent_by}",
    )
    measured = (f"{one.name} {one.value:.2f} counts {one.counted:+.2f}" for one in signals)
    return [*_filled(terms), *_filled(bent), *_filled(measured)]


def came_of(counts: Counts) -> str:
    """How often each came of a memory, in words; empty while nothing did.

    >>> came_of(Counts(used=2, corrected=1))
    'used 2, corrected 1'
    """
    named = (
        ("used", counts.used),
        ("ignored", counts.ignored),
        ("corrected", counts.corrected),
    )
    return ", ".join(f"{name} {number:,}" for name, number in named if number)


def gate_line(gate: Gate) -> str:
    """What is enough to be recalled."""
    named = (("similarity", gate.similarity), ("cosine", gate.cosine), ("words", gate.words))
    minimums = [f"{name} {value:.2f}" for name, value in named if value is not None]
    return f"the gate opens from {' or '.join(minimums)} on"


def _filled(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 2 + len(word) > COLUMNS:
            yield f"{line},"
            line = word
        else:
            line = f"{line}, {word}" if line else word
    if line:
        yield line
