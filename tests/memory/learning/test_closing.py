"""What a message ends by naming it, and what it leaves alone."""

from datetime import timedelta

import pytest

from stratal_memory.learning.deciding import Fate
from stratal_memory.learning.gate import take_in
from stratal_memory.learning.naming import kinds_of
from stratal_memory.learning.remembering import remember
from stratal_memory.learning.statement import Statement
from stratal_memory.records import Form, Memory, Status
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.tiers.versions import Versions
from tests.memory.worlds import World, begin, say, statement

KNOWN = (
    ("possession.car", "blue Honda Civic", "The user drives a blue Honda Civic."),
    ("tool", "Todoist", "The user uses Todoist."),
    ("hobby", "fencing", "The user does fencing."),
    ("pet.dog", "Biscuit", "The user's dog is called Biscuit."),
    ("family.partner", "Jonas", "The user's partner is called Jonas."),
    ("work.employer", "Brightwater", "The user works at Brightwater."),
    ("about.bank", "Monzo", "The user's bank is Monzo."),
    ("medication", "sertraline", "The user takes sertraline."),
    ("plan", "trip to Tallinn", "The user is going on a trip to Tallinn."),
)


def knowing(world: World, *known: tuple[str, str, str]) -> Store:
    store = world.store()
    remember(store, [_told(world, *one) for one in known])
    return store


def _told(world: World, facet: str, value: str, text: str) -> Statement:
    at = world.clock() - timedelta(days=30)
    return statement(text, at=at, facet=facet, value=value, single_valued="." in facet)


def active(store: Store) -> dict[str, str]:
    return {one.value: one.facet for one in Facts(store).known() if one.status is Status.ACTIVE}


def ended(store: Store, value: str) -> Memory:
    known = Facts(store).known(forms=(Form.FACT,), statuses=tuple(Status))
    return next(one for one in known if one.value == value)


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("finally sold the honda", "blue Honda Civic"),
        ("traded in my car", "blue Honda Civic"),
        ("i stopped using todoist", "Todoist"),
        ("i don't do fencing anymore", "fencing"),
        ("we had to say goodbye to Biscuit this morning", "Biscuit"),
        ("Jonas and I broke up", "Jonas"),
        ("we split up", "Jonas"),
        ("today was my last day at brightwater", "Brightwater"),
        ("lost my job", "Brightwater"),
        ("my doctor took me off sertraline", "sertraline"),
        ("the tallinn trip is cancelled", "trip to Tallinn"),
        ("just got back from tallinn, was lovely", "trip to Tallinn"),
    ],
)
def test_what_is_named_as_over_is_over(world: World, said: str, over: str) -> None:
    store = knowing(world, *KNOWN)

    decisions = take_in(store, begin(store), say(store, begin(store), said))

    assert Fate.ENDED in [one.fate for one in decisions]
    assert set(active(store)) & {value for _, value, _ in KNOWN} == {
        value for _, value, _ in KNOWN if value != over
    }
    closed = ended(store, over)
    assert closed.status is Status.RETRACTED
    assert closed.valid_to is not None
    assert closed.valid_to <= world.clock()


@pytest.mark.parametrize(
    "said",
    [
        "my sister sold her honda",
        "should I sell the civic?",
        "if I sold the civic I could afford a van",
        "I didn't sell the civic in the end",
        "I almost quit fencing today",
        "finished fencing, so hungry",
        "done with fencing for today",
        '"I quit fencing for good" is what she wrote',
        "I dropped a biscuit in my tea",
        "Biscuit isn't gone, he was under the bed",
        "jonas left early",
        "my friend and his wife split up",
        "my colleague left brightwater",
        "i left brightwater early",
        "todoist stopped working",
        "just got back from tallinn airport",
        "just kidding, I cancelled todoist",
        "I sold the civic lol jk",
    ],
)
def test_what_is_not_said_of_it_leaves_it_alone(world: World, said: str) -> None:
    store = knowing(world, *KNOWN)

    take_in(store, begin(store), say(store, begin(store), said))

    assert {value for _, value, _ in KNOWN} <= set(active(store))


def test_what_took_its_place_is_known_from_then_on(world: World) -> None:
    store = knowing(world, *KNOWN)

    take_in(store, begin(store), say(store, begin(store), "moved from monzo to starling btw"))

    assert active(store)["starling"] == "about.bank"
    assert "Monzo" not in active(store)
    assert "Starling" not in active(store)  # no home


def test_a_name_that_two_facts_bear_ends_neither(world: World) -> None:
    bikes = (
        ("possession", "red Brompton", "The user has a red Brompton."),
        ("possession", "green Brompton", "The user has a green Brompton."),
    )
    store = knowing(world, *bikes)

    take_in(store, begin(store), say(store, begin(store), "sold the brompton"))
    assert set(active(store)) >= {"red Brompton", "green Brompton"}

    take_in(store, begin(store), say(store, begin(store), "sold the green brompton"))
    assert "green Brompton" not in active(store)
    assert "red Brompton" in active(store)


def test_the_facts_of_another_user_are_never_ended(world: World) -> None:
    theirs = knowing(world, *KNOWN)
    other = world.store("bob")

    take_in(other, begin(other), say(other, begin(other), "I stopped using todoist"))

    assert "Todoist" in active(theirs)


def test_an_end_can_be_taken_back(world: World) -> None:
    store = knowing(world, *KNOWN)
    take_in(store, begin(store), say(store, begin(store), "i stopped using todoist"))
    assert "Todoist" not in active(store)

    last = Versions(store).history(ended(store, "Todoist").id).events[-1]
    Versions(store).undo(last.id)

    assert "Todoist" in active(store)


def test_who_one_is_does_not_end_by_a_word() -> None:
    assert kinds_of("birthday") == kinds_of("origin") == frozenset()
    assert kinds_of("about.bank") == {"other", "course"}
