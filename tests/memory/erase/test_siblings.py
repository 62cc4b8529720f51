"""What still says what was erased is named, and goes too when that is wished for."""

from stratal_memory.consolidation.pipeline import consolidate
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.erase import job
from stratal_memory.erase.pipeline import erase, plan
from stratal_memory.erase.siblings import Sibling
from stratal_memory.erase.target import Target, What
from stratal_memory.learning.gate import take_in
from stratal_memory.records import Form
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.schema import memories, messages
from tests.memory.worlds import World, begin, say

NAME = "Philomena Wackernagel"
SAID = (
    (f"My grandmother {NAME} lives in Quetzaltenango.", f"How is {NAME} doing?"),
    ("The weather is fine.", "Good to hear."),
)


def talk(store: Store) -> None:
    session = begin(store)
    for line, answer in SAID:
        take_in(store, session, say(store, session, line, answer))


def of_grandmother(store: Store, *, siblings: bool = False) -> Target:
    [fact] = [one for one in Facts(store).known() if one.facet == "family.grandmother"]
    return Target(what=What.KEY, name=fact.key, principal=store.reach.principal, siblings=siblings)


def told(world: World) -> list[str]:
    """Every text that is left."""
    with world.database.read() as connection:
        return [
            text
            for table in (memories, messages)
            for text in connection.exec_driver_sql(f"SELECT text FROM {table}").scalars()
        ]


def test_what_still_says_it_is_named_in_the_plan_and_the_receipt(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    talk(store)
    target = of_grandmother(store)
    [sibling] = [one for one in Facts(store).known() if "Quetzaltenango" in one.text]
    store.close()

    planned, receipt = plan(world.database, target), erase(world.database, target)

    kept = [text for text in told(world) if NAME in text]
    assert Sibling(kind=Form.FACT, id=sibling.id) in receipt.left
    assert "message" in {one.kind for one in receipt.left}
    assert set(receipt.left) <= set(planned.left)
    assert any("How is" in text for text in kept)


def test_siblings_go_too_when_that_is_wished_for(world: World) -> None:
    store = world.store(embedder=HashEmbedder())
    talk(store)
    consolidate(store)
    target = of_grandmother(store, siblings=True)
    store.close()

    planned, receipt = plan(world.database, target), erase(world.database, target)

    assert [text for text in told(world) if NAME in text or "Quetzaltenango" in text] == []
    assert (planned.left, receipt.left, receipt.clean) == ((), (), True)
    assert "The weather is fine." in told(world)


def test_a_fact_that_nothing_else_says_has_no_siblings(world: World) -> None:
    store = world.store()
    fact = Facts(store).add("The spare key hangs in the shed.").memory
    Facts(store).add("The shed is green.")
    store.close()
    target = Target(what=What.KEY, name=fact.key, principal=store.reach.principal)

    assert erase(world.database, target).left == ()


def test_the_note_of_an_erase_keeps_the_wish_and_what_stays(world: World) -> None:
    store = world.store()
    target = Target(what=What.KEY, name="key", principal=store.reach.principal, siblings=True)
    left = [Sibling(kind="fact", id="mem_1")]

    job.Job(target=target, left=left).save(world.database.folder)

    found = job.pending(world.database.folder)
    assert found is not None
    assert (found.target, found.left) == (target, left)
