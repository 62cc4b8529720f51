"""The arguments of several episodes side by side: which stay, and which hold another."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratal_procedures.episode import Argument, Episode, Stage
from stratal_procedures.provenance import Source, source

LONGEST = 200  # characters of a value that stays; a longer one is a document, not a setting
SHORTEST = 3  # characters of a value that is looked for inside others
_BRACES = re.compile(r"[{}\x00-\x1f]")

Values = tuple[tuple[str, ...] | None, ...]  # by episode: canonical JSON of each call of a run


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument of one step in every episode; None where it was not given."""

    step: int
    name: str
    values: Values
    open: bool = False  # it may not stay, even if it never differed

    @property
    def constant(self) -> str:
        """The value that never differed and may stay as it is; empty when there is none."""
        if self.open:
            return ""
        every = {value for values in self.values for value in (values or ("",))}
        value = every.pop() if len(every) == 1 else ""
        text = Argument(name=self.name, value=value).text if value else ""
        return "" if len(text) > LONGEST or _BRACES.search(text) else value

    @property
    def texts(self) -> tuple[str, ...]:
        """The value of each episode, where each call of a run was given the same; else nothing."""
        if any(values is None or len(set(values)) > 1 for values in self.values):
            return ()
        return tuple(
            Argument(name=self.name, value=values[0]).text for values in self.values if values
        )


def unrolled(episodes: Sequence[Episode]) -> list[Episode]:
    """The episodes with a step for each call of a run, where the run was always as long."""
    made: list[list[Stage]] = [[] for _ in episodes]
    for stages in zip(*(one.stages for one in episodes), strict=True):
        alike = len({len(stage.calls) for stage in stages}) == 1
        for rows, stage in zip(made, stages, strict=True):
            rows += _parts(stage) if alike else [stage]
    return [replace(one, stages=tuple(rows)) for one, rows in zip(episodes, made, strict=True)]


def _parts(stage: Stage) -> list[Stage]:
    return [
        replace(stage, calls=(call,), failures=0 if number else stage.failures)
        for number, call in enumerate(stage.calls)
    ]


def slots_of(number: int, episodes: Sequence[Episode]) -> list[Slot]:
    """The arguments of one step (from 0) by name; an address no user ever said is open."""
    stages = [one.stages[number] for one in episodes]
    names = sorted({name for stage in stages for name, _ in stage.shape})
    slots = [Slot(number, name, tuple(_values(stage, name) for stage in stages)) for name in names]
    return [
        replace(slot, open=True)
        if slot.constant and _unsure(slot.constant, number, episodes)
        else slot
        for slot in slots
    ]


def _values(stage: Stage, name: str) -> tuple[str, ...] | None:
    found = tuple(one.value for call in stage.calls for one in call.arguments if one.name == name)
    return found or None


def _unsure(value: str, number: int, episodes: Sequence[Episode]) -> bool:
    return any(source_in(one, number, value) is Source.UNSURE for one in episodes)


def source_in(one: Episode, number: int, value: str) -> Source:
    """Where a value of a step may have come from, by what was read before its last call."""
    return source(value, said=one.said, read=one.read[: one.stages[number].calls[-1].read])


def parted(
    slots: Sequence[Slot], episodes: Sequence[Episode]
) -> tuple[list[Slot], dict[Slot, tuple[Slot, str, str]]]:
    """Those that are a value of their own; and those made of one of these and a constant text.

    The latter with the one they hold, and what stands before and behind it.
    """
    cut: dict[Slot, tuple[Slot, str, str]] = {}
    for slot in slots:
        for other in slots:
            around = _around(slot, other)
            if around is not None and slot not in cut:
                cut[slot] = (other, *around)
    plain = {
        slot: (other, before, behind)
        for slot, (other, before, behind) in cut.items()
        if other not in cut and not _unsure(f"{before} {behind}", slot.step, episodes)
    }
    return [slot for slot in slots if slot not in plain], plain


def _around(slot: Slot, other: Slot) -> tuple[str, str] | None:
    """What always stands before and behind the value of `other` in that of `slot`."""
    if slot.values == other.values or not slot.texts or not other.texts:
        return None
    if len(set(other.texts)) == 1 or min(map(len, other.texts)) < SHORTEST:
        return None
    found: set[tuple[str, str]] = set()
    for text, held in zip(slot.texts, other.texts, strict=True):
        at = text.casefold().find(held.casefold())
        if at < 0 or len(text.casefold()) != len(text):
            return None
        found.add((text[:at], text[at + len(held) :]))
    before, behind = found.pop()
    fits = len(before) + len(behind) <= LONGEST and not _BRACES.search(before + behind)
    return (before, behind) if not found and fits else None
