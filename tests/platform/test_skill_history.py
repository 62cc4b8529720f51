"""The history of skills: a line for every change, by whom, when and why."""

from collections.abc import Iterator

import pytest

from stratal.settings import Settings
from stratal.skill_history import history
from stratal_memory.records import Scope, ScopeKind
from stratal_memory.truth import access
from stratal_procedures import counting, shelf
from tests.memory.worlds import World, opened
from tests.procedures.practising import Practice

TEXT = "---\nname: fry\ndescription: How to fry.\n---\nFry it."
GOODS = ("flour", "butter", "yeast")


@pytest.fixture
def world(settings: Settings) -> Iterator[World]:
    made = opened(settings.data)
    yield made
    made.close()


def order(practice: Practice, product: str, answer: str = "thanks", name: str = "") -> None:
    steps = [(tool, {"product": product}) for tool in ("find", "check", "note")]
    used = counting.in_use(practice.store, name) if name else None
    practice.done(f"Please order {product} for the shop", steps, answer=answer, used=used)


def test_every_change_of_a_learned_version_has_a_line_of_its_own(world: World) -> None:
    practice = Practice(world.store())
    for product in GOODS:
        order(practice, product)
    [draft] = shelf.list_drafts(practice.store)
    world.clock.pass_(minutes=5)
    approved = shelf.approve(practice.store, draft.key, draft.digest, note="looks right")
    for _ in range(2):
        world.clock.pass_(minutes=5)
        order(practice, "milk", "no, wrong", draft.name)
    demoted = shelf.list_stored(practice.store)[0]
    for product in GOODS:
        order(practice, product)

    lines = history(practice.store, draft.name)

    assert [(one.version, one.what, one.by, one.note) for one in lines] == [
        (2, "drafted", "practice", "3 good episodes of one task"),
        (1, "demoted", "practice", demoted.why),
        (1, "approved", "alice", "looks right"),
        (1, "drafted", "practice", "3 good episodes of one task"),
    ]
    assert "2 bad" in demoted.why
    assert lines[2].at == approved.approved_at
    assert lines[1].at > lines[2].at > lines[3].at
    assert {one.where for one in lines} == {draft.key}
    assert lines[-1].digest == draft.digest != lines[0].digest


def test_a_version_that_another_took_the_place_of_has_a_line_that_says_so(world: World) -> None:
    store = world.store()
    first = shelf.write(store, TEXT)
    second = shelf.edit(store, first.key, TEXT.replace("name: fry", "name: fry-well"))
    shelf.approve(store, second.key, second.digest)
    shelf.reject(store, second.key, second.digest, note="no more")

    lines = history(store, "FRY")

    assert [(one.name, one.version, one.what, one.by, one.note) for one in lines] == [
        ("fry-well", 2, "rejected", "alice", "no more"),
        ("fry", 1, "replaced", "alice", "version 2 took its place"),
        ("fry-well", 2, "approved", "alice", ""),
        ("fry-well", 2, "drafted", "alice", "edited by a person"),
        ("fry", 1, "written", "alice", "written by a person"),
    ]
    assert history(store, first.key) == history(store) == lines
    assert history(store, "other") == []


def test_nobody_else_reads_it_but_who_shares_the_procedure(world: World) -> None:
    alice, mill = world.store("alice", org="mill"), Scope(ScopeKind.ORG, "mill")
    shelf.write(alice, TEXT)
    shelf.write(alice, TEXT.replace("fry", "bake"), shared=mill)
    with alice.write() as journal:
        access.grant(journal.connection, mill, by="alice", to="bob", now=journal.at)

    assert {one.name for one in history(alice)} == {"fry", "bake"}
    assert history(world.store("bob")) == history(world.store("carol")) == []
    assert [(one.name, one.by) for one in history(world.store("bob", org="mill"))] == [
        ("bake", "alice")
    ]
