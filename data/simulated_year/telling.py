"""Writes sessions down: facts as people tell them, chatter between, and the truth beside."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random

from data.simulated_year.plot import Event, Op
from data.simulated_year.typing_habits import typed
from data.simulated_year.wording import Chatter, Value, chatter, fillers
from data.simulated_year.year import Holding, Mention, Said

MIXED = 0.2  # share of facts that are told inside a request
RECENT = 30  # lines of chatter that are not said again
# How often each sort of chatter comes, where not once: people ask more than they joke.
OFTEN = {
    "question": 6,
    "smalltalk": 5,
    "task": 4,
    "code": 4,
    "recipe": 3,
    "others": 2,
    "opinion": 2,
}
FIXES = ("*{v}", "I meant {v}", "sorry, {v} not {old}", "scratch that, {v}", "oops no, it's {v}")
REPLIES = {
    Op.TELL: (
        "Got it.",
        "Thanks, noted.",
        "Ah, {v}. Good to know.",
        "Nice, thanks for telling me.",
    ),
    Op.CHANGE: (
        "Oh, that's news! {v} it is.",
        "Congratulations.",
        "Understood, I'll keep it in mind.",
    ),
    Op.AGAIN: ("I see.", "Sounds like {v} indeed.", "Right.", "Take it easy."),
    Op.END: ("Understood.", "Oh, thanks for telling me.", "I see, noted."),
}


@dataclass(slots=True, kw_only=True)
class Noise:
    """Chatter with its braces filled."""

    rng: Random
    family: int
    lines: list[Chatter] = field(default_factory=chatter)
    lately: list[str] = field(default_factory=list[str])

    def one(self, month: int, category: str = "") -> tuple[Chatter, str]:
        """A filled line that fits the month, and whom it speaks of."""
        fitting = [
            line
            for line in self.lines
            if (not line.months or month in line.months) and category in ("", line.category)
        ]
        fitting = [one for one in fitting if one.text not in self.lately[-RECENT:]] or fitting
        groups = sorted({line.category for line in fitting})
        [group] = self.rng.choices(groups, [OFTEN.get(name, 1) for name in groups])
        line = self.rng.choice([line for line in fitting if line.category == group])
        self.lately.append(line.text)
        chosen = {name: self.rng.choice(some) for name, some in fillers(self.family).items()}
        whose = chosen["kin"] if "{kin}" in line.text else chosen["who"]
        text, answer = line.text, line.answer
        for name, word in chosen.items():
            text = text.replace(f"{{{name}}}", word)
        filled = replace(line, text=text, answer=answer)
        return filled, whose if line.category == "others" else ""


@dataclass(slots=True, kw_only=True)
class Telling:
    """Writes sessions down and keeps the truth while it does."""

    rng: Random
    noise: Noise
    said: list[Said] = field(default_factory=list[Said])
    truth: list[Holding] = field(default_factory=list[Holding])

    def session(self, number: int, at: datetime, events: Sequence[Event], *, room: int) -> None:
        """One session: its facts in their order, and chatter between them."""
        chat = max(room - len(events), 0)
        order = [True] * len(events) + [False] * chat
        self.rng.shuffle(order)
        facts = iter(events)
        for is_fact in order:
            at += timedelta(seconds=self.rng.randint(40, 300))
            if not is_fact:
                self._chat(number, at)
                continue
            event = next(facts)
            if event.wrong is not None:
                self._tell(number, at, replace(event, value=event.wrong), how="wrong")
                at += timedelta(seconds=self.rng.randint(20, 90))
                self._fix(number, at, event)
            else:
                self._tell(number, at, event)

    def _chat(self, session: int, at: datetime) -> None:
        line, whose = self.noise.one(at.month)
        text = line.text if "\n" in line.text else typed(self.rng, line.text)
        self.said.append(
            Said(
                at=at,
                session=session,
                text=text,
                answer=line.answer,
                category=line.category,
                whose=whose,
            )
        )

    def _tell(self, session: int, at: datetime, event: Event, *, how: str = "now") -> None:
        if event.op is Op.AGAIN and event.value.until and event.value.until <= at:
            return  # nobody looks forward to what is over
        line = self.rng.choice(event.lines)
        old = self._current(event.track)
        over = event.value if event.op is Op.END else old
        text = _filled(line, event.value, old=over)
        mentions: list[Mention] = []
        if event.op is not Op.END:
            mentions.append(Mention(track=event.track, value=event.value, how=how))
        if event.op is Op.END or (over and over != event.value and over.stands_in(text)):
            mentions.append(Mention(track=event.track, value=over or event.value, how="past"))
        if event.op is not Op.END and self.rng.random() < MIXED:
            request, _ = self.noise.one(at.month, self.rng.choice(("question", "recipe", "task")))
            text = self.rng.choice((f"{text}. {request.text}", f"{request.text} {text}"))
        self._note(session, at, event, typed(self.rng, text), mentions)

    def _fix(self, session: int, at: datetime, event: Event) -> None:
        line = self.rng.choice(FIXES)
        old = event.wrong
        mentions = [Mention(track=event.track, value=event.value, how="now")]
        if old and "{old}" in line:
            mentions.append(Mention(track=event.track, value=old, how="past"))
        self._note(session, at, event, _filled(line, event.value, old=old), mentions)

    def _note(
        self, session: int, at: datetime, event: Event, text: str, mentions: list[Mention]
    ) -> None:
        self._holds(event, at, mentions)
        answer = _filled(self.rng.choice(REPLIES[event.op]), event.value, old=None)
        if event.op is Op.END or any(one.how == "wrong" for one in mentions):
            answer = "Understood."
        self.said.append(
            Said(
                at=at,
                session=session,
                text=text,
                answer=answer,
                category="fact",
                mentions=tuple(mentions),
            )
        )

    def _holds(self, event: Event, at: datetime, mentions: list[Mention]) -> None:
        new = [one.value for one in mentions if one.how != "past"]
        open_ = [
            place
            for place, one in enumerate(self.truth)
            if one.track == event.track and (one.end is None or one.end > at)
        ]
        same = new and any(self.truth[place].value.text == new[0].text for place in open_)
        if same:
            return
        for place in open_:
            self.truth[place] = replace(self.truth[place], end=at)
        for value in new:
            self.truth.append(
                Holding(
                    track=event.track, kind=event.kind.name, value=value, start=at, end=value.until
                )
            )

    def _current(self, track: str) -> Value | None:
        held = [one for one in self.truth if one.track == track]
        return held[-1].value if held else None


def _filled(line: str, value: Value, *, old: Value | None) -> str:
    filled = line.replace("{v}", value.text).replace("{w}", value.extra)
    return filled.replace("{old}", old.text if old else "")
