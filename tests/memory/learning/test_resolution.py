"""A new statement meets what is known: again, instead of, late, contested, or no more."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stratal_memory.learning.gate import take_in
from stratal_memory.learning.resolution import Action, Resolution, Statement, resolve
from stratal_memory.records import Memory, Status, Trust
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World, begin, say, statement, texts

MARCH, MAY, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 7))


def learn(store: Store, said: Statement) -> Resolution:
    with store.write() as journal:
        return resolve(journal, said, vector=None)


def home(
    city: str, at: datetime, *, trust: Trust = Trust.USER, correction: bool = False, old: str = ""
) -> Statement:
    return statement(
        f"The user lives in {city}.",
        at=at,
        facet="home",
        value=city,
        single_valued=True,
        trust=trust,
        correction=correction,
        instead_of=old,
    )


def gone(city: str, at: datetime, *, trust: Trust = Trust.USER) -> Statement:
    return statement(
        f"The user does not live in {city} any more.",
        at=at,
        facet="home",
        value=city,
        single_valued=True,
        retracts=True,
        trust=trust,
    )


def pet(name: str, at: datetime, *, retracts: bool = False, old: str = "") -> Statement:
    return statement(
        f"The user {'no longer ' if retracts else ''}has a {name or 'pet'}.",
        at=at,
        facet="pet",
        value=name,
        retracts=retracts,
        instead_of=old,
        correction=bool(old),
    )


def values(store: Store, *statuses: Status) -> list[str]:
    found = Facts(store).known(statuses=statuses or (Status.ACTIVE,))
    return sorted(one.value or one.text for one in found)


def versions(store: Store, memory: Memory) -> list[tuple[int, str, str, str]]:
    def day(time: datetime | None) -> str:
        return f"{time:%b}" if time else "-"

    return [
        (one.version, one.value, day(one.valid_from), day(one.valid_to))
        for one in Facts(store).show(memory.key)
    ]


def test_a_new_single_value_closes_the_old_interval(world: World) -> None:
    store = world.store()

    first = learn(store, home("Lisbon", MARCH))
    second = learn(store, home("Porto", MAY))

    assert (first.action, second.action) == (Action.ADDED, Action.SUPERSEDED)
    assert second.memory.key == first.memory.key
    assert second.memory.supersedes == first.memory.id
    assert versions(store, second.memory) == [(1, "Lisbon", "Mar", "May"), (2, "Porto", "May", "-")]
    assert values(store) == ["Porto"]
    assert values(store, Status.SUPERSEDED) == ["Lisbon"]


def test_an_older_statement_that_arrives_late_is_inserted_closed(world: World) -> None:
    store = world.store()
    now = learn(store, home("Porto", MAY))

    late = learn(store, home("Lisbon", MARCH))
    next_ = learn(store, home("Berlin", JULY))

    assert late.action is Action.LATE
    assert values(store) == ["Berlin"]
    assert versions(store, now.memory) == [
        (1, "Porto", "May", "Jul"),
        (2, "Lisbon", "Mar", "May"),
        (3, "Berlin", "Jul", "-"),
    ]
    assert next_.memory.supersedes == now.memory.id


def test_a_correction_wins_whatever_its_date(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MAY))

    done = learn(store, home("Porto", MARCH, correction=True))

    assert done.action is Action.SUPERSEDED
    assert values(store) == ["Porto"]
    closed = Facts(store).known(statuses=(Status.SUPERSEDED,))[0]
    assert closed.valid_to == closed.valid_from == MAY  # never an interval that ends first


def test_naming_what_is_replaced_wins_whatever_its_date(world: World) -> None:
    store = world.store()
    learn(store, home("Berlin", JULY))

    done = learn(store, home("Lisbon", MAY, old="Berlin"))

    assert done.action is Action.SUPERSEDED
    assert values(store) == ["Lisbon"]


def test_many_values_accumulate(world: World) -> None:
    store = world.store()

    actions = [learn(store, pet(name, MAY)).action for name in ("cat", "dog", "cat")]

    assert actions == [Action.ADDED, Action.ADDED, Action.REINFORCED]
    assert values(store) == ["cat", "dog"]


def test_one_of_many_values_is_replaced_by_name(world: World) -> None:
    store = world.store()
    learn(store, pet("cat", MARCH))
    learn(store, pet("dog", MARCH))

    learn(store, pet("ferret", MAY, old="Cat"))

    assert values(store) == ["dog", "ferret"]


def test_a_retraction_ends_the_value_it_names(world: World) -> None:
    store = world.store()
    learn(store, pet("cat", MARCH))
    learn(store, pet("dog", MARCH))

    done = learn(store, pet("cat", MAY, retracts=True))

    assert done.action is Action.RETRACTED
    assert values(store) == ["dog"]
    ended = Facts(store).known(statuses=(Status.RETRACTED,))[0]
    assert (ended.value, ended.valid_to) == ("cat", MAY)


def test_a_retraction_of_all_ends_all(world: World) -> None:
    store = world.store()
    learn(store, pet("cat", MARCH))
    learn(store, pet("dog", MARCH))

    learn(store, pet("", MAY, retracts=True))

    assert values(store) == []
    assert values(store, Status.RETRACTED) == ["cat", "dog"]


def test_ending_what_was_never_known_touches_nothing_else(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MARCH))

    done = learn(store, gone("Porto", MAY))

    assert done.action is Action.ADDED
    assert (done.memory.facet, done.memory.value) == ("", "")  # it fills no slot of the profile
    assert values(store) == ["Lisbon", "The user does not live in Porto any more."]


def test_a_less_trusted_source_contests_and_does_not_replace(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MARCH))

    done = learn(store, home("Porto", MAY, trust=Trust.DOCUMENT))

    assert done.action is Action.CONTESTED
    assert values(store) == ["Lisbon"]
    assert values(store, Status.CONTESTED) == ["Porto"]


def test_a_less_trusted_source_ends_nothing(world: World) -> None:
    store = world.store()
    known = learn(store, home("Lisbon", MARCH)).memory

    done = learn(store, gone("Lisbon", MAY, trust=Trust.WEB))

    assert done.action is Action.CONTESTED
    assert values(store) == ["Lisbon"]
    assert Facts(store).show(known.key)[0].support == 1  # and does not speak for it either


def test_the_user_settles_what_was_contested(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MARCH))
    learn(store, home("Porto", MAY, trust=Trust.DOCUMENT))

    done = learn(store, home("Madrid", JULY))

    assert done.action is Action.SUPERSEDED
    assert values(store) == ["Madrid"]
    assert values(store, Status.CONTESTED) == []


def test_the_user_confirms_what_was_contested(world: World) -> None:
    store = world.store()
    lisbon = learn(store, home("Lisbon", MARCH)).memory
    learn(store, home("Porto", MAY, trust=Trust.DOCUMENT))

    done = learn(store, home("Porto", JULY))

    assert values(store) == ["Porto"]
    assert values(store, Status.CONTESTED) == []
    assert (done.memory.trust, done.memory.key) == (Trust.USER, lisbon.key)


def test_what_the_user_says_again_gains_their_trust(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MARCH, trust=Trust.DOCUMENT))

    done = learn(store, home("Lisbon", MAY))

    assert done.action is Action.SUPERSEDED
    assert done.memory.trust is Trust.USER
    assert values(store) == ["Lisbon"]


def test_a_source_nobody_trusts_adds_nothing_to_trust(world: World) -> None:
    store = world.store()
    learn(store, home("Lisbon", MARCH))

    done = learn(store, home("Lisbon", MAY, trust=Trust.WEB))

    assert done.action is Action.REINFORCED
    assert Facts(store).known()[0].trust is Trust.USER


def test_the_same_text_reinforces_and_confidence_grows(world: World) -> None:
    facts = Facts(world.store())
    for _ in range(3):
        facts.add("The user likes tea.")
    facts.add("the user likes TEA")

    known = facts.known()

    assert texts(known) == ["The user likes tea."]
    assert (known[0].support, len(known[0].evidence)) == (4, 4)
    assert known[0].confidence == pytest.approx((4 * 0.9 + 3) / (4 + 3))


def test_one_message_counts_once(world: World) -> None:
    store = world.store()
    said = statement("The user likes tea.", at=MAY, ref="msg_1")

    actions = [learn(store, said) for _ in range(3)]

    assert [one.reason for one in actions[1:]] == ["known from this very message"] * 2
    assert Facts(store).known()[0].support == 1


def test_a_second_statement_confirms_what_was_held(world: World) -> None:
    store = world.store()
    for ref in ("msg_1", "msg_2"):
        learn(store, statement("The user naps.", at=MAY, ref=ref, status=Status.PROVISIONAL))

    assert [one.status for one in Facts(store).known()] == [Status.ACTIVE]


def test_the_same_words_of_another_user_are_another_fact(world: World) -> None:
    alice, bob = world.store("alice"), world.store("bob")
    learn(alice, home("Lisbon", MARCH))

    done = learn(bob, statement("The user lives in Lisbon.", at=MAY, user="bob", facet="home"))

    assert done.action is Action.ADDED
    assert Facts(alice).known()[0].support == 1


def test_a_correction_of_what_nobody_said_is_kept_once(world: World) -> None:
    store = world.store()
    said = [
        statement("It's Alyce, not Alice.", at=MAY, value="Alyce", instead_of="Alice"),
        statement("It's Alyce, not Alice.", at=JULY, value="Alyce", instead_of="Alice"),
    ]

    actions = [learn(store, one).action for one in said]

    assert actions == [Action.ADDED, Action.REINFORCED]
    assert values(store) == ["Alyce"]


@pytest.mark.parametrize("by_hand_first", [True, False])
def test_the_same_words_with_and_without_what_they_are_about_are_one(
    world: World, by_hand_first: bool
) -> None:
    store = world.store()
    text = "The user is allergic to kiwi."
    read = statement(text, at=MARCH, facet="allergy", value="kiwi")
    said = [statement(text, at=MAY), replace(read, valid_from=JULY)]

    for one in said if by_hand_first else [read, said[0]]:
        learn(store, one)

    [known] = Facts(store).known()
    assert (known.text, known.support) == (text, 2)


def taste(head: str, at: datetime, *, trust: Trust = Trust.USER) -> Statement:
    return statement(
        f"The user {head}s tea.", at=at, facet=f"{head}.drink", value="tea", trust=trust
    )


def test_to_like_and_to_dislike_a_thing_end_each_other(world: World) -> None:
    store = world.store()
    learn(store, taste("preference", MARCH))
    learn(store, taste("dislike", MAY))

    assert texts(Facts(store).known()) == ["The user dislikes tea."]
    assert values(store, Status.RETRACTED) == ["tea"]

    learn(store, taste("preference", JULY))
    assert texts(Facts(store).known()) == ["The user preferences tea."]


def test_a_taste_of_long_ago_does_not_end_the_one_of_now(world: World) -> None:
    store = world.store()
    learn(store, taste("dislike", MAY))

    done = learn(store, taste("preference", MARCH))

    assert done.action is Action.LATE
    assert texts(Facts(store).known()) == ["The user dislikes tea."]


def test_a_less_trusted_taste_is_contested_and_ends_nothing(world: World) -> None:
    store = world.store()
    learn(store, taste("preference", MARCH))

    done = learn(store, taste("dislike", MAY, trust=Trust.ASSISTANT))

    assert done.action is Action.CONTESTED
    assert texts(Facts(store).known(statuses=(Status.ACTIVE,))) == ["The user preferences tea."]


def test_meat_again_ends_the_diet_without_it(world: World) -> None:
    facts = Facts(world.store())
    facts.add("I'm vegetarian.")
    session = begin(facts.store)

    take_in(facts.store, session, say(facts.store, session, "I eat meat again."))

    assert texts(facts.known()) == ["The user eats meat again."]
