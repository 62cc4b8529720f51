from collections.abc import Sequence

import pytest

from stratal_memory.embedding.embedder import Vectors
from stratal_memory.errors import NotFound, ScopeError
from stratal_memory.incoming import NewDocument
from stratal_memory.records import Document, Form, Passage, ScopeKind, Status, Trust
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import generations
from tests.memory.worlds import DrawnEmbedder, World, texts


def new_document(
    path: str = "/handbook.md", *, title: str = "Handbook", trust: Trust = Trust.DOCUMENT
) -> NewDocument:
    return NewDocument(
        path=path,
        title=title,
        format="markdown",
        content_hash="0" * 64,
        characters=100,
        trust=trust,
    )


def passages(*bodies: str) -> list[Passage]:
    return [
        Passage(text=body, ordinal=i, start=10 * i, end=10 * i + 10, page=i + 1, heading=("Leave",))
        for i, body in enumerate(bodies)
    ]


def put(documents: Documents, *bodies: str, path: str = "/handbook.md") -> Document:
    return documents.put(new_document(path), passages(*bodies))


def test_a_document_is_found_by_its_path_with_its_passages_in_order(world: World) -> None:
    documents = Documents(world.store())

    made = put(documents, "sick leave", "parental leave")

    assert documents.find("/handbook.md") == made
    assert documents.get(made.id) == made
    assert texts(documents.passages(made)) == ["sick leave", "parental leave"]
    first = documents.passages(made)[0]
    assert (first.source, first.form, first.trust) == (
        "Handbook › Leave, p. 1",
        Form.CHUNK,
        Trust.DOCUMENT,
    )
    assert (first.evidence[0].ref, first.confidence) == (made.id, 0.7)


def test_a_changed_document_replaces_the_old_one(world: World) -> None:
    documents = Documents(world.store())
    old = put(documents, "ten days", "unchanged")

    new = put(documents, "twelve days", "unchanged")

    assert documents.live() == [new]
    assert new.id == old.id
    assert texts(documents.passages(new)) == ["twelve days", "unchanged"]


def test_unchanged_passages_cost_no_embedding_and_stay_what_they_are(world: World) -> None:
    embedder = DrawnEmbedder({})
    store = world.store(embedder=embedder)
    documents = Documents(store)
    old = put(documents, "sick leave", "parental leave", "holidays")
    before = {one.text: one for one in documents.passages(old)}
    embedder.texts.clear()

    edited = [
        Passage(text=body, ordinal=i, start=99 * i, end=99 * i + 10, page=page, heading=("Leave",))
        for i, (body, page) in enumerate([("new", 1), ("sick leave", 1), ("holidays", 4)])
    ]
    new = documents.put(new_document(), edited)
    after = {one.text: one for one in documents.passages(new)}

    assert [text.splitlines()[-1] for text in embedder.texts] == ["new"]
    assert after["sick leave"].id == before["sick leave"].id  # it only moved
    assert after["sick leave"].evidence[0].start == 99
    assert after["holidays"].key == before["holidays"].key  # on another page: its next version
    assert after["holidays"].supersedes == before["holidays"].id
    assert (after["holidays"].version, after["new"].version) == (2, 1)
    with store.read() as connection:
        assert generations.without_vector(connection, generation=store.generation, limit=9) == {}


def test_a_retired_document_is_gone_from_recall_and_its_rows_stay(world: World) -> None:
    store = world.store()
    documents = Documents(store)
    made = put(documents, "sick leave")

    documents.retire(made, reason="outdated")

    assert documents.live() == []
    closed = Facts(store).known(forms=(Form.CHUNK,), statuses=(Status.SUPERSEDED,))
    assert texts(closed) == ["sick leave"]
    with pytest.raises(NotFound):
        documents.retire(made, reason="again")


def test_a_project_document_is_read_by_its_members(world: World) -> None:
    shared = Documents(world.store(project="bakery"), ScopeKind.PROJECT)

    made = put(shared, "the oven")

    assert str(made.scope) == "project:bakery"
    assert Documents(world.store()).live() == []
    assert Documents(world.store(project="bakery")).find("/handbook.md") is None  # user scope
    assert Documents(world.store(project="bakery")).live() == [made]


def test_the_same_path_in_two_scopes_is_two_documents(world: World) -> None:
    store = world.store(project="bakery")
    put(Documents(store, ScopeKind.PROJECT), "shared")
    put(Documents(store), "mine")

    assert {str(one.scope) for one in Documents(store).live()} == {"project:bakery", "user:alice"}


def test_a_scope_one_does_not_stand_in_takes_no_document(world: World) -> None:
    with pytest.raises(ScopeError):
        put(Documents(world.store(), ScopeKind.ORG), "lost")


def test_what_another_process_put_meanwhile_is_replaced_too(world: World) -> None:
    class Meanwhile(DrawnEmbedder):
        """While the first is embedding, the second puts the same path."""

        def __init__(self) -> None:
            super().__init__({})
            self.other: Documents | None = None

        def embed(self, texts: Sequence[str]) -> Vectors:
            other, self.other = self.other, None
            if other is not None:
                put(other, "from the other")
            return super().embed(texts)

    embedder = Meanwhile()
    documents = Documents(world.store(embedder=embedder))
    embedder.other = Documents(world.store())

    made = put(documents, "from the first")

    assert documents.live() == [made]


@pytest.mark.parametrize("text", ["a\x00b", "lone \ud800 surrogate"])
def test_any_text_is_taken(world: World, text: str) -> None:
    documents = Documents(world.store())

    made = documents.put(new_document(title=text), passages(text))

    assert len(documents.passages(made)) == 1
    assert documents.find("/handbook.md") == made
