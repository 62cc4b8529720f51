"""A year lived through the product: days of messages, nights of consolidation, questions."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np

from data.simulated_year.wording import chatter
from data.simulated_year.year import START, Said, Year
from scripts.sleep_findings import Answers, Kept
from scripts.sleep_judge import Judge, answers
from scripts.sleep_plot import Point
from stratal.agent import Agent
from stratal.options import Options
from stratal.providers.provider import Completion
from stratal.providers.scripted import ScriptedProvider
from stratal.settings import load_settings
from stratal.stores import recall_settings
from stratal.tokens.auto import auto_counter
from stratal_memory.consolidation.report import State
from stratal_memory.embedding.embedder import Embedder, Generation, Vectors
from stratal_memory.learning.gate import take_in
from stratal_memory.recall.recall import recall
from stratal_memory.records import Form, Memory, Message, Role, Session, Status, TurnState, new_id
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.profile import Profile
from stratal_memory.truth import memories, messages, turns
from stratal_memory.truth.access import visible
from stratal_memory.truth.database import Database

NIGHT = timedelta(hours=27)  # three o'clock after the day
TREND = 91  # days between the questions on the way
PHRASINGS = 3  # of each question at the end
WEEK = 7
CHATTER = [line.text for line in chatter() if "{" not in line.text][::3]  # asks for nothing
COUNT = auto_counter("claude").count


class KeptVectors:
    """`inner`, asked once for every text: both runs hear the same."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self._known: dict[str, Vectors] = {}

    @property
    def generation(self) -> Generation:
        """That of `inner`."""
        return self.inner.generation

    def learn(self, texts: Sequence[str]) -> None:
        """Embed many texts together, which is faster."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self.inner.embed(new), strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `inner` would."""
        self.learn(texts)
        rows = [self._known[text] for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.generation.dimension), np.float32)


@dataclass
class Clock:
    """Shows the time it was set to."""

    now: datetime = START

    def __call__(self) -> datetime:
        """The time it was set to."""
        return self.now


@dataclass(slots=True, kw_only=True)
class Run:
    """One year lived; `before` and `after` are the same moment when nobody slept."""

    points: list[Point] = field(default_factory=list[Point])
    trend: list[tuple[int, Answers]] = field(default_factory=list[tuple[int, Answers]])
    before: Answers = field(default_factory=Answers)
    after: Answers = field(default_factory=Answers)
    kept_before: Kept | None = None
    kept: Kept | None = None
    seconds: float = 0.0  # of CPU, all of it
    asleep: float = 0.0  # of them, in consolidation


@dataclass(slots=True, kw_only=True)
class Life:
    """An agent that lives through a year."""

    year: Year
    agent: Agent
    clock: Clock
    sleeps: bool
    whole: bool  # every message answered by the agent, else only kept and learned from
    stored: dict[str, Said] = field(default_factory=dict[str, Said])

    def live(self) -> Run:
        """Day by day, night by night, and the questions at the end."""
        run, begun = Run(), time.process_time()
        days = {day: list(some) for day, some in groupby(self.year.said, key=_day_of)}
        for day in range(self.year.days):
            self._talk(days.get(day, []))
            last = day == self.year.days - 1
            self.clock.now = START + timedelta(days=day) + NIGHT
            if last:
                run.before, run.kept_before = self._asked(PHRASINGS), self._kept()
            if self.sleeps:
                slept = time.process_time()
                self._sleep()
                run.asleep += time.process_time() - slept
            if day % WEEK == WEEK - 1 or last:
                run.points.append(self._point(day + 1))
            if day % TREND == TREND - 1 and not last:
                run.trend.append((day + 1, self._asked(1)))
        run.after, run.kept = self._asked(PHRASINGS), self._kept()
        run.trend.append((self.year.days, run.after))
        run.seconds = time.process_time() - begun
        return run

    def _talk(self, said: Sequence[Said]) -> None:
        for _, some in groupby(said, key=lambda one: one.session):
            spoken = list(some)
            self.clock.now = spoken[0].at
            self.agent.start_session()
            session = self.agent.session()
            for one in spoken:
                self.clock.now = one.at
                kept = self._sent(one) if self.whole else self._taken_in(session, one)
                self.stored.update({message.id: one for message in kept})

    def _sent(self, one: Said) -> list[Message]:
        """The messages of a turn the agent answered."""
        turn = self.agent.send(one.text).turn
        with self.agent.store.read() as connection:
            return messages.of_turn(connection, turn)

    def _taken_in(self, session: Session, one: Said) -> list[Message]:
        """The messages of a turn that is only kept and learned from: steps 1, 9 and 10 of one."""
        store = self.agent.store.for_session(session.id)
        items = [
            Message(role=Role.USER, text=one.text),
            Message(role=Role.ASSISTANT, text=one.answer),
        ]
        with store.write() as journal:
            turn = turns.start_turn(
                journal.connection, session, request_id=new_id("req"), model="none", at=one.at
            )
            kept = messages.append(journal.connection, turn, items, at=one.at)
            turns.close_turn(journal.connection, turn.id, state=TurnState.DONE, at=one.at, usage="")
        take_in(store, session, kept)
        return list(kept)

    def _sleep(self) -> None:
        while self.agent.consolidate().state is State.OPEN:
            pass

    def _judge(self) -> Judge:
        return Judge(self.year, self.stored)

    def _asked(self, each: int) -> Answers:
        store = self.agent.store
        settings = recall_settings(self.agent.settings)
        return answers(
            self._judge(),
            self.year.questions(self.clock.now, each=each),
            CHATTER if each > 1 else [],
            profile=Profile(store).render(),
            ask=partial(recall, store, settings=settings, count=COUNT, nonce="0" * 12),
            count=COUNT,
        )

    def _facts(self, *statuses: Status) -> list[Memory]:
        where = visible(self.agent.store.reach, forms=(Form.FACT,), statuses=statuses)
        with self.agent.store.read() as connection:
            return memories.select_memories(connection, where)

    def _kept(self) -> Kept:
        return self._judge().kept(self._facts(*Status), self.clock.now)

    def _point(self, day: int) -> Point:
        now = self.clock.now
        return Point(
            day=day,
            messages=len(self.stored),
            distinct=self.year.distinct(now),
            current=len(self.year.holding(now)),
            active=len(self._facts(Status.ACTIVE)),
        )


def _day_of(said: Said) -> int:
    return (said.at - START).days


def lived(
    year: Year, folder: Path, *, embedder: Embedder | None, sleeps: bool, whole: bool = False
) -> Run:
    """One year in a data directory of its own under `folder`."""
    settings = load_settings({"data": folder, "model": "offline:"}, environment={})
    clock = Clock()
    provider = ScriptedProvider([Completion(text=one.answer) for one in year.said])
    database = Database.open(folder)
    store = Store.open(
        database, Principal(user="me"), embedder=embedder, clock=clock, gate=settings.gate()
    )
    options = Options(user="me")
    with closing(Agent(options, settings=settings, store=store, provider=provider)) as agent:
        return Life(year=year, agent=agent, clock=clock, sleeps=sleeps, whole=whole).live()
