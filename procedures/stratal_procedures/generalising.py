"""Several episodes of one task as one list of steps: what differed becomes a parameter."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from stratal_procedures.episode import Argument, Episode
from stratal_procedures.provenance import Source, told
from stratal_procedures.slots import SHORTEST, Slot, Values, parted, slots_of, source_in, unrolled

_HELD = re.compile(r"\{\{([^{}]+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One argument of a step: a template, and the value it holds where that never differed."""

    name: str
    template: str
    constant: str = ""  # canonical JSON; empty where the template is a parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """A parameter: where it is used, and where it came from in every episode."""

    name: str
    used: tuple[tuple[int, str], ...]  # step (from 1) and argument
    required: bool
    source: int = 0  # the step whose result held it every time; 0 when none did
    asked: bool = False  # the request named it every time


@dataclass(frozen=True, slots=True, kw_only=True)
class General:
    """The steps of a task without its objects. No value of a parameter is in it."""

    tools: str  # as the episodes name them; a run of one counts once
    episodes: tuple[Episode, ...]  # oldest first, with as many steps as there are here
    steps: tuple[tuple[Given, ...], ...]
    parameters: tuple[Needed, ...]


def generalised(episodes: Sequence[Episode]) -> General:
    """The steps of `episodes`, which have the same tools in the same order.

    A value that was equal in all of them stays; one that differed becomes `{{parameter}}`, called
    like its argument; where two arguments always had the same value it is one parameter; and
    where it stood inside another text, it is cut out of that. An argument that was not given
    every time is left out when it never differed, and else an optional parameter. An address that
    no user ever said is a parameter, too.
    """
    tools = episodes[0].tools
    episodes = unrolled(episodes)
    slots = [
        slot for number in range(len(episodes[0].stages)) for slot in slots_of(number, episodes)
    ]
    varied = [slot for slot in slots if not slot.constant and _given_differently(slot)]
    whole, cut = parted(varied, episodes)
    names = _named(whole)
    steps: list[list[Given]] = [[] for _ in episodes[0].stages]
    used: dict[str, list[Slot]] = {}
    for slot in slots:
        given = _given(slot, names, cut)
        if given is not None:
            steps[slot.step].append(given)
            for name in _HELD.findall(given.template):
                used.setdefault(name, []).append(slot)
    origin = {name: slot for slot in reversed(whole) for name in [names[slot.values]]}
    return General(
        tools=tools,
        episodes=tuple(episodes),
        steps=tuple(tuple(step) for step in steps),
        parameters=tuple(
            _needed(name, origin[name], some, episodes) for name, some in used.items()
        ),
    )


def unusable(general: General) -> dict[str, str]:
    """The episodes into which untrusted text may have gone, by turn, with the reason.

    What differs between episodes is gone; what stays must be a value that nobody else could have
    put there, and a call that no text asked for. Names of arguments are the tools' own.
    """
    found: dict[str, str] = {}
    for one in general.episodes:
        for number, step in enumerate(general.steps):
            why = _planted(one, number, step)
            if why:
                found[one.turn] = why
    return found


def _planted(one: Episode, number: int, step: Sequence[Given]) -> str:
    """Why a step of an episode may be the doing of untrusted text; empty when it is not."""
    stage = one.stages[number]
    if told(stage.tool, said=one.said, read=one.read[: stage.calls[-1].read]):
        return f"a text of others named {stage.tool} before it was called"
    for given in step:
        if given.constant and source_in(one, number, given.constant) is Source.THEIRS:
            return f"the {given.name} of {stage.tool} may come from text of others"
    return ""


def _given_differently(slot: Slot) -> bool:
    """Whether it is worth a parameter: not one value that was only sometimes given."""
    return len({value for values in slot.values if values for value in values}) > 1 or all(
        slot.values
    )


def _named(slots: Sequence[Slot]) -> dict[Values, str]:
    """A parameter's name for each way the values went; the same way twice is one parameter."""
    names: dict[Values, str] = {}
    for slot in slots:
        if slot.values in names:
            continue
        name, number = slot.name, 2
        while name in names.values():
            name, number = f"{slot.name}_{number}", number + 1
        names[slot.values] = name
    return names


def _given(
    slot: Slot, names: dict[Values, str], cut: dict[Slot, tuple[Slot, str, str]]
) -> Given | None:
    if slot.constant:
        text = Argument(name=slot.name, value=slot.constant).text
        return Given(name=slot.name, template=text, constant=slot.constant)
    if slot in cut:
        other, before, behind = cut[slot]
        text = f"{before}{{{{{names[other.values]}}}}}{behind}"
        return Given(name=slot.name, template=text, constant=json.dumps(f"{before} {behind}"))
    if slot.values not in names:
        return None
    return Given(name=slot.name, template=f"{{{{{names[slot.values]}}}}}")


def _needed(name: str, first: Slot, slots: Sequence[Slot], episodes: Sequence[Episode]) -> Needed:
    return Needed(
        name=name,
        used=tuple((slot.step + 1, slot.name) for slot in slots),
        required=all(first.values),
        source=_source(first, episodes),
        asked=bool(first.texts)
        and all(
            text.casefold() in one.request.casefold()
            for text, one in zip(first.texts, episodes, strict=True)
        ),
    )


def _source(slot: Slot, episodes: Sequence[Episode]) -> int:
    """The latest step before it whose results held the value every time; 0 for none."""
    if not slot.texts or min(len(text) for text in slot.texts) < SHORTEST:
        return 0
    for number in range(slot.step, 0, -1):
        if all(
            any(text in result for result in _results(one, number - 1))
            for text, one in zip(slot.texts, episodes, strict=True)
        ):
            return number
    return 0


def _results(one: Episode, step: int) -> Sequence[str]:
    """What was read between the first call of a step and the first of the next."""
    stages = one.stages
    start = stages[step].calls[0].read
    end = stages[step + 1].calls[0].read if step + 1 < len(stages) else len(one.read)
    return one.read[start:end]
