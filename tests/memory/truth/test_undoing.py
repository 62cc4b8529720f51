"""Undo takes back one act, where who asks may write now; the profile's lines follow the facts."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.errors import AccessDenied, NotFound, UndoRefused
from stratal_memory.incoming import NewDocument
from stratal_memory.records import Event, Memory, Passage, Scope, ScopeKind
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.editing import Editing
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth import access
from tests.memory.worlds import World, begin, export, say

APOLLO = Scope(ScopeKind.PROJECT, "apollo")


def log(store: Store, memory: Memory) -> tuple[Event, ...]:
    return Versions(store).history(memory.key).events


def newest(store: Store, memory: Memory) -> Event:
    return log(store, memory)[-1]


def member(world: World) -> tuple[Store, Store, Store]:
    """Alice, who owns a project, and Bob, who may use it: inside and outside of it."""
    alice = world.store("alice", project="apollo")
    with world.database.write() as connection:
        access.grant(connection, APOLLO, by="alice", to="bob", now=world.clock())
    return alice, world.store("bob", project="apollo"), world.store("bob")


def revoke(world: World) -> None:
    with world.database.write() as connection:
        access.revoke(connection, APOLLO, by="alice", user="bob")


def by_fact(store: Store) -> Callable[[Store], object]:
    made = Facts(store).add("We decided on Rust.", scope=ScopeKind.PROJECT, facet="decision")
    name = newest(store, made.memory).id
    return lambda other: Versions(other).undo(name)


def by_hand(store: Store) -> Callable[[Store], object]:
    made = Facts(store).add("We decided on Rust.", scope=ScopeKind.PROJECT, facet="decision")
    name = Editing(store).pin(made.memory.id).event
    return lambda other: Versions(other).undo(name)


def by_run(store: Store) -> Callable[[Store], object]:
    Facts(store).add("We decided on Rust.", scope=ScopeKind.PROJECT, facet="decision")
    run = consolidate(store).run
    return lambda other: undo_run(other, run)


def by_document(store: Store) -> Callable[[Store], object]:
    documents = Documents(store, scope_kind=ScopeKind.PROJECT).in_run()
    new = NewDocument(path="/a.md", title="A", format="md", content_hash="0", characters=5)
    documents.put(new, [Passage(text="Ovens need care.", ordinal=0, start=0, end=5)])
    return lambda other: undo_run(other, documents.run)


@pytest.mark.parametrize("act", [by_fact, by_hand, by_run, by_document])
def test_who_lost_a_project_undoes_nothing_in_it(
    world: World, act: Callable[[Store], Callable[[Store], object]]
) -> None:
    _, inside, outside = member(world)
    undo = act(inside)
    before = export(world.database, with_runs=True)

    with pytest.raises(UndoRefused, match="project:apollo") as refused:
        undo(outside)
    revoke(world)
    for store in (inside, outside):
        with pytest.raises(AccessDenied):
            undo(store)

    assert refused.value.hint == "Say where: --project apollo"
    assert export(world.database, with_runs=True) == before


@pytest.mark.parametrize("act", [by_fact, by_hand, by_run, by_document])
def test_a_member_undoes_what_they_did_in_a_project(
    world: World, act: Callable[[Store], Callable[[Store], object]]
) -> None:
    _, inside, _ = member(world)

    assert act(inside)(inside)


def test_acts_of_the_same_moment_are_taken_back_one_by_one(world: World) -> None:
    now = world.clock.now
    store = replace(world.store(), clock=lambda: now)  # as a coarse clock is
    Facts(store).add("I live in Lisbon.")
    states = [export(world.database)]
    Facts(store).add("I live in Porto.")
    states.append(export(world.database))
    made = Facts(store).add("I live in Oslo.").memory

    for state in reversed(states):
        Versions(store).undo([one for one in log(store, made) if one.undone is None][-1].id)
        assert export(world.database) == state


def test_a_run_is_undone_after_a_line_of_the_profile_was_written_again(world: World) -> None:
    store = world.store()
    Facts(store).add("I live in Lisbon.")
    eva = Facts(store).add("My sister is called Eva.").memory
    say(store, begin(store), "I play the oboe in the city orchestra.", "Lovely.")
    run = consolidate(store).run
    Facts(store).add("My brother is called Rui.")
    Editing(store).forget(eva.key)
    assert "Eva" not in Profile(store).render()

    undo_run(store, run)

    assert "Eva" not in Profile(store).render()
    with pytest.raises(NotFound, match="was undone already"):
        undo_run(store, run)
