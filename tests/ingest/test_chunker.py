import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_ingest.chunker import Count, Sizes, chunk
from stratal_ingest.document import Block, BlockKind, ReadDocument, cleaned
from tests.ingest.samples import words

TEN = Sizes(target=10, max=12, overlap=3)


def document(*blocks: Block) -> ReadDocument:
    return ReadDocument(format="text", blocks=blocks)


def heading(*path: str) -> Block:
    return Block(text=path[-1], kind=BlockKind.HEADING, heading=path)


def test_a_short_document_is_one_passage_with_its_place() -> None:
    read = document(heading("Leave"), Block(text="Thirty days.", heading=("Leave",), page=2))

    (passage,) = chunk(read, count=words)

    assert passage.text == "Leave\n\nThirty days."
    assert (passage.start, passage.end, passage.page) == (0, 19, 2)
    assert passage.heading == ("Leave",)


def test_passages_end_where_sentences_end_and_share_the_last_short_one() -> None:
    read = document(Block(text="One two three four five six. And so on. Seven eight nine ten."))

    passages = chunk(read, count=words, sizes=TEN)

    assert [passage.text for passage in passages] == [
        "One two three four five six. And so on.",
        "And so on. Seven eight nine ten.",
    ]


def test_a_passage_never_reaches_over_a_heading() -> None:
    read = document(
        heading("A"),
        Block(text="first", heading=("A",)),
        heading("B"),
        heading("B", "C"),
        Block(text="second", heading=("B", "C")),
    )

    passages = chunk(read, count=words)

    assert [passage.text for passage in passages] == ["A\n\nfirst", "B\n\nC\n\nsecond"]
    assert [passage.heading for passage in passages] == [("A",), ("B", "C")]


def test_table_rows_are_kept_whole_and_not_repeated() -> None:
    rows = "\n".join(f"name: n{n} | age: {n}" for n in range(4))

    passages = chunk(document(Block(text=rows, kind=BlockKind.TABLE)), count=words, sizes=TEN)

    assert [passage.text.count("name:") for passage in passages] == [2, 2]


def test_a_paragraph_that_fits_a_passage_is_not_parted() -> None:
    first, second = "a b c. D e f.", "G h i. J k l. M n."

    passages = chunk(document(Block(text=first), Block(text=second)), count=words, sizes=TEN)

    assert passages[-1].text.endswith(second)


def test_three_megabytes_without_a_blank_are_parted() -> None:
    read = document(Block(text="x" * 3_000_000))

    passages = chunk(read, count=lambda text: 1)

    assert max(len(passage.text) for passage in passages) <= Sizes().max_characters
    assert passages[-1].end == 3_000_000


LETTERS = st.text(alphabet="ab .!?|;:\n\t-é。你\u0301😀A", max_size=120)
BLOCKS = st.builds(
    Block,
    text=LETTERS,
    kind=st.sampled_from(BlockKind),
    heading=st.sampled_from([(), ("A",), ("A", "B")]),
)
COUNTS: list[Count] = [words, len, lambda text: len(text) // 4 + 2]


@pytest.mark.parametrize("count", COUNTS)
@given(blocks=st.lists(BLOCKS, max_size=8))
def test_every_visible_character_is_in_a_passage_of_the_right_size(
    count: Count, blocks: list[Block]
) -> None:
    read = cleaned(document(*blocks))
    text = read.text

    passages = chunk(read, count=count, sizes=TEN)

    seen = {at for passage in passages for at in range(passage.start, passage.end)}
    assert all(at in seen or character.isspace() for at, character in enumerate(text))
    for place, passage in enumerate(passages):
        assert passage.text == text[passage.start : passage.end]
        assert passage.ordinal == place
        assert count(passage.text) <= TEN.max or len(passage.text.strip()) == 1
    starts = [passage.start for passage in passages]
    assert starts == sorted(set(starts))


@given(
    title=st.text("ab ", max_size=60),
    headings=st.lists(st.text("ab ", max_size=80), max_size=4).map(tuple),
    body=st.text("ab. ", max_size=400),
)
def test_a_passage_and_what_stands_before_it_fit_the_window_of_the_embedder(
    title: str, headings: tuple[str, ...], body: str
) -> None:
    sizes = Sizes(target=40, max=50, overlap=5, window=60)
    read = ReadDocument(
        format="text", title=title, blocks=(Block(text=f"x{body}", heading=headings),)
    )

    passages = chunk(read, count=words, sizes=sizes)

    place = words(" › ".join([title, *headings]))
    room = max(sizes.window - place, sizes.max // 3)
    assert all(words(passage.text) <= room for passage in passages)


def test_a_larger_window_does_not_make_larger_passages() -> None:
    usual = Sizes()

    assert Sizes.of_window(8_000) == Sizes(window=8_000)
    assert Sizes.of_window(usual.window) == usual


def test_a_smaller_window_makes_smaller_passages_down_to_a_sentence() -> None:
    half, tiny = Sizes.of_window(127), Sizes.of_window(4)

    assert (half.target, half.max, half.overlap) == (100, 120, 22)
    assert tiny.max >= tiny.target > tiny.overlap > 0
