"""The hand-written messages of dialogues.jsonl, and how extraction did on them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from stratal_memory.learning.candidates import Found

AT = datetime.fromisoformat("2026-11-20T09:00+01:00")  # a Friday


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """One message of the user and what must be found in it."""

    say: str
    expect: frozenset[tuple[str, str]]  # facet and value
    valid_from: str = ""  # the day in UTC of the first statement
    correction: bool = False
    retracts: bool = False
    explicit: bool = False


def dialogues() -> list[Dialogue]:
    """Every dialogue of the set, in the order of the file."""
    path = Path(__file__).with_name("dialogues.jsonl")
    return [_dialogue(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _dialogue(line: str) -> Dialogue:
    row = json.loads(line)
    return Dialogue(
        say=row["say"],
        expect=frozenset((facet, value) for facet, value in row["expect"]),
        valid_from=row.get("valid_from", ""),
        correction=row.get("correction", False),
        retracts=row.get("retracts", False),
        explicit=row.get("explicit", False),
    )


def pairs(found: Sequence[Found]) -> frozenset[tuple[str, str]]:
    """What was found, in the form it is expected in."""
    return frozenset((one.facet, one.value) for one in found)
