"""Bob never sees alice, through any public way to read: a new one without an entry here fails."""
# covers I1, I3

import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from types import ModuleType

import pytest
from sqlalchemy import Connection, select

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import NotFound, ScopeError
from stratal_memory.incoming import NewDocument
from stratal_memory.learning.gate import take_in
from stratal_memory.recall import recall as recalling
from stratal_memory.recall.recall import ranking, recall, search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import (
    Cost,
    Document,
    Form,
    Passage,
    Scope,
    ScopeKind,
    Session,
    Status,
)
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.episodic import Episodes
from stratal_memory.tiers.procedural import Described, Procedures
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.reviewing import Reviewing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth import (
    approvals,
    archiving,
    calibrations,
    events,
    forgotten,
    held,
    ledgers,
    messages,
    practised,
    procedures,
    recalls,
    runs,
    schema,
    sessions,
    spending,
    summaries,
    todos,
    turns,
    usefulness,
)
from stratal_memory.truth.access import Reach
from tests.memory.worlds import World, begin, say

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
CANARY = "xanadu"  # stands in everything of alice's
QUESTION = f"What about {CANARY}?"
ANY = RecallSettings(minimum_similarity=0.0)  # the gate lets everything through


class Alices:
    """Everything alice has, and the names an attacker may have learned."""

    def __init__(self, world: World) -> None:
        self.store = world.store("alice", embedder=HashEmbedder())
        self.fact = Facts(self.store).add(f"The {CANARY} code is blue.").memory
        self.session: Session = begin(self.store)
        self.said = say(self.store, self.session, f"I moved to {CANARY.title()}.", f"{CANARY}!")
        take_in(self.store, self.session, self.said)
        self.document: Document = Documents(self.store).put(
            NewDocument(
                path=f"/{CANARY}.md",
                title=CANARY,
                format="markdown",
                content_hash="0" * 64,
                characters=20,
            ),
            [Passage(text=f"{CANARY} passage", ordinal=0, start=0, end=20)],
        )
        with self.store.write() as journal:
            words = forgotten.Forgotten(
                message=self.said[0].id, session=self.session.id, words=CANARY
            )
            forgotten.note(journal, self.fact, [words])
        Procedures(self.store).sync([Described(CANARY, f"how to reach {CANARY}")])
        with self.store.write() as journal:
            word = approvals.Decision(
                name=CANARY,
                folder=f"/{CANARY}",
                digest="0",
                verdict=approvals.Verdict.APPROVED,
                note=CANARY,
                by="alice",
            )
            approvals.record(journal.connection, word, user="alice", at=journal.at)
        with self.store.write() as journal:
            text, turn = (
                f"how to reach {CANARY}",
                journal.connection.execute(select(schema.turns.c.id)).scalars().one(),
            )
            practised.note_episode(
                journal.connection,
                practised.PractisedTurn(
                    turn=turn,
                    tools=CANARY,
                    signature=CANARY,
                    steps=CANARY,
                    ok=None,
                    why=CANARY,
                    at=journal.at,
                ),
            )
            procedures.add(
                journal.connection,
                procedures.StoredProcedure(
                    key=CANARY,
                    version=1,
                    scope=Scope(ScopeKind.USER, "alice"),
                    agent="main",
                    name=CANARY,
                    text=text,
                    digest=procedures.digest_of(text),
                    origin=procedures.Origin.WRITTEN,
                    author="alice",
                    recorded_at=journal.at,
                    state=procedures.State.ACTIVE,
                    signature=CANARY,
                ),
            )
            told = (("procedure", CANARY), ("version", "1"))
            journal.note("procedure.written", reason=CANARY, detail=told)
        self.run = consolidate(self.store).run
        self.event = Versions(self.store).history(self.fact.id).events[-1].id


def nothing(store: Store, alices: Alices) -> object:
    """Refused, as it should be."""
    with pytest.raises(NotFound):
        Documents(store).get(alices.document.id)
    with pytest.raises(NotFound):
        Documents(store).retire(alices.document, reason="mine now")
    for take in (Documents(store).move, Documents(store).copy):
        with pytest.raises(NotFound):
            take(alices.document, path="/mine.md", root="/")
    editing, review, versions = Editing(store), Reviewing(store), Versions(store)
    for attempt in (
        Facts(store).show,
        versions.history,
        versions.undo,
        lambda name: editing.edit(name, "The code is red."),
        editing.pin,
        editing.forget,
        lambda name: editing.promote(name, ScopeKind.PROJECT),
        review.accept,
        review.reject,
    ):
        for name in (alices.fact.id, alices.fact.key, alices.event):
            with pytest.raises((NotFound, ScopeError)) as refused:  # bob stands in no project
                attempt(name)
            assert CANARY not in str(refused.value)
    return None


def connected(read: Callable[..., object], **named: object) -> Callable[[Store, Alices], object]:
    def call(store: Store, alices: Alices) -> object:
        with store.read() as connection:
            return read(connection, **named)

    return call


def reached(store: Store, read: Callable[[Connection, Reach], object]) -> object:
    with store.read() as connection:
        return read(connection, store.reach)


def unknown(store: Store) -> None:
    """A key that was learned elsewhere opens nothing."""
    with store.read() as connection, pytest.raises(NotFound):
        procedures.versions(connection, store.reach, CANARY)


READS: dict[str, Callable[[Store, Alices], object]] = {
    "Facts.known": lambda store, _: Facts(store).known(forms=tuple(Form), statuses=tuple(Status)),
    "Facts.show": nothing,
    "Versions.history": nothing,
    "Versions.undo": nothing,
    "Versions.as_of": lambda store, _: Versions(store).as_of(store.clock(), forms=tuple(Form)),
    "Versions.held": lambda store, _: Versions(store).held(
        store.clock(), forms=tuple(Form), statuses=tuple(Status)
    ),
    "Versions.diff": lambda store, _: Versions(store).diff(LONG_AGO, store.clock()),
    "Editing.edit": nothing,
    "Editing.pin": nothing,
    "Editing.forget": nothing,
    "Editing.promote": nothing,
    "Reviewing.accept": nothing,
    "Reviewing.reject": nothing,
    "Reviewing.waiting": lambda store, _: Reviewing(store).waiting(),
    "Documents.find": lambda store, a: Documents(store).find(a.document.path),
    "Documents.are_there": lambda store, _: Documents(store).are_there() and CANARY,
    "Documents.live": lambda store, _: Documents(store).live(),
    "Documents.get": nothing,
    "Documents.retire": nothing,
    "Documents.passages": lambda store, a: Documents(store).passages(a.document),
    "Documents.placed": lambda store, a: Documents(store).placed(a.document),
    "Documents.inside": lambda store, a: Documents(store).inside(a.document),
    "Documents.copies": lambda store, a: Documents(store).copies(a.document),
    "Documents.stands": lambda store, a: Documents(store).stands(a.document),
    "Documents.outermost": lambda store, _: Documents(store).outermost(),
    "Documents.same_bytes": lambda store, a: Documents(store).same_bytes(a.document.content_hash),
    "Documents.found_by": lambda store, _: Documents(store).found_by("/", folder=True),
    "Documents.move": nothing,
    "Documents.copy": nothing,
    "Profile.slots": lambda store, _: Profile(store).slots(),
    "Profile.render": lambda store, _: Profile(store).render(),
    "Procedures.similarities": lambda store, _: (
        Procedures(store).similarities(QUESTION, [CANARY]) == [0.0] or CANARY
    ),
    "recall.recall": lambda store, _: recall(store, QUESTION, settings=ANY, count=len, nonce="n"),
    "recall.ranking": lambda store, _: ranking(store, QUESTION, settings=ANY, forms=tuple(Form)),
    "recall.search": lambda store, _: search(
        store, QUESTION, settings=ANY, forms=tuple(Form), limit=1000, gate=False
    ),
    "sessions.find_sessions": connected(sessions.find_sessions, user="bob"),
    "turns.find_turn": lambda store, a: connected(
        turns.find_turn, user="bob", agent="main", id=turn_of(a)
    )(store, a),
    "messages.unremembered": lambda store, a: connected(
        messages.unremembered, user="bob", before=store.clock()
    )(store, a),
    "approvals.of_user": connected(approvals.of_user, user="bob"),
    "approvals.revision": connected(approvals.revision, user="bob"),
    "events.of_user": connected(events.of_user, user="bob"),
    "events.find": lambda store, a: connected(events.find, id=a.event, user="bob")(store, a),
    "events.of_key": lambda store, a: connected(events.of_key, key=a.fact.key, user="bob")(
        store, a
    ),
    "practised.waiting": connected(practised.waiting, user="bob", agent="main"),
    "practised.of_tools": connected(
        practised.of_tools, user="bob", agent="main", tools=CANARY, limit=99
    ),
    "practised.of_signature": connected(
        practised.of_signature, user="bob", agent="main", signature=CANARY
    ),
    "procedures.find": lambda store, _: reached(store, procedures.find),
    "procedures.changes": lambda store, _: reached(store, procedures.changes),
    "procedures.of_signature": lambda store, _: reached(
        store, lambda connection, reach: procedures.of_signature(connection, reach, CANARY)
    ),
    "procedures.versions": lambda store, _: unknown(store),
    "recalls.told": lambda store, a: connected(recalls.told, reach=store.reach, ids=[a.fact.id])(
        store, a
    ),
    "usefulness.of_keys": lambda store, a: connected(
        usefulness.of_keys, user="bob", keys=[a.fact.key]
    )(store, a),
    "usefulness.unfed": connected(usefulness.unfed, user="bob", uses=0),
    "runs.find": lambda store, a: [
        connected(runs.find, user="bob")(store, a),
        connected(runs.find, user="bob", id=a.run)(store, a),
    ],
    "runs.unfinished": connected(runs.unfinished, user="bob", agent="main"),
    "runs.latest": connected(runs.latest, kind="consolidation", user="bob", agent="main"),
    "held.waiting": connected(held.waiting, user="bob"),
    "held.kept_back": connected(held.kept_back, user="bob"),
    "spending.spent": lambda store, a: (
        connected(spending.spent, user="bob", at=store.clock())(store, a) == Cost() or CANARY
    ),
    "events.any_since": lambda store, a: (
        CANARY if connected(events.any_since, user="carol", seq=0, but="")(store, a) else ""
    ),
    "sessions.any_unsettled": lambda store, a: (
        CANARY if connected(sessions.any_unsettled, user="bob", agent="main")(store, a) else ""
    ),
    "forgotten.left_out": connected(forgotten.left_out, user="bob"),
    "archiving.with_words": lambda store, a: connected(
        archiving.with_words, user="bob", agent="main", before=store.clock()
    )(store, a),
    "archiving.with_episodes": lambda store, a: connected(
        archiving.with_episodes, user="bob", agent="main", before=store.clock()
    )(store, a),
}

# Take the unguessable id of a session, turn or run that only a scoped read above gives away.
BY_ID = {
    "sessions.lowest_read",
    "turns.last_turn",
    "turns.open_turns",
    "messages.of_session",
    "todos.todos_of",
    "messages.newest_turns",
    "messages.of_turn",
    "messages.of_ids",
    "messages.by_hash",
    "messages.used_call_ids",
    "messages.not_remembered",
    "summaries.newest_summary",
    "summaries.current_cut",
    "recalls.recalled_in",
    "recalls.lately",
    "usefulness.keys_of",  # of versions named in an import's own lines
    "ledgers.texts_of",
    "practised.episode_of",
    "practised.outcome_of",
    "practised.outcomes_of",
    "practised.untrusted_recalled",
    "events.of_run",
    "events.of_memory",
    "events.of_act",
    "events.before",
    "events.came_with_import",
    "events.touched_after",
    "events.disputed",
    "runs.busy",  # the words for a run that was found for its user
    "runs.steps_of",
    "runs.changes_of",
    "held.of_run",
    "archiving.told_of",
    "forgotten.told_of",
    "forgotten.words_in",
    "archiving.archived_among",
    "archiving.last_rows",
}
# Of models, not of users.
NOBODYS = {"calibrations.load", "calibrations.store", "events.latest_seq"}
# Write, or make what is to be written; what they may write is tested where they live.
WRITES = {
    "Facts.add",
    "Facts.add_all",
    "Documents.put",
    "Documents.scope",
    "Documents.in_run",
    "Documents.in_act",
    "Documents.together",
    "Documents.close_run",
    "Documents.window",
    "Documents.count",
    "Documents.embed",
    "Documents.draft",
    "Documents.holds",
    "Documents.store_all",
    "Profile.rebuild",
    "Profile.refresh",
    "Procedures.sync",
    "Episodes.windows",
    "Episodes.write",
    "sessions.start_session",
    "sessions.mark_episode",
    "sessions.lower_trust",
    "turns.start_turn",
    "turns.close_turn",
    "turns.reopen_turn",
    "turns.abort_turn",
    "messages.append",
    "todos.keep_todos",
    "messages.mark_remembered",
    "summaries.keep_summary",
    "summaries.move_cut",
    "recalls.keep_recalls",
    "recalls.decide",
    "usefulness.count_in",
    "usefulness.recount",
    "usefulness.mark_fed",
    "usefulness.put_back",
    "ledgers.keep_ledger",
    "events.record",
    "events.record_all",
    "events.mark_undone",
    "approvals.record",
    "practised.note_episode",
    "practised.note_outcome",
    "practised.refuse_episode",
    "practised.settle_episode",
    "practised.settle_outcome",
    "procedures.add",
    "procedures.check_owner",
    "procedures.digest_of",
    "procedures.retire_older",
    "procedures.settle",
    "runs.start",
    "runs.begin",
    "runs.finish",
    "runs.open_run",
    "runs.take_up",
    "runs.hold_fast",
    "runs.wait",
    "runs.let_go",
    "runs.taken_back",
    "runs.end",
    "runs.keep_step",
    "runs.keep_change",
    "held.hold",
    "held.decide",
    "held.withdraw",
    "spending.spend",
    "forgotten.note",
    "forgotten.put_back",
    "forgotten.tell_anew",
    "forgotten.drop",
    "archiving.clear",
    "archiving.end",
}
CLASSES = (Facts, Versions, Editing, Reviewing, Documents, Profile, Episodes, Procedures)
HISTORY = (sessions, turns, messages, summaries, recalls, ledgers, usefulness)
PRACTICE = (practised, procedures)
SLEEP = (runs, held, spending, archiving, forgotten)
MODULES = (recalling, *HISTORY, todos, *PRACTICE, approvals, calibrations, events, *SLEEP)


def turn_of(alices: Alices) -> str:
    with alices.store.read() as connection:
        last = turns.last_turn(connection, alices.session.id)
    assert last is not None
    return last.id


def public() -> set[str]:
    """Every public method of the tiers and function of the modules that read."""
    fields = {"store", "scope_kind", "run", "on_step"}
    methods = {
        f"{owner.__name__}.{name}"
        for owner in CLASSES
        for name, _ in inspect.getmembers(owner)
        if not name.startswith("_") and name not in fields
    }
    return methods | {
        f"{module.__name__.rpartition('.')[2]}.{name}"
        for module in MODULES
        for name, _ in functions(module)
    }


def functions(module: ModuleType) -> list[tuple[str, object]]:
    return [
        (name, one)
        for name, one in inspect.getmembers(module, inspect.isfunction)
        if one.__module__ == module.__name__ and not name.startswith("_")
    ]


def test_every_public_way_has_an_entry() -> None:
    assert public() == set(READS) | BY_ID | NOBODYS | WRITES


@pytest.mark.parametrize("name", sorted(READS))
def test_bob_never_sees_alice(world: World, name: str) -> None:
    alices = Alices(world)
    bob = world.store("bob", embedder=HashEmbedder())
    Facts(bob).add("The user keeps bees.")

    seen = READS[name](bob, alices)

    assert CANARY not in repr(seen).casefold()


@pytest.mark.parametrize("user", ["alic", "alice2", "ALICE", "alice@example.com", "alice%"])
def test_a_prefix_or_a_pattern_is_another_user(world: World, user: str) -> None:
    alices = Alices(world)
    sibling = world.store(user, embedder=HashEmbedder())

    for read in READS.values():
        assert CANARY not in repr(read(sibling, alices)).casefold()


def test_alice_sees_what_is_hers(world: World) -> None:
    """The canary is where the attacks look for it: else they could not fail."""
    alices = Alices(world)
    found = {
        "Facts.known": Facts(alices.store).known(),
        "Versions.as_of": Versions(alices.store).as_of(alices.store.clock()),
        "Versions.held": Versions(alices.store).held(alices.store.clock()),
        "Versions.diff": Versions(alices.store).diff(LONG_AGO, alices.store.clock()),
        "Documents.find": Documents(alices.store).find(alices.document.path),
        "Documents.passages": Documents(alices.store).passages(alices.document),
        "Profile.render": Profile(alices.store).render(),
        "recall.recall": recall(alices.store, QUESTION, settings=ANY, count=len, nonce="n"),
        "recall.ranking": ranking(alices.store, QUESTION, settings=ANY),
        "recall.search": search(alices.store, QUESTION, settings=ANY),
    }

    assert [name for name, seen in found.items() if CANARY not in repr(seen).casefold()] == []
    assert Procedures(alices.store).similarities(QUESTION, [CANARY])[0] > 0


def test_what_bob_does_changes_nothing_of_alices(world: World) -> None:
    alices = Alices(world)
    before = repr(Facts(alices.store).known(forms=tuple(Form), statuses=tuple(Status)))

    bob = world.store("bob", embedder=HashEmbedder())
    Facts(bob).add(f"The {CANARY} code is blue.")
    session = begin(bob)
    take_in(bob, session, say(bob, session, f"I moved to {CANARY.title()}."))
    consolidate(bob)

    assert repr(Facts(alices.store).known(forms=tuple(Form), statuses=tuple(Status))) == before


def test_another_agent_of_alice_has_no_part_in_her_conversations(world: World) -> None:
    alices = Alices(world)
    coach = world.store("alice", agent="coach", embedder=HashEmbedder())

    found = search(coach, QUESTION, settings=ANY, forms=tuple(Form), limit=1000, gate=False)

    assert {one.memory.form for one in found} == {Form.FACT, Form.CHUNK, Form.SLOT}
    assert alices.fact.id in {one.memory.id for one in found}
