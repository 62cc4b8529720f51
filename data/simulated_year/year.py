"""A year as it was said, and what was true when."""

from dataclasses import dataclass
from datetime import UTC, datetime

from data.simulated_year.wording import Value, kinds

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A value in a message: told as so ("now"), as over ("past"), or by mistake ("wrong")."""

    track: str
    value: Value
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn: what the user wrote and what the assistant answered."""

    at: datetime
    session: int
    text: str
    answer: str
    category: str  # "fact" or one of chatter
    mentions: tuple[Mention, ...] = ()
    whose: str = ""  # who chatter of others speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A value of a track was true from `start` to before `end`; None while it still is."""

    track: str
    kind: str
    value: Value
    start: datetime
    end: datetime | None = None

    def is_so(self, at: datetime) -> bool:
        """Whether it holds at a time."""
        return self.start <= at and (self.end is None or at < self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about now: what recall must bring, and what it must not bring as if it held."""

    text: str
    kind: str
    current: tuple[Value, ...]
    outdated: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """What was said, oldest first, and what was true when."""

    seed: int
    days: int
    said: tuple[Said, ...]
    truth: tuple[Holding, ...]

    def questions(self, at: datetime, *, each: int = 1) -> list[Question]:
        """The questions of a time, `each` phrasings of every track that was told of before."""
        turn = (at - START).days // 7
        found: dict[tuple[str, str], Question] = {}
        for kind in kinds():
            known = [one for one in self.truth if one.kind == kind.name and one.start <= at]
            asked = kind.of("?")
            for place in range(min(each, len(asked))):
                line = asked[(turn + place) % len(asked)]
                for one in known:
                    text = f"{line.replace('{w}', one.value.extra)}?"
                    here = found.get((kind.name, text))
                    found[kind.name, text] = _question(kind.name, text, here, one, at=at)
        return list(found.values())

    def holding(self, at: datetime) -> list[Holding]:
        """What holds at a time."""
        return [one for one in self.truth if one.is_so(at)]

    def distinct(self, at: datetime) -> int:
        """How many different facts were told until a time."""
        told = {(one.track, one.value.text) for one in self.truth if one.start <= at}
        return len(told)


def _question(
    kind: str, text: str, before: Question | None, one: Holding, *, at: datetime
) -> Question:
    current = before.current if before else ()
    outdated = before.outdated if before else ()
    if one.is_so(at):
        current = (*current, one.value)
    else:
        outdated = (*outdated, one.value)
    held = {value.text for value in current}
    over = tuple(value for value in outdated if value.text not in held)
    return Question(text=text, kind=kind, current=current, outdated=over)
