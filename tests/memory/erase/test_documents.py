from pathlib import Path

from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.erase.pipeline import erase
from stratal_memory.erase.target import Target, What
from stratal_memory.incoming import NewDocument
from stratal_memory.records import Document, Passage
from stratal_memory.scopes import Principal
from stratal_memory.tiers.documents import Documents
from tests.memory.worlds import World, texts

SECRET = "the vault in Quixhaven opens at noon"


def put(documents: Documents, path: str, *bodies: str, within: str = "") -> Document:
    new = NewDocument(
        path=path,
        title="Vaults",
        format="text",
        content_hash="0" * 64,
        characters=10,
        within=within,
    )
    passages = [
        Passage(text=body, ordinal=i, start=9 * i, end=9 * i + 9) for i, body in enumerate(bodies)
    ]
    return documents.put(new, passages)


def gone(world: World, name: str) -> None:
    target = Target(what=What.SOURCE, name=name, principal=Principal(user="alice"))
    assert erase(world.database, target, clock=world.clock).clean


def held_in_files(folder: Path, text: str) -> bool:
    return any(text.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_erasing_one_of_two_places_keeps_the_passages_of_the_other(world: World) -> None:
    documents = Documents(world.store(embedder=HashEmbedder(64)))
    first = put(documents, "/a.txt", "shared by both", SECRET)
    second = put(documents, "/b.txt", "shared by both")

    gone(world, first.id)

    assert documents.live() == [second]
    (kept,) = documents.passages(second)
    assert kept.text == "shared by both"
    with world.store().read() as connection:
        assert connection.exec_driver_sql("SELECT ref FROM evidence").scalar() == second.id
    assert not held_in_files(world.database.folder, SECRET)


def test_erasing_a_document_takes_its_earlier_versions_and_paths_too(world: World) -> None:
    documents = Documents(world.store(embedder=HashEmbedder(64)))
    first = put(documents, "/before.txt", SECRET)
    moved = documents.move(first, path="/after.txt", root="/")
    put(documents, moved.path, "nothing of it is said any more")

    gone(world, "/after.txt")

    assert documents.live() == []
    assert not held_in_files(world.database.folder, SECRET)
    assert not held_in_files(world.database.folder, "/before.txt")


def test_erasing_a_document_takes_what_lies_in_it(world: World) -> None:
    documents = Documents(world.store(embedder=HashEmbedder(64)))
    outer = documents.draft(
        NewDocument(path="/a.zip", title="a", format="zip", content_hash="1", characters=0), []
    )
    inner = documents.draft(
        NewDocument(
            path="/a.zip!/b.txt",
            title="b",
            format="text",
            content_hash="2",
            characters=9,
            within="/a.zip",
        ),
        [Passage(text=SECRET, ordinal=0, start=0, end=9)],
    )
    stored = documents.store_all([outer, inner], {})
    assert texts(documents.passages(stored[1])) == [SECRET]

    gone(world, "/a.zip")

    assert documents.live() == []
    assert not held_in_files(world.database.folder, SECRET)
