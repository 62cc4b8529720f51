"""A statement about "the user" is read by the same rules, whoever makes it."""

import pytest

from stratal_memory.learning.resolution import Action
from stratal_memory.learning.understanding import first_person
from stratal_memory.records import Status, Trust
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import World


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The user lives in Oslo.", "I live in Oslo."),
        ("The user's name is Bob.", "My name is Bob."),
        ("User moved to Paris in 2026.", "I moved to Paris in 2026."),
        ("The user is a nurse.", "I am a nurse."),
        ("The user no longer works at Acme.", "I no longer work at Acme."),
        ("The user doesn't like tea.", "I don't like tea."),
        ("The user has a dog called Rex.", "I have a dog called Rex."),
        ("The user studies law with their sister.", "I study law with my sister."),
        ("The user watches birds.", "I watch birds."),
        ("The user interface is slow.", "I interface is slow."),
        ("Users like tea.", ""),
        ("I live in Rome.", ""),
        ("", ""),
    ],
)
def test_what_is_said_of_the_user_is_put_into_the_users_mouth(text: str, said: str) -> None:
    assert first_person(text) == said


@pytest.mark.parametrize(
    ("known", "saved", "facet", "value"),
    [
        ("I live in Lisbon.", "The user lives in Oslo.", "home", "Oslo"),
        ("My name is Maya.", "The user's name is Bob.", "name", "Bob"),
        ("I live in Lisbon.", "User moved to Paris in 2026.", "home", "Paris"),
    ],
)
def test_what_the_model_saves_of_the_user_contests_what_the_user_said(
    world: World, known: str, saved: str, facet: str, value: str
) -> None:
    facts = Facts(world.store())
    facts.add(known)

    done = facts.add(saved, trust=Trust.ASSISTANT)

    assert done.action is Action.CONTESTED
    assert (done.memory.text, done.memory.facet, done.memory.value) == (saved, facet, value)
    [kept] = facts.known(statuses=(Status.ACTIVE,))
    assert kept.text == known


def test_the_user_may_speak_of_themselves_as_the_user(world: World) -> None:
    facts = Facts(world.store())
    facts.add("The user lives in Lisbon.")

    done = facts.add("The user lives in Oslo.")

    assert done.action is Action.SUPERSEDED
    assert [one.value for one in facts.known()] == ["Oslo"]


def test_what_the_model_saved_twice_is_replaced_by_its_later_word(world: World) -> None:
    facts = Facts(world.store())
    facts.add("The user lives in Lisbon.", trust=Trust.ASSISTANT)

    facts.add("The user lives in Oslo.", trust=Trust.ASSISTANT)

    assert [one.value for one in facts.known()] == ["Oslo"]


def test_another_speakers_i_is_not_the_user(world: World) -> None:
    facts = Facts(world.store())

    done = facts.add("I live in Rome.", trust=Trust.ASSISTANT)

    assert (done.memory.facet, done.memory.value) == ("", "")
