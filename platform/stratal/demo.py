"""The demo: the main job played on the bundled samples, each step told to whoever shows it."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from stratal.agent import Agent
from stratal.demo_script import ALICE, BOB, LEDGER_FOR, SESSIONS, STARTS, DemoSession, Line
from stratal.options import Options
from stratal.reply import Reply
from stratal.settings import Settings
from stratal.skill_source import user_folder
from stratal.skills import bundled
from stratal_ingest.pipeline import Progress
from stratal_ingest.report import Report as Ingested
from stratal_memory.consolidation.report import Report as Consolidated
from stratal_memory.records import Scope, ScopeKind
from stratal_memory.truth import access

ORG = "meridian"  # the documents are the whole company's, what people say is theirs
NIGHT = 20  # the day after which memory settles, once, before the later conversations
_BETWEEN = timedelta(seconds=20)  # from one look at the clock to the next


@dataclass(frozen=True, slots=True)
class Opened:
    """The data directory is there; `embedding` is empty when there is no model."""

    folder: str
    embedding: str


@dataclass(frozen=True, slots=True)
class Read:
    """The documents are in memory, and bob may use them too."""

    report: Ingested
    org: str


@dataclass(frozen=True, slots=True)
class Began:
    """A conversation begins."""

    session: DemoSession
    day: datetime


@dataclass(frozen=True, slots=True)
class Answered:
    """A message was answered; `failures` says what the script expected and did not see."""

    line: Line
    reply: Reply
    failures: tuple[str, ...]
    show_ledger: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """Memory was consolidated for one user; `profile` is what came out."""

    user: str
    report: Consolidated
    profile: str


@dataclass(frozen=True, slots=True)
class Counted:
    """At the end: what is held of each user, and how much of it the other can read."""

    held: dict[str, int]
    seen_by_the_other: dict[str, int]


Step = Opened | Read | Began | Answered | Settled | Counted


class _DemoClock:
    """The day of the script, going on a little at every look."""

    def __init__(self) -> None:
        self.now = STARTS

    def __call__(self) -> datetime:
        self.now += _BETWEEN
        return self.now

    def turn_to(self, day: int) -> datetime:
        self.now = max(self.now, STARTS + timedelta(days=day))
        return self.now


def play(
    settings: Settings, *, on_progress: Callable[[Progress], None] | None = None
) -> Iterator[Step]:
    """Each step of the demo as it happens, on the data directory of `settings`."""
    clock = _DemoClock()
    for user in (ALICE, BOB):
        shutil.copytree(bundled("skills"), user_folder(settings, user), dirs_exist_ok=True)
    with _agent(ALICE, settings, clock) as agent:
        embedder = agent.store.embedder
        yield Opened(str(settings.data), embedder.generation.id if embedder else "")
        yield Read(_ingest(agent, on_progress), ORG)
    settled = False
    for session in SESSIONS:
        if session.day > NIGHT and not settled:
            settled = True
            clock.turn_to(NIGHT)
            yield from (_settle(user, settings, clock) for user in (ALICE, BOB))
        yield Began(session, clock.turn_to(session.day))
        yield from _talk(session, settings, clock)
    yield _count(settings, clock)


def _agent(user: str, settings: Settings, clock: _DemoClock) -> Agent:
    return Agent.open_with(Options(user=user, org=ORG, new_session=True), settings, clock=clock)


def _ingest(agent: Agent, on_progress: Callable[[Progress], None] | None) -> Ingested:
    """The samples go to the org, which alice thereby owns and lets bob use."""
    with agent.store.write() as journal:
        org = Scope(ScopeKind.ORG, ORG)
        access.grant(journal.connection, org, by=ALICE, to=BOB, now=journal.at)
    return agent.ingest(bundled("samples"), scope=ScopeKind.ORG, on_progress=on_progress)


def _talk(session: DemoSession, settings: Settings, clock: _DemoClock) -> Iterator[Answered]:
    with _agent(session.user, settings, clock) as agent:
        for line in session.lines:
            reply = agent.send(line.text)
            last = session.number == 3 and session.user == ALICE
            yield Answered(line, reply, _failures(line, reply), last and line.text == LEDGER_FOR)


def _failures(line: Line, reply: Reply) -> tuple[str, ...]:
    recalled = reply.ledger.request().recalled
    held = " ".join(item.text for item in recalled).casefold()
    found = [f"“{word}” was not recalled" for word in line.expects if word not in held]
    found += [f"“{word}” was recalled" for word in line.forbids if word in held]
    if line.recalls_nothing and recalled:
        found.append(f"{len(recalled)} memories were recalled for a nonsense question")
    if line.skill and line.skill != reply.procedure:
        found.append(f"the procedure {line.skill} did not match")
    return tuple(found)


def _settle(user: str, settings: Settings, clock: _DemoClock) -> Settled:
    with _agent(user, settings, clock) as agent:
        report = agent.consolidate()
        return Settled(user, report, agent.profile.render())


def _count(settings: Settings, clock: _DemoClock) -> Counted:
    """Counts what each can read of their own, and of the other's by asking for the very words."""
    held: dict[str, int] = {}
    seen: dict[str, int] = {}
    texts = {user: _own_texts(user, settings, clock) for user in (ALICE, BOB)}
    for user, other in ((ALICE, BOB), (BOB, ALICE)):
        held[user] = len(texts[user])
        with _agent(other, settings, clock) as agent:
            found = {
                candidate.memory.scope.id
                for text in texts[user]
                for candidate in agent.search(text, gate=False, limit=50)
            }
        seen[user] = len(found - {other, ORG})
    return Counted(held, seen)


def _own_texts(user: str, settings: Settings, clock: _DemoClock) -> list[str]:
    with _agent(user, settings, clock) as agent:
        return [memory.text for memory in agent.facts.known()]
