"""Two people at two desks who write while a run goes on, and what must hold afterwards."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from sqlalchemy import select

from stratal_memory.consolidation.operations import Merge, perform
from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import ConsolidationBusy
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Editing, acting
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import memories
from stratal_memory.truth.schema import events, evidence
from stratal_memory.truth.schema import memories as table
from stratal_memory.truth.vectors import LIVE
from tests.memory.worlds import World, begin, say

CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Sines")
THINGS = ("stamps", "maps", "knots", "coins", "shells", "bells", "ropes")


@dataclass
class Writer:
    """One of them, in a thread and with a store of their own.

    `told` is what they were told is kept: the words of evidence by its reference.
    """

    name: str
    store: Store
    told: dict[str, str] = field(default_factory=dict[str, str])
    gone: set[str] = field(default_factory=set[str])  # versions they took out themselves
    done: int = 0

    def add(self) -> None:
        """A fact that the run may put beside others, and one of their own."""
        self.done += 1
        what = THINGS[self.done % len(THINGS)]
        self._keep(f"The user collects {what} of {self.name}.")
        self._keep("The old boat lies by the shed.")

    def correct(self) -> None:
        """A new home, as said in a conversation, and an edit by hand."""
        self.done += 1
        self._keep(f"I moved to {CITIES[self.done % len(CITIES)]}.")
        known = self._standing()
        if known:
            old = known[self.done % len(known)]
            made = Editing(self.store).edit(old.id, f"{old.text[:60].rstrip('.')} ({self.name}).")
            self.gone.add(old.id)
            self.told[old.id] = made.memory.text

    def forget(self) -> None:
        """The newest fact goes."""
        known = self._standing()
        if known:
            Editing(self.store).forget(known[0].id)
            self.gone.add(known[0].id)

    def merge(self) -> None:
        """Two that say the same become one, as `memory review` does it."""
        same: dict[str, Memory] = {}
        for one in self._standing():
            if one.status is Status.ACTIVE and one.text in same:
                with acting(self.store) as journal:
                    two = Merge(kept=one.id, other=same[one.text].id)
                    perform(self.store, journal, two, planned=None)
                return
            same[one.text] = one

    def talk(self) -> None:
        """A conversation, which is nobody's episode yet."""
        say(self.store, begin(self.store), f"{self.name} saw a heron at the lake.")

    def settle(self) -> None:
        """A run of another agent of the same user."""
        try:
            consolidate(self.store)
        except ConsolidationBusy:
            return

    def _keep(self, text: str) -> None:
        made = Facts(self.store).add(text)
        self.told[made.memory.evidence[-1].ref] = text

    def _standing(self) -> list[Memory]:
        return Facts(self.store).known(forms=(Form.FACT,))


ACTS: dict[str, Callable[[Writer], None]] = {
    "add": Writer.add,
    "correct": Writer.correct,
    "forget": Writer.forget,
    "merge": Writer.merge,
    "talk": Writer.talk,
    "settle": Writer.settle,
}


@dataclass
class Writers:
    """Both of them; each acts in a thread of their own, and is waited for."""

    writers: tuple[Writer, ...]
    pools: tuple[ThreadPoolExecutor, ...]

    @classmethod
    def of(cls, world: World) -> "Writers":
        made = tuple(
            Writer(name, world.store(agent=agent, embedder=HashEmbedder()))
            for name, agent in (("Ann", "coach"), ("Ben", "scribe"))
        )
        return cls(made, tuple(ThreadPoolExecutor(1) for _ in made))

    def act(self, *names: str) -> None:
        """One after the other, each in a thread of their own: the same every time."""
        for name, writer, pool in zip(names, self.writers, self.pools, strict=True):
            pool.submit(ACTS[name], writer).result()

    def close(self) -> None:
        for pool in self.pools:
            pool.shutdown()


def lost(store: Store, writers: Writers) -> list[str]:
    """What a writer was told is kept and nothing rests on, that stands or was taken out."""
    gone = {id for one in writers.writers for id in one.gone}
    with store.read() as connection:
        rows = connection.execute(select(evidence.c.ref, evidence.c.memory)).all()
        every = {
            one.id: one for one in memories.select_memories(connection, table.c.form == Form.FACT)
        }
    resting: dict[str, list[Memory]] = {}
    for ref, id in rows:
        if id in every:
            resting.setdefault(ref, []).append(every[id])
    return [
        text
        for one in writers.writers
        for ref, text in one.told.items()
        if not any(_kept(memory, every, gone) for memory in resting.get(ref, []))
    ]


def _kept(memory: Memory, every: dict[str, Memory], gone: set[str]) -> bool:
    """Whether it stands, was said to be over by a later one of its kind, or was taken out."""
    if memory.status in LIVE or memory.id in gone:
        return True
    over = memory.status is Status.SUPERSEDED and memory.facet != ""
    return over and any(
        one.status in LIVE and one.facet == memory.facet and one.id != memory.id
        for one in every.values()
    )


def forked(store: Store) -> list[tuple[str, str]]:
    """Keys and values that more than one version stands for, and versions numbered twice."""
    with store.read() as connection:
        found = connection.execute(select(table)).mappings().all()
    standing = Counter(
        (row["key"], row["value"]) for row in found if row["status"] == Status.ACTIVE
    )
    numbered = Counter((row["key"], str(row["version"])) for row in found)
    return [name for name, count in (standing + numbered).items() if count > 1]


def closed_twice(store: Store) -> list[str]:
    """Versions that were ended more often than once, and never opened between."""
    with store.read() as connection:
        ended = connection.execute(
            select(events.c.memory).where(
                events.c.kind == "memory.closed", events.c.undone.is_(None)
            )
        ).scalars()
        return [id for id, count in Counter(ended).items() if count > 1]


def told_of_what_is_gone(store: Store) -> list[str]:
    """What stands and tells of something that does not stand."""
    with store.read() as connection:
        rows = connection.execute(
            select(table.c.id, table.c.status, table.c.form, table.c.text)
        ).all()
        cites = connection.execute(select(evidence.c.memory, evidence.c.ref)).all()
    by_id = {row.id: row for row in rows}
    return [
        by_id[memory].text
        for memory, ref in cites
        if by_id[memory].form == Form.OBSERVATION
        and by_id[memory].status == Status.ACTIVE
        and (ref not in by_id or by_id[ref].status not in LIVE)
    ]


def doubled(store: Store) -> list[str]:
    """Lines about the same facts that stand twice."""
    with store.read() as connection:
        told = memories.select_memories(
            connection, (table.c.form == Form.OBSERVATION) & (table.c.status == Status.ACTIVE)
        )
    names = Counter((one.facet, frozenset(seen.ref for seen in one.evidence)) for one in told)
    return [facet for (facet, _), count in names.items() if count > 1]
