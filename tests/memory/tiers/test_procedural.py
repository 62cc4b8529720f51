import pytest

from stratal_memory.records import Form, Status
from stratal_memory.tiers.procedural import Described, Procedures
from stratal_memory.tiers.semantic import Facts
from tests.memory.worlds import DrawnEmbedder, World

BREAD, SOUP = Described("bread", "how to bake bread"), Described("soup", "how to cook soup")


def test_only_what_is_new_or_changed_is_written_and_embedded(world: World) -> None:
    embedder = DrawnEmbedder({})
    procedures = Procedures(world.store(embedder=embedder))

    first = procedures.sync([BREAD, SOUP])
    embedder.texts.clear()
    again = procedures.sync([BREAD, SOUP])
    changed = procedures.sync([Described("bread", "how to bake rye bread"), SOUP])

    assert (first, again, changed) == (2, 0, 1)
    assert embedder.texts == ["how to bake rye bread"]


def test_each_change_is_a_version_of_one_key(world: World) -> None:
    store = world.store()
    Procedures(store).sync([BREAD])
    Procedures(store).sync([Described("bread", "how to bake rye bread")])

    [now] = Facts(store).known(forms=(Form.SKILL,))
    versions = Facts(store).show(now.key)

    assert [(one.version, one.text, one.status) for one in versions] == [
        (1, "how to bake bread", Status.SUPERSEDED),
        (2, "how to bake rye bread", Status.ACTIVE),
    ]
    assert now.supersedes == versions[0].id


def test_a_name_given_twice_stays_one_procedure(world: World) -> None:
    store = world.store()

    Procedures(store).sync([BREAD, Described("bread", "how to bake rye bread")])

    [now] = Facts(store).known(forms=(Form.SKILL,))
    assert now.text == "how to bake rye bread"


def test_similarities_are_cosines_in_the_order_asked(world: World) -> None:
    embedder = DrawnEmbedder({"bake me a loaf": (1, 0), BREAD.text: (0.6, 0.8), SOUP.text: (-1, 0)})
    procedures = Procedures(world.store(embedder=embedder))
    procedures.sync([BREAD, SOUP])

    found = procedures.similarities("bake me a loaf", ["unknown", "soup", "bread"])

    assert found == pytest.approx([0, 0, 0.6])


def test_without_an_embedder_nothing_is_similar(world: World) -> None:
    procedures = Procedures(world.store())
    procedures.sync([BREAD])

    assert procedures.similarities("bread", ["bread"]) == [0.0]


def test_agents_know_their_own_procedures(world: World) -> None:
    embedder = DrawnEmbedder({BREAD.text: (1, 0), "bread?": (1, 0)})
    Procedures(world.store(agent="baker", embedder=embedder)).sync([BREAD])

    other = Procedures(world.store(agent="coach", embedder=embedder))

    assert other.similarities("bread?", ["bread"]) == [0.0]
    assert other.sync([BREAD]) == 1
