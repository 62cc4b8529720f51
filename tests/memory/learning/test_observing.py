"""After a turn its memories are judged: used, ignored, or corrected by who heard the answer."""

from datetime import datetime

import pytest

from stratal_memory.learning.gate import take_in
from stratal_memory.learning.observing import Answered, observe
from stratal_memory.outcomes import NOTHING, Counts
from stratal_memory.records import Memory, Session
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import recalls, usefulness
from stratal_memory.truth.journal import Journal
from tests.memory.worlds import World, begin, memory, say, turns_of


def facts(store: Store, *texts: str) -> list[Memory]:
    return [Facts(store).add(text).memory for text in texts]


def turn(
    store: Store,
    session: Session,
    asked: str,
    answer: str,
    *,
    given: list[Memory],
    shown: list[Memory] | None = None,
    quotes_only: bool = False,
) -> dict[str, str]:
    """One whole turn, as `stratal.turn` does it; what is logged of it, by id."""
    started: datetime = store.clock()
    said = say(store, session, asked, answer)
    id = turns_of(store, session)[-1]
    with store.write() as journal:
        recalls.keep_recalls(journal.connection, id, [(one.id, 0.5) for one in given])
    answered = Answered(
        session=session.id,
        turn=id,
        started=started,
        question=asked,
        reply=answer,
        shown=frozenset(one.id for one in (given if shown is None else shown)),
        quotes_only=quotes_only,
    )

    def note(journal: Journal) -> None:
        observe(store, journal, answered)

    take_in(store, session, said, then=note)
    return logged(store, session, id)


def logged(store: Store, session: Session, id: str) -> dict[str, str]:
    with store.read() as connection:
        here, _ = recalls.lately(connection, session.id, id)
    return {memory: outcome or "" for memory, outcome in here.outcomes.items()}


def counts(store: Store, one: Memory) -> Counts:
    with store.read() as connection:
        found = usefulness.of_keys(connection, user=store.user, keys=[one.key])
    return found[one.key].counts if found else NOTHING


def test_what_the_answer_used_is_told_from_what_it_passed_over(world: World) -> None:
    store = world.store()
    home, sister = facts(store, "I live in Lisbon.", "My sister is called Eva.")

    found = turn(store, begin(store), "Where do I live?", "In Lisbon.", given=[home, sister])

    assert found == {home.id: "used", sister.id: "ignored"}
    assert counts(store, home) == Counts(used=1)
    assert counts(store, sister) == Counts(ignored=1)


def test_what_did_not_fit_into_the_request_is_not_judged(world: World) -> None:
    store = world.store()
    home, sister = facts(store, "I live in Lisbon.", "My sister is called Eva.")

    found = turn(
        store, begin(store), "Where?", "In Lisbon, with Eva.", given=[home, sister], shown=[home]
    )

    assert found == {home.id: "used", sister.id: ""}
    assert counts(store, sister) == NOTHING


def test_a_message_that_replaces_what_it_recalled_corrects_it(world: World) -> None:
    store = world.store()
    home, sister = facts(store, "I live in Lisbon.", "My sister is called Eva.")

    found = turn(store, begin(store), "I moved to Porto.", "I see.", given=[home, sister])

    assert found == {home.id: "corrected", sister.id: "ignored"}
    assert counts(store, home).of(home.id).corrected == 1
    [now] = [one for one in Facts(store).known() if one.key == home.key]
    assert counts(store, home).of(now.id).corrected == 0


def test_the_next_message_corrects_the_turn_before(world: World) -> None:
    store = world.store()
    [home] = facts(store, "I live in Lisbon.")
    session = begin(store)
    turn(store, session, "Where do I live?", "In Lisbon.", given=[home])

    turn(store, session, "I live in Porto now.", "I see.", given=[])

    [first, _] = turns_of(store, session)
    assert logged(store, session, first) == {home.id: "corrected"}
    assert counts(store, home) == Counts(corrected=1, wrong=home.id)


@pytest.mark.parametrize("again", [True, False])
def test_a_person_who_says_so_corrects_what_the_last_answer_used(
    world: World, *, again: bool
) -> None:
    """Once, whether or not the denial recalls it again."""
    store = world.store()
    home, sister = facts(store, "The user has a boat.", "My sister is called Eva.")
    session = begin(store)
    turn(store, session, "What do I have?", "You have a boat.", given=[home, sister])

    now = turn(store, session, "No, that's wrong.", "Sorry.", given=[home, sister] if again else [])

    [first, _] = turns_of(store, session)
    assert logged(store, session, first) == {home.id: "corrected", sister.id: "ignored"}
    assert now == ({home.id: "", sister.id: "ignored"} if again else {})
    assert counts(store, home) == Counts(corrected=1, wrong=home.id)


def test_a_denial_two_turns_later_is_of_something_else(world: World) -> None:
    store = world.store()
    [boat] = facts(store, "The user has a boat.")
    session = begin(store)
    turn(store, session, "What do I have?", "You have a boat.", given=[boat])
    turn(store, session, "How is the weather?", "Sunny.", given=[])

    turn(store, session, "That's wrong.", "Sorry.", given=[])

    assert counts(store, boat) == Counts(used=1)


def test_a_quoting_answer_counts_for_nothing_and_can_be_corrected(world: World) -> None:
    store = world.store()
    boat, sister = facts(store, "The user has a boat.", "My sister is called Eva.")
    session = begin(store)

    quoted = turn(
        store,
        session,
        "What do I have?",
        'I can only quote: "The user has a boat."',
        given=[boat, sister],
        quotes_only=True,
    )
    assert quoted == {boat.id: "quoted", sister.id: ""}
    assert (counts(store, boat), counts(store, sister)) == (NOTHING, NOTHING)

    turn(store, session, "That's not true.", "Noted.", given=[], quotes_only=True)
    assert counts(store, boat) == Counts(corrected=1, wrong=boat.id)


def test_what_another_user_has_is_not_judged(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    [hers] = facts(alice, "I live in Lisbon.")

    found = turn(bob, begin(bob), "Where?", "In Lisbon.", given=[hers])

    assert found == {hers.id: ""}
    assert counts(bob, hers) == NOTHING


def test_a_consolidation_between_two_turns_corrects_nothing(world: World) -> None:
    store = world.store()
    boat = memory("The user has a boat.", at=world.clock())
    with store.write() as journal:
        journal.add(boat, reason="a test")
    session = begin(store)
    turn(store, session, "What do I have?", "You have a boat.", given=[boat])
    with store.write(run="run_0123456789") as journal:
        from stratal_memory.records import Status

        journal.close(boat, status=Status.SUPERSEDED, reason="says the same as another")

    turn(store, session, "And the weather?", "Sunny.", given=[])

    assert counts(store, boat) == Counts(used=1)
