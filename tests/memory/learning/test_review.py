from stratal_memory.learning.gate import take_in
from stratal_memory.learning.review import to_review
from stratal_memory.records import Status
from tests.memory.worlds import World, begin, memory, say


def test_what_waits_for_a_person_is_listed_by_why(world: World) -> None:
    store = world.store()
    session = begin(store)
    take_in(store, session, say(store, session, "I love the smell of rain."), waits=True)
    with store.write() as journal:
        for status in (Status.CONTESTED, Status.QUARANTINED):
            one = memory(f"The user has a {status} thing.", at=journal.at, status=status)
            journal.add(one, reason="a test")

    review = to_review(store)

    assert [one.text for one in review.pending] == ["I love the smell of rain."]
    assert [one.value for one in review.provisional] == ["smell of rain"]
    assert [one.text for one in review.contested] == ["The user has a contested thing."]
    assert [one.text for one in review.quarantined] == ["The user has a quarantined thing."]


def test_nobody_reviews_what_is_somebody_elses(world: World) -> None:
    store = world.store()
    session = begin(store)
    take_in(store, session, say(store, session, "I love the smell of rain."), waits=True)

    review = to_review(world.store("bob"))

    assert (review.pending, review.provisional) == ((), ())
