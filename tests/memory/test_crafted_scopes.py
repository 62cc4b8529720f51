"""Names that other systems fell for: refused, or one more user; never all, never a neighbour."""
# covers I1, I3

import inspect
from collections.abc import Callable
from contextlib import suppress

import pytest
from sqlalchemy import delete
from sqlalchemy.exc import SQLAlchemyError

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.erase.pipeline import erase, plan
from stratal_memory.erase.target import Target, What
from stratal_memory.errors import AccessDenied, NotFound, ScopeError, StratalError
from stratal_memory.incoming import NewDocument
from stratal_memory.learning.gate import take_in
from stratal_memory.portability.export import export as exported
from stratal_memory.recall.recall import search
from stratal_memory.records import Form, Passage, Scope, ScopeKind, Status
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.episodic import Episodes
from stratal_memory.tiers.procedural import Described, Procedures
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import access, events, runs
from stratal_memory.truth.schema import memories as table
from tests.memory.test_isolation import (
    ANY,
    CANARY,
    CLASSES,
    HISTORY,
    QUESTION,
    READS,
    WRITES,
    Alices,
    functions,
)
from tests.memory.worlds import World, begin, export, say

REFUSED: list[object] = [
    "*", "", " ", "\t\n ", None, {}, [], (), {"$ne": "x"}, {"$gt": ""}, ["alice"], ("alice",), "%",
    "**", "?", "_", 0, True,
]  # fmt: skip
# Legal names, so that they work; what they look like is nothing to anybody.
HOSTILE = ["alice' OR 1=1", "alice' OR '1'='1' --", '{"$ne": "x"}', "alic", "alice%", "al_ce", "a*"]
ORDINARY = ["alice@example.com", "алиса@пример.рф", "山田太郎", "🦊", "O'Brien", "a" * 200]


def principal(**names: object) -> Principal:
    return Principal(**names)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", REFUSED, ids=repr)
@pytest.mark.parametrize("field", ["user", "project", "org", "session", "agent"])
def test_nothing_is_opened_for_a_name_that_could_mean_all(field: str, name: object) -> None:
    if name is None and field in ("project", "org", "session"):
        assert principal(user="alice", **{field: name}).scopes() == Principal(user="alice").scopes()
        return

    with pytest.raises(ScopeError):
        principal(**{"user": "alice", field: name})


def asked_by_user() -> dict[str, Callable[..., object]]:
    """Every function of the truth that is told whose rows it may read."""
    found = {
        f"{module.__name__.rpartition('.')[2]}.{name}": one
        for module in (*HISTORY, events, runs, access)
        for name, one in functions(module)
        if f"{module.__name__.rpartition('.')[2]}.{name}" not in WRITES
    }
    return {
        name: one
        for name, one in found.items()
        if callable(one) and "user" in inspect.signature(one).parameters
    }


@pytest.mark.parametrize("name", sorted(asked_by_user()))
def test_no_function_that_takes_a_user_takes_a_pattern(world: World, name: str) -> None:
    alices = Alices(world)
    read = asked_by_user()[name]
    others = {
        "id": alices.event,
        "key": alices.fact.key,
        "agent": "main",
        "before": world.clock(),
        "scope": Scope(ScopeKind.PROJECT, CANARY),
        "by": "bob",
        "limit": 5,
        "seq": 0,
        "but": "",
        "kind": "consolidation",
        "keys": [alices.fact.key],
        "uses": 0,
    }
    wanted = [
        one.name
        for one in inspect.signature(read).parameters.values()
        if one.name not in ("connection", "user")
    ]

    given = {one: others[one] for one in wanted if one in others}
    with world.database.read() as connection, suppress(NotFound, AccessDenied):
        read(connection, user="alice", **given)  # the call is right; only the name is not

    for crafted in (*REFUSED, *HOSTILE):
        with world.database.read() as connection:
            try:
                seen = read(connection, user=crafted, **given)
            except (StratalError, SQLAlchemyError):
                continue  # refused
        assert CANARY not in repr(seen).casefold(), crafted


@pytest.mark.parametrize("user", HOSTILE)
def test_a_hostile_name_reads_nothing_of_alices_by_any_way(world: World, user: str) -> None:
    alices = Alices(world)
    store = world.store(user, embedder=HashEmbedder())

    for name, read in READS.items():
        assert CANARY not in repr(read(store, alices)).casefold(), name


def standing_in(world: World, user: str, kind: ScopeKind, id: str) -> Store:
    embedder = HashEmbedder()
    if kind is ScopeKind.PROJECT:
        return world.store(user, embedder=embedder, project=id)
    return world.store(user, embedder=embedder, org=id)


@pytest.mark.parametrize("kind", [ScopeKind.PROJECT, ScopeKind.ORG])
@pytest.mark.parametrize("other", ["acme", "acme-corp-2", "ACME-CORP", "acme_corp", "acme%"])
def test_a_project_or_org_is_compared_whole(world: World, kind: ScopeKind, other: str) -> None:
    alice = standing_in(world, "alice", kind, "acme-corp")
    Facts(alice).add(f"The {CANARY} code is blue.", scope=kind)
    alices = Alices(world)

    bob = standing_in(world, "bob", kind, other)

    for name, read in READS.items():
        assert CANARY not in repr(read(bob, alices)).casefold(), name


def her_path(alices: Alices) -> NewDocument:
    return NewDocument(
        path=alices.document.path,
        title="mine",
        format="markdown",
        content_hash="1" * 64,
        characters=4,
    )


MINE = [Passage(text="mine", ordinal=0, start=0, end=4)]


def put(store: Store, alices: Alices) -> object:
    return Documents(store).put(her_path(alices), MINE)


def drafted(store: Store, alices: Alices) -> object:
    run = Documents(store).in_run()
    with run.together() as documents:
        made = documents.draft(her_path(alices), MINE)
        documents.holds(made)
        rows = dict(zip(made.missing, documents.embed(made.missing), strict=True))
        documents.store_all([made], rows)
    run.close_run("{}")
    return documents.window, documents.count("mine")


def retired(store: Store, alices: Alices) -> object:
    own = Documents(store).put(her_path(alices), MINE)
    Documents(store).in_act().retire(own, reason="removed")
    return own


def spoken(store: Store) -> None:
    session = begin(store)
    take_in(store, session, say(store, session, f"I moved to {CANARY.title()}.", "Noted."))


def rebuilt(store: Store, how: str) -> object:
    with store.write() as journal:
        return getattr(Profile(store), how)(journal)


def episodes(store: Store) -> object:
    spoken(store)
    return consolidate(store)


# Every way of a tier to write, by a stranger who knows what alice's things are called.
CHANGES: dict[str, Callable[[Store, Alices], object]] = {
    "Facts.add": lambda store, a: Facts(store).add(a.fact.text),
    "Facts.add_all": lambda store, a: Facts(store).add_all([a.fact.text, "I keep bees."]),
    "Documents.put": put,
    "Documents.scope": lambda store, _: Documents(store).scope,
    "Documents.in_act": retired,
    **dict.fromkeys(
        (
            "Documents.in_run",
            "Documents.together",
            "Documents.close_run",
            "Documents.window",
            "Documents.count",
            "Documents.embed",
            "Documents.draft",
            "Documents.holds",
            "Documents.store_all",
        ),
        drafted,
    ),
    "Profile.rebuild": lambda store, _: rebuilt(store, "rebuild"),
    "Profile.refresh": lambda store, _: rebuilt(store, "refresh"),
    "Procedures.sync": lambda store, _: Procedures(store).sync([Described(CANARY, "mine")]),
    "Episodes.windows": lambda store, _: episodes(store),
    "Episodes.write": lambda store, _: episodes(store),
}


def test_every_way_of_a_tier_to_write_has_an_entry() -> None:
    tiers = {owner.__name__ for owner in (*CLASSES, Episodes)}

    assert set(CHANGES) == {name for name in WRITES if name.partition(".")[0] in tiers}


def of_alice(alices: Alices) -> list[str]:
    """All rows of hers, as her export tells them."""
    return [line for line in exported(alices.store) if '"record": "end"' not in line]


@pytest.mark.parametrize("user", HOSTILE)
def test_what_a_hostile_name_writes_changes_nothing_of_alices(world: World, user: str) -> None:
    alices = Alices(world)
    store = world.store(user, embedder=HashEmbedder())
    before = of_alice(alices)

    for change in CHANGES.values():
        change(store, alices)
    spoken(store)

    assert of_alice(alices) == before


@pytest.mark.parametrize("name", ["*", "", "%", "_", "mem_%", "key_*", "' OR 1=1 --", "doc_", "/"])
@pytest.mark.parametrize("what", [What.KEY, What.SOURCE])
def test_erasing_a_pattern_erases_nothing(world: World, what: What, name: str) -> None:
    alices = Alices(world)
    before = export(world.database)
    target = Target(what=what, name=name, principal=Principal(user="alice"))

    for act in (plan, erase):
        with pytest.raises(NotFound):
            act(world.database, target)

    assert export(world.database) == before
    assert Facts(alices.store).known()


@pytest.mark.parametrize("user", HOSTILE)
def test_a_hostile_name_erases_what_is_its_own_and_no_more(world: World, user: str) -> None:
    alices = Alices(world)
    store = world.store(user)
    Facts(store).add("The user keeps bees.")
    before = of_alice(alices)

    for name in (alices.fact.id, alices.fact.key, alices.document.id, alices.session.id):
        for what in (What.KEY, What.SOURCE):
            with pytest.raises(NotFound):
                plan(world.database, Target(what=what, name=name, principal=Principal(user=user)))
    erase(world.database, Target.everything_of(Principal(user=user)))

    again = world.store("alice")
    assert [line for line in exported(again) if '"record": "end"' not in line] == before
    assert Facts(world.store(user)).known() == []


def test_a_store_without_a_scope_reads_and_writes_nothing(world: World) -> None:
    """A reach made by hand, past every check: nobody's view is not everybody's."""
    alices = Alices(world)
    nobody = access.Reach(Principal(user="bob"), ())

    with pytest.raises(ScopeError, match="no scope to read in"):
        access.visible(nobody, forms=tuple(Form), statuses=tuple(Status))

    with world.database.write() as connection:
        gone = connection.execute(delete(table).where(table.c.scope_id == ""))
    assert gone.rowcount == 0
    assert Facts(alices.store).known()


@pytest.mark.parametrize("user", ORDINARY)
def test_an_ordinary_name_in_any_script_works_from_end_to_end(world: World, user: str) -> None:
    store = world.store(user, embedder=HashEmbedder(), project=f"{user[:190]}-home")
    Facts(store).add(f"The {CANARY} code is blue.")
    Facts(store).add("The door is green.", scope=ScopeKind.PROJECT)
    spoken(store)
    consolidate(store)

    found = search(store, QUESTION, settings=ANY, forms=tuple(Form))

    assert {CANARY in one.memory.text.casefold() for one in found} >= {True}
    assert Facts(world.store(user)).known()[-1].scope == Scope(ScopeKind.USER, user)
