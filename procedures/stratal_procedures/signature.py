"""Which episodes are the same task: the same tools in order, and enough alike in words."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stratal_memory.text import terms
from stratal_procedures.episode import Call, Episode, Stage

# Measured on the 30 episodes of tests/procedures/episodes.py: see there and the report.
ALIKE = 0.4
# By how many different tools there are, where nothing else tells tasks apart.
TOOLS_ALONE = (0.0, 0.2, 0.4)
FOUND = 3  # characters of a value that is looked for in results
SHARED_NAMES = 0.5  # of the arguments' names of one step; fewer are another use of the tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Episodes that were found to be one task, in any order."""

    signature: str
    episodes: tuple[Episode, ...]


def steps_json(episode: Episode) -> str:
    """The tools with the names and types of their arguments, as JSON; no value stands in it."""
    return json.dumps(
        [
            {"tool": stage.tool, "arguments": dict(stage.shape), "failures": stage.failures}
            for stage in episode.stages
        ]
    )


def nearest(episode: Episode, buckets: Sequence[Bucket], *, alike: float = ALIKE) -> str:
    """The signature of the bucket that `episode` falls in, empty when it is the first of its task.

    The one whose episodes are on average most alike; a tie goes to the earlier bucket.
    """
    best, most = "", alike
    for bucket in buckets:
        if not bucket.episodes:
            continue
        found = sum(likeness(episode, one) for one in bucket.episodes) / len(bucket.episodes)
        if found > most or (found == most and not best):
            best, most = bucket.signature, found
    return best


def likeness(one: Episode, other: Episode) -> float:
    """How sure it is that two episodes are one task, 0..1; 0 for other tools or arguments.

    The settings decide: what a tool was given that nobody had named and that is one word, as a
    table, a group, an address. Where there are none, the tools themselves: the more different
    ones in the same order, the surer. What is missing the words of the request and of longer
    arguments make up in part, for people say one wish in many words.
    """
    if one.tools != other.tools or not _fit(one, other):
        return 0.0
    pairs = [_pair(a, b) for a, b in _values(one, other)]
    settings = [pair.share == 1 for pair in pairs if pair.setting and pair.share is not None]
    prose = [pair.share for pair in pairs if not pair.setting and pair.share is not None]
    worded = max(_dice(_asked(one), _asked(other)), _mean(prose))
    if settings:
        base = _mean([float(equal) for equal in settings])
        return base + (1 - base) * worded / 2
    distinct = len({stage.tool for stage in one.stages})
    base = TOOLS_ALONE[min(distinct, len(TOOLS_ALONE)) - 1]
    return base + (1 - base) * worded


def _fit(one: Episode, other: Episode) -> bool:
    return all(_shaped(a, b) for a, b in zip(one.stages, other.stages, strict=True))


def _shaped(one: Stage, other: Stage) -> bool:
    """Whether most names are shared, and those with the same types."""
    a, b = dict(one.shape), dict(other.shape)
    shared = a.keys() & b.keys()
    if any(a[name] != b[name] for name in shared):
        return False
    every = a.keys() | b.keys()
    return not every or len(shared) / len(every) >= SHARED_NAMES


def _asked(one: Episode) -> frozenset[str]:
    """The words of the request that are no argument's value: the task, not its objects."""
    values = {
        word
        for stage in one.stages
        for call in stage.calls
        for given in call.arguments
        if given.type in ("text", "number")
        for word in terms(given.text)
    }
    asked = {word for word in terms(one.request) if not word.isdigit()}
    return frozenset(asked - values or asked)


def _values(one: Episode, other: Episode) -> Iterator[tuple["_Value", "_Value"]]:
    """The values both were given, side by side."""
    for a, b in zip(one.stages, other.stages, strict=True):
        names = sorted(dict(a.shape).keys() & dict(b.shape).keys())
        for call, call_ in zip(a.calls, b.calls, strict=False):
            for name in names:
                yield _Value(one, call, name), _Value(other, call_, name)


class _Value:
    """The words of one argument, and those of them that nobody had named before."""

    def __init__(self, of: Episode, call: Call, name: str) -> None:
        given = next(one for one in call.arguments if one.name == name)
        text = given.text.casefold()
        self.one_word = not any(character.isspace() for character in text.strip())
        self.words = frozenset(terms(given.text)) or frozenset((given.value,))
        found = len(text) >= FOUND and any(text in one.casefold() for one in of.read[: call.read])
        named = self.words if found else frozenset(terms(of.request))
        self.own = frozenset(word for word in self.words - named if not word.isdigit())


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two values side by side: the share of the words nobody named that both have, if any."""

    setting: bool
    share: float | None


def _pair(one: _Value, other: _Value) -> _Pair:
    both = frozenset(word for word in one.words & other.words if not word.isdigit())
    every = one.own | other.own | both
    share = len(both) / len(every) if every else None
    return _Pair(one.one_word and other.one_word, share)


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores) if scores else 0.0


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one) + len(other)
    return 2 * len(one & other) / both if both else 0.0
