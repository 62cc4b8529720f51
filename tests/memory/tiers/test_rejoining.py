from dataclasses import replace

from stratal_memory.records import Memory, Passage
from stratal_memory.tiers.documents import Documents
from stratal_memory.tiers.rejoining import rejoined
from stratal_memory.truth.documents import Place
from tests.memory.tiers.test_documents import new_document
from tests.memory.worlds import World


def stored(world: World, text: str, *spans: tuple[int, int]) -> list[tuple[Place, Memory]]:
    made = [
        Passage(text=text[start:end], ordinal=i, start=start, end=end, page=0, heading=())
        for i, (start, end) in enumerate(spans)
    ]
    documents = Documents(world.store())
    return documents.placed(documents.put(new_document(), made))


def test_every_passage_stands_at_its_place(world: World) -> None:
    placed = stored(
        world, "\n\none\n\n\n\ntwo three four\nfive", (2, 5), (9, 18), (13, 23), (24, 28)
    )

    text = rejoined(placed)

    assert [text[place.start : place.end] for place, _ in placed] == [
        memory.text for _, memory in placed
    ]


def test_a_passage_that_is_gone_leaves_a_paragraph(world: World) -> None:
    first, second = stored(world, "one two", (0, 3), (4, 7))
    far = (replace(second[0], start=5_000, end=5_003), second[1])

    assert rejoined([first, far]) == "one\n\ntwo"
