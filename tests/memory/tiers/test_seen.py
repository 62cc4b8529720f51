"""A run asks no more for what its scope lacks, and finds all that is there."""

from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.seen import PATIENCE
from tests.memory.tiers.test_documents import new_document, passages, put
from tests.memory.worlds import World


def impatient(world: World) -> Documents:
    """Documents of a run that has read all that its scope holds."""
    documents = Documents(world.store()).in_run()
    for number in range(PATIENCE + 1):
        assert documents.find(f"/{number}.md") is None
    return documents


def test_what_was_there_before_the_run_and_what_it_stores_is_found(world: World) -> None:
    before = put(Documents(world.store()), "Bread cools.", path="/before.md")
    documents = impatient(world)
    stored = put(documents, "Flour is white.", path="/stored.md")
    moved = documents.move(before, path="/moved.md", root="")

    assert documents.find("/stored.md") == stored
    assert documents.find("/moved.md") == moved
    assert documents.find("/other.md") is None


def test_a_passage_that_is_known_is_not_embedded_again(world: World) -> None:
    documents = impatient(world)
    put(documents, "Bread cools.", path="/a.md")

    draft = documents.draft(new_document(path="/b.md"), passages("Bread cools."))
    assert draft.missing == ()


def test_what_another_run_stored_meanwhile_is_replaced(world: World) -> None:
    documents = impatient(world)
    other = put(Documents(world.store()), "Bread cools.", path="/a.md")

    assert put(documents, "Flour is white.", path="/a.md").id == other.id
    assert [one.path for one in documents.live()] == ["/a.md"]


def test_changes_made_together_happen_all_or_not_at_all(world: World) -> None:
    documents = Documents(world.store())
    drafts = [documents.draft(new_document(path=p), passages(p)) for p in ("/a.md", "/b.md")]
    try:
        with documents.together() as both:
            for draft in drafts:
                both.store_all([draft], {})
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert documents.live() == []
    with documents.together() as both:
        for draft in drafts:
            both.store_all([draft], {})
    assert [one.path for one in documents.live()] == ["/a.md", "/b.md"]
