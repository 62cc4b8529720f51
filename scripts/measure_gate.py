"""What the write gate learns from the hand-written dialogues, by category and half.

    python scripts/measure_gate.py             both halves, a table each
    python scripts/measure_gate.py --misses    and what the development half gets wrong

The misses of the held-out half are never printed: rules are tuned on the other half alone.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from stratal_memory.learning.candidates import Found
from stratal_memory.learning.rules.extraction import extract
from stratal_memory.learning.wordlist import words
from stratal_memory.learning.worth import Verdict, worth

FOLDER = Path(__file__).parents[1] / "data" / "evaluation"
HALVES = ("development", "held-out")
AT = datetime.fromisoformat("2026-11-20T09:00+01:00")  # a Friday, where a row names no time
SLACK = 4  # words a found value may have beyond those of the expected one
SMALL = words("a an and at for from in is my of on our the their to user with")
# Facets that are told apart by taste, not by truth: "I love hiking" is a liking or a hobby.
SAME = {"favourite": "likes", "preference": "likes", "hobby": "likes", "people": "family"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A fact a dialogue holds."""

    facets: tuple[str, ...]  # any of them will do
    value: str
    required: bool = True  # else it may be found, and counts neither way
    retracts: bool | None = False  # None: it may be told as an end or as a new fact
    day: str = ""  # ISO, in the zone of the dialogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """What was said, when, and what must be learned from it."""

    id: str
    category: str
    turns: tuple[tuple[str, str], ...]  # role and text
    at: datetime
    expect: tuple[Expected, ...]


@dataclass(slots=True)
class Tally:
    """Counts of one category."""

    dialogues: int = 0
    found: int = 0
    right: int = 0
    required: int = 0
    reached: int = 0
    wrong: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])

    @property
    def precision(self) -> float:
        """The share of what was found that is so; 1 when nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of what must be found that was; 1 when nothing must be."""
        return self.reached / self.required if self.required else 1.0

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        self.dialogues += other.dialogues
        self.found += other.found
        self.right += other.right
        self.required += other.required
        self.reached += other.reached


def dialogues(half: str) -> list[Dialogue]:
    """The dialogues of one half, in the order of its file."""
    path = FOLDER / f"dialogues-{half}.jsonl"
    return [_dialogue(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _dialogue(line: str) -> Dialogue:
    row = json.loads(line)
    return Dialogue(
        id=row["id"],
        category=row["category"],
        turns=tuple((turn["role"], turn["text"]) for turn in row["turns"]),
        at=datetime.fromisoformat(row["at"]) if "at" in row else AT,
        expect=tuple(
            Expected(
                facets=tuple(one["facets"]),
                value=one["value"],
                required=one.get("required", True),
                retracts=one.get("retracts", False),
                day=one.get("day", ""),
            )
            for one in row["expect"]
        ),
    )


def learned(dialogue: Dialogue) -> list[Found]:
    """What of a dialogue would be remembered, as accepted or as provisional."""
    found: list[Found] = []
    asked = ""
    for role, text in dialogue.turns:
        if role == "user":
            found += extract(text, dialogue.at, asked=asked)
        asked = text if role == "assistant" else ""
    return [one for one in found if worth(one).verdict is not Verdict.EPISODE]


def matches(found: Found, expected: Expected, at: datetime) -> bool:
    """Whether `found` says what is expected.

    One of the facets must agree (by its head; for people and pets also by who), every word of
    the value must stand in the statement, the found value must have at most `SLACK` words more,
    what ended must be told as ended, and a day that is named must be that day.
    """
    if expected.retracts is not None and found.retracts is not expected.retracts:
        return False
    if not any(_agree(found.facet, facet) for facet in expected.facets):
        return False
    if expected.day and _day(found, at) != expected.day:
        return False
    wanted = _words(expected.value)
    noted = found.facet.partition(".")[0] in {"note", "plan", "event"}  # these are kept as said
    short = noted or len(_words(found.value)) <= len(wanted) + SLACK
    return short and wanted <= _words(f"{found.value} {found.text}")


def _agree(found: str, expected: str) -> bool:
    one, other = found.split("."), expected.split(".")
    if SAME.get(one[0], one[0]) != SAME.get(other[0], other[0]):
        return False
    who = one[0] in {"family", "people"} and len(other) > 1
    return not who or one[1:2] == other[1:2]


def _day(found: Found, at: datetime) -> str:
    zone = at.tzinfo or ZoneInfo("UTC")
    return str(found.valid_from.astimezone(zone).date()) if found.valid_from else ""


def _words(text: str) -> set[str]:
    plain = re.findall(r"[^\W_]+", text.casefold())
    return {word.removesuffix("s") if len(word) > 3 else word for word in plain} - SMALL


def score(dialogue: Dialogue) -> Tally:
    """The counts of one dialogue."""
    found = learned(dialogue)
    tally = Tally(dialogues=1, found=len(found))
    for one in found:
        if any(matches(one, wanted, dialogue.at) for wanted in dialogue.expect):
            tally.right += 1
        else:
            tally.wrong.append(f"{one.facet}={one.value}  <{one.text}> {one.rule}")
    for wanted in dialogue.expect:
        if wanted.required:
            tally.required += 1
            if any(matches(one, wanted, dialogue.at) for one in found):
                tally.reached += 1
            else:
                tally.missed.append(f"{'|'.join(wanted.facets)}={wanted.value} {wanted.day}")
    return tally


def measured(half: str) -> dict[str, Tally]:
    """The counts of one half by category, in the order of the file, and `all` last."""
    by_category: dict[str, Tally] = {}
    total = Tally()
    for dialogue in dialogues(half):
        tally = score(dialogue)
        by_category.setdefault(dialogue.category, Tally()).add(tally)
        total.add(tally)
    return by_category | {"all": total}


def _table(tallies: dict[str, Tally]) -> Iterator[str]:
    heads = f"{'dialogues':>10}{'found':>8}{'precision':>11}{'wanted':>8}{'recall':>8}"
    yield f"{'category':<14}{heads}"
    for name, tally in tallies.items():
        yield (
            f"{name:<14}{tally.dialogues:>10}{tally.found:>8}{tally.precision:>11.3f}"
            f"{tally.required:>8}{tally.recall:>8.3f}"
        )


def _misses() -> Iterator[str]:
    for dialogue in dialogues("development"):
        tally = score(dialogue)
        if tally.wrong or tally.missed:
            yield f"{dialogue.id} {dialogue.category}: {dialogue.turns[-1][1]}"
            yield from (f"    wrong   {one}" for one in tally.wrong)
            yield from (f"    missed  {one}" for one in tally.missed)


def _speed() -> str:
    said = [text for half in HALVES for one in dialogues(half) for _, text in one.turns]
    begun = time.perf_counter()
    for text in said:
        extract(text, AT)
    each = (time.perf_counter() - begun) / len(said)
    return f"{len(said)} messages, {each * 1e6:.0f} microseconds each"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--half", choices=HALVES)
    chosen = parser.parse_args(arguments)
    if chosen.misses:
        sys.stdout.writelines(f"{line}\n" for line in _misses())
    for half in [chosen.half] if chosen.half else HALVES:
        sys.stdout.write(f"\n{half}\n")
        sys.stdout.writelines(f"{line}\n" for line in _table(measured(half)))
    sys.stdout.write(f"\n{_speed()}\n")


if __name__ == "__main__":
    main()
