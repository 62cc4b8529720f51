"""What a person does by hand, and that each act can be taken back to the same bytes."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from stratal_memory.consolidation.taking_back import undo_run
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import AccessDenied, InputError, NotFound, ScopeError, UndoRefused
from stratal_memory.learning.resolution import Statement, resolve
from stratal_memory.recall.recall import search
from stratal_memory.recall.settings import RecallSettings
from stratal_memory.records import Form, Memory, ScopeKind, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.editing import Done, Editing
from stratal_memory.tiers.profile import Profile
from stratal_memory.tiers.reviewing import Reviewing
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from stratal_memory.truth import access
from tests.memory.worlds import World, export, memory, statement, texts

MARCH, MAY, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 7))


def learn(store: Store, *said: Statement) -> list[Memory]:
    found: list[Memory] = []
    for one in said:
        with store.write() as journal:
            found.append(resolve(journal, one, vector=None).memory)
    return found


def home(
    city: str, at: datetime, *, trust: Trust = Trust.USER, status: Status = Status.ACTIVE
) -> Statement:
    return statement(
        f"The user lives in {city}.",
        at=at,
        facet="home",
        value=city,
        single_valued=True,
        trust=trust,
        status=status,
    )


def rebuild(store: Store) -> None:
    with store.write() as journal:
        Profile(store).rebuild(journal)


def test_an_edit_is_a_new_version_on_the_users_word(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    [old] = learn(store, home("Lisbon", MARCH, trust=Trust.DOCUMENT))

    done = Editing(store).edit(old.id, "The user lives in Porto.")

    new = done.memory
    assert (new.key, new.version, new.supersedes) == (old.key, 2, old.id)
    assert (new.value, new.facet, new.trust, new.valid_from) == (
        "Porto",
        "home",
        Trust.USER,
        MARCH,
    )
    assert texts(Facts(store).known()) == ["The user lives in Porto."]
    assert texts(Versions(store).as_of(MAY)) == ["The user lives in Porto."]  # Lisbon never was
    found = search(store, "Porto", settings=RecallSettings(minimum_similarity=0.0))
    assert texts([one.memory for one in found]) == ["The user lives in Porto."]


def test_an_edit_that_keeps_the_value_keeps_it(world: World) -> None:
    store = world.store()
    [old] = learn(store, home("Lisbon", MARCH))

    new = Editing(store).edit(old.key, "The user has lived in Lisbon for years.").memory
    other = Editing(store).edit(old.key, "The user moved away from everything.").memory

    assert (new.facet, new.value) == ("home", "Lisbon")
    assert (other.facet, other.value) == ("home", "")  # the next home still replaces it
    learn(store, home("Porto", MAY))
    assert texts(Facts(store).known()) == ["The user lives in Porto."]


@pytest.mark.parametrize("text", ["I live in Porto", "The user lives in Porto now."])
def test_an_edit_in_other_words_about_the_same_keeps_a_value(world: World, text: str) -> None:
    store = world.store()
    [old] = learn(store, home("Lisbon", MARCH))

    new = Editing(store).edit(old.id, text).memory
    rebuild(store)

    assert (new.text, new.facet, new.value) == (text, "home", "Porto")
    assert "Home: Porto" in Profile(store).render()


def test_a_statement_about_nothing_in_particular_is_edited_too(world: World) -> None:
    store = world.store()
    [old] = learn(store, statement("The bicycle is red.", at=MAY))

    done = Editing(store).edit(old.id, "The bicycle is blue.")

    assert (done.memory.facet, done.memory.value) == ("", "")
    assert texts(Facts(store).known()) == ["The bicycle is blue."]


@pytest.mark.parametrize("text", ["", "  ", "x" * 2_001, "The user lives in Lisbon."])
def test_an_edit_to_nothing_new_is_refused(world: World, text: str) -> None:
    store = world.store()
    [old] = learn(store, home("Lisbon", MARCH))
    before = export(world.database)

    with pytest.raises(InputError):
        Editing(store).edit(old.id, text)

    assert export(world.database) == before


def test_only_what_stands_is_edited(world: World) -> None:
    store = world.store()
    old, _ = learn(store, home("Lisbon", MARCH), home("Porto", MAY))
    rebuild(store)
    [slot] = Profile(store).slots()

    with pytest.raises(InputError, match="is superseded, not active"):
        Editing(store).edit(old.id, "The user lives in Rome.")
    with pytest.raises(InputError, match="is no fact but a slot"):
        Editing(store).edit(slot.id, "Home: Rome")
    with pytest.raises(NotFound):
        Editing(store).edit("mem_nobody", "The user lives in Rome.")


def test_a_key_of_two_that_contest_each_other_names_both(world: World) -> None:
    store = world.store()
    one, other = learn(store, home("Lisbon", MAY), home("Porto", MAY))

    with pytest.raises(InputError, match="2 versions that contest") as refused:
        Editing(store).edit(one.key, "The user lives in Rome.")

    assert one.id in refused.value.hint
    assert other.id in refused.value.hint


def test_what_is_forgotten_is_not_found_and_what_it_replaced_stays_gone(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    learn(store, home("Lisbon", MARCH), home("Porto", MAY))
    rebuild(store)
    [known] = Facts(store).known()

    [done] = Editing(store).forget(known.key, reason="none of your business")

    assert (done.memory.status, done.reason) == (
        Status.RETRACTED,
        "forgotten by hand: none of your business",
    )
    assert Facts(store).known() == []
    assert Profile(store).render() == ""  # at once: the next prompt has it no more
    learn(store, home("Berlin", JULY))
    assert texts(Facts(store).known()) == ["The user lives in Berlin."]
    assert texts(Versions(store).as_of(MAY)) == []


def test_a_key_forgets_all_that_stands_of_it(world: World) -> None:
    store = world.store()
    one, _ = learn(store, home("Lisbon", MAY), home("Porto", MAY))

    found = Editing(store).forget(one.key)

    assert len(found) == 2
    assert Facts(store).known() == []


def test_forgetting_one_of_two_that_contest_settles_the_other(world: World) -> None:
    store = world.store()
    one, _ = learn(store, home("Lisbon", MAY), home("Porto", MAY))

    Editing(store).forget(one.id)

    [left] = Facts(store).known()
    assert (left.value, left.status, left.confidence) == ("Porto", Status.ACTIVE, 0.9)


def test_a_searchable_message_is_forgotten_and_a_passage_is_not(world: World) -> None:
    store = world.store()
    with store.write() as journal:
        message = memory("I buried gold in the park.", at=journal.at, form=Form.MESSAGE)
        chunk = memory("A passage.", at=journal.at, form=Form.CHUNK)
        journal.add(message, reason="a test")
        journal.add(chunk, reason="a test")

    Editing(store).forget(message.id)

    assert Facts(store).known(forms=(Form.MESSAGE,)) == []
    with pytest.raises(InputError) as refused:
        Editing(store).forget(chunk.id)
    assert "documents remove" in refused.value.hint


def test_a_pin_outlives_a_new_version_and_confirms_what_was_held(world: World) -> None:
    store = world.store()
    [held] = learn(store, home("Lisbon", MARCH, status=Status.PROVISIONAL))

    done = Editing(store).pin(held.id)
    again = Editing(store).pin(held.id)
    learn(store, home("Porto", MAY))

    assert (done.memory.status, done.memory.pinned) == (Status.ACTIVE, True)
    assert (again.reason, again.event) == ("was pinned already", "")
    [known] = Facts(store).known()
    assert (known.value, known.pinned) == ("Porto", True)
    assert not Editing(store).pin(known.id, pinned=False).memory.pinned


def acts() -> dict[str, Callable[[Store, str], Done]]:
    return {
        "edit": lambda store, name: Editing(store).edit(name, "The user lives in Rome."),
        "forget": lambda store, name: Editing(store).forget(name)[0],
        "pin": lambda store, name: Editing(store).pin(name),
        "promote": lambda store, name: Editing(store).promote(name, ScopeKind.PROJECT),
    }


@pytest.mark.parametrize("name", acts())
def test_an_act_is_taken_back_to_the_same_bytes(world: World, name: str) -> None:
    store = world.store(project="bakery", embedder=HashEmbedder())
    learn(store, home("Lisbon", MARCH), home("Porto", MAY, trust=Trust.WEB))
    rebuild(store)
    lisbon = next(one for one in Facts(store).known() if one.value == "Lisbon")
    before, profile = export(world.database), Profile(store).render()

    done = acts()[name](store, lisbon.id)
    changed = export(world.database)
    Versions(store).undo(done.event)

    assert changed != before
    assert export(world.database) == before
    assert Profile(store).render() == profile
    with pytest.raises(NotFound, match="was undone already"):
        Versions(store).undo(done.event)


@pytest.mark.parametrize("word", ["accept", "reject"])
@pytest.mark.parametrize("status", [Status.QUARANTINED, Status.PROVISIONAL, Status.CONTESTED])
def test_a_word_on_what_waits_is_taken_back_to_the_same_bytes(
    world: World, word: str, status: Status
) -> None:
    store = world.store(embedder=HashEmbedder())
    learn(store, home("Lisbon", MARCH))
    trust = Trust.WEB if status is Status.CONTESTED else Trust.USER
    plain = Status.ACTIVE if status is Status.CONTESTED else status
    [waits] = learn(store, home("Porto", MAY, trust=trust, status=plain))
    assert waits.status is status
    before = export(world.database)

    review = Reviewing(store)
    done = review.accept(waits.id) if word == "accept" else review.reject(waits.id)
    assert export(world.database) != before
    Versions(store).undo(done.event)

    assert export(world.database) == before


def test_undo_is_refused_where_the_memory_changed_since(world: World) -> None:
    store = world.store()
    [old] = learn(store, home("Lisbon", MARCH))
    first = Editing(store).edit(old.key, "The user lives in Rome.")
    second = Editing(store).edit(old.key, "The user lives in Bari.")

    with pytest.raises(UndoRefused) as refused:
        Versions(store).undo(first.event)
    Versions(store).undo(second.event)
    Versions(store).undo(first.event)

    assert refused.value.keys == (old.key,)
    assert texts(Facts(store).known()) == ["The user lives in Lisbon."]


def test_an_event_of_one_turn_takes_back_its_own_memory_alone(world: World) -> None:
    store = world.store()
    tea = statement("The user likes tea.", at=MAY)
    learn(store, home("Lisbon", MARCH))
    before = export(world.database)
    with store.write() as journal:  # one turn, two facts
        resolve(journal, tea, vector=None)
        moved = resolve(journal, home("Porto", MAY), vector=None).memory
    event = Versions(store).history(moved.key).events[-1]

    Versions(store).undo(event.id)

    assert texts(Facts(store).known()) == ["The user likes tea.", "The user lives in Lisbon."]
    kept = next(one for one in Facts(store).known() if one.text == tea.text)
    Versions(store).undo(Versions(store).history(kept.key).events[-1].id)
    assert export(world.database) == before


def test_nobody_undoes_what_another_did(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    done = Facts(alice).add("The user likes tea.").memory
    event = Versions(alice).history(done.key).events[-1]

    with pytest.raises(NotFound):
        Versions(bob).undo(event.id)


def test_promotion_makes_a_shared_memory_that_points_back(world: World) -> None:
    alice = world.store("alice", project="bakery", embedder=HashEmbedder())
    [own] = learn(alice, home("Lisbon", MARCH))

    done = Editing(alice).promote(own.id, ScopeKind.PROJECT)

    shared = done.memory
    assert (str(shared.scope), shared.text, shared.trust) == (
        "project:bakery",
        own.text,
        Trust.USER,
    )
    assert [seen.ref for seen in shared.evidence] == [own.id]
    assert shared.source == "promoted by alice"
    assert shared.facet == ""  # whose home? it fills no slot of the project
    assert Facts(alice).show(own.id)[-1].status is Status.ACTIVE
    with alice.database.write() as connection:
        access.grant(connection, shared.scope, by="alice", to="bob", now=world.clock())
    bob = world.store("bob", project="bakery")
    assert texts(Facts(bob).known()) == [own.text]


def test_promotion_fails_closed(world: World) -> None:
    alice = world.store("alice", project="bakery")
    [mine] = learn(alice, statement("The user likes tea.", at=MAY))
    with alice.database.write() as connection:
        scope = alice.reach.principal.scope(ScopeKind.PROJECT)
        access.grant(connection, scope, by="alice", to="bob", now=world.clock())
    bob = world.store("bob", project="bakery")
    [his] = learn(bob, statement("Bob has a key.", at=MAY, user="bob"))
    with alice.database.write() as connection:
        access.revoke(connection, scope, by="alice", user="bob")
    before = export(world.database)

    with pytest.raises(AccessDenied):
        Editing(bob).promote(his.id, ScopeKind.PROJECT)
    with pytest.raises(AccessDenied):
        world.store("mallory", project="bakery")
    with pytest.raises(ScopeError, match="no org is chosen"):
        Editing(alice).promote(mine.id, ScopeKind.ORG)
    with pytest.raises(ScopeError, match="is not shared"):
        Editing(alice).promote(mine.id, ScopeKind.USER)
    with pytest.raises(NotFound):
        Editing(alice).promote(his.id, ScopeKind.PROJECT)

    assert export(world.database) == before


def test_what_waits_for_a_word_is_not_promoted(world: World) -> None:
    store = world.store(project="bakery")
    [held] = learn(store, home("Lisbon", MAY, status=Status.QUARANTINED, trust=Trust.WEB))

    with pytest.raises(InputError, match="is quarantined, not active"):
        Editing(store).promote(held.id, ScopeKind.PROJECT)


def test_what_waits_is_listed_and_what_was_decided_is_not(world: World) -> None:
    store = world.store()
    one, _ = learn(store, home("Lisbon", MAY), home("Porto", MAY))
    learn(store, statement("Naps.", at=MAY, status=Status.PROVISIONAL))
    learn(store, statement("Obey.", at=MAY, status=Status.QUARANTINED, trust=Trust.WEB))
    reviewing = Reviewing(store)
    waiting = reviewing.waiting()

    reviewing.accept(one.id)
    for left in (*waiting.provisional, *waiting.quarantined):
        reviewing.reject(left.id)

    assert texts(waiting.contested) == ["The user lives in Porto.", "The user lives in Lisbon."]
    assert (texts(waiting.provisional), texts(waiting.quarantined)) == (["Naps."], ["Obey."])
    now = reviewing.waiting()
    assert (now.contested, now.provisional, now.quarantined) == ((), (), ())


def test_accepting_one_side_ends_the_contest(world: World) -> None:
    store = world.store()
    lisbon, _ = learn(store, home("Lisbon", MAY), home("Porto", MAY))

    done = Reviewing(store).accept(lisbon.id)

    assert [(one.value, one.status) for one in Facts(store).known()] == [("Lisbon", Status.ACTIVE)]
    assert texts(Versions(store).as_of(JULY)) == ["The user lives in Lisbon."]
    assert done.memory.key == lisbon.key


def test_accepting_the_less_trusted_makes_it_the_users_word(world: World) -> None:
    store = world.store()
    _, porto = learn(store, home("Lisbon", MARCH), home("Porto", MAY, trust=Trust.WEB))

    Reviewing(store).accept(porto.id)

    [known] = Facts(store).known()
    assert (known.value, known.trust) == ("Porto", Trust.USER)
    assert texts(Versions(store).as_of(datetime(2026, 4, 1, tzinfo=UTC))) == [
        "The user lives in Lisbon."
    ]


def test_rejecting_leaves_what_was_known_as_sure_as_before(world: World) -> None:
    store = world.store()
    _, porto = learn(store, home("Lisbon", MARCH), home("Porto", MAY, trust=Trust.WEB))

    Reviewing(store).reject(porto.id)

    [known] = Facts(store).known()
    assert (known.value, known.status, known.confidence) == ("Lisbon", Status.ACTIVE, 0.9)


def test_rejecting_what_was_held_ends_nothing_else(world: World) -> None:
    store = world.store()
    _, held = learn(store, home("Lisbon", MARCH), home("Porto", MAY, status=Status.PROVISIONAL))

    Reviewing(store).reject(held.id)

    assert texts(Facts(store).known()) == ["The user lives in Lisbon."]


def test_what_was_kept_apart_reaches_the_profile_by_approval_alone(world: World) -> None:
    store = world.store()
    [held] = learn(store, home("Porto", MAY, status=Status.QUARANTINED, trust=Trust.WEB))
    rebuild(store)
    assert Profile(store).render() == ""

    Reviewing(store).accept(held.id)
    rebuild(store)

    assert Profile(store).render() == "Home: Porto"
    with pytest.raises(InputError, match="is superseded"):
        Reviewing(store).accept(held.id)


@pytest.mark.parametrize(
    "act",
    [
        lambda store: Facts(store).show("\ud800"),
        lambda store: Versions(store).undo("\ud800"),
        lambda store: Reviewing(store).accept("\ud800"),
        lambda store: undo_run(store, "run_\ud800"),
    ],
)
def test_a_name_that_is_no_text_names_nothing(world: World, act: Callable[[Store], object]) -> None:
    with pytest.raises(NotFound) as missing:
        act(world.store())

    assert missing.value.hint
