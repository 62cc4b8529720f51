import pytest

from stratal.context.usage import COLOURS, Band, band, bar, marks, scale


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        (0, Band.PEAK),
        (499, Band.PEAK),
        (500, Band.GOOD),
        (699, Band.GOOD),
        (700, Band.DEGRADING),
        (850, Band.DEGRADING),
        (851, Band.POOR),
        (1_200, Band.POOR),
    ],
)
def test_edges_of_the_bands(used: int, expected: Band) -> None:  # covers C21
    assert band(used=used, window=1_000) == expected


def test_each_band_has_its_colour() -> None:  # covers C20, C21
    assert list(COLOURS.values()) == ["green", "yellow", "orange", "red"]


def test_the_bar_is_always_as_wide_as_asked() -> None:  # covers C20
    sections = [("a", 1), ("b", 333), ("c", 334), ("d", 500)]

    for window in (1, 7, 1_000, 1_168, 200_000):
        pieces = bar(sections, reserve=100, window=window, width=60)
        assert sum(len(piece.text) for piece in pieces) == 60


def test_a_section_takes_its_share_of_the_bar() -> None:  # covers C20
    pieces = bar([("system", 10), ("history", 50)], reserve=20, window=100, width=10)

    lengths = [(piece.name, len(piece.text)) for piece in pieces]
    assert lengths == [("system", 1), ("history", 5), ("free", 2), ("reserve", 2)]


def test_the_mark_of_compression_replaces_one_character() -> None:  # covers Ps12
    for compress_at in (0, 1, 50, 99, 100, 5_000):
        pieces = bar([("a", 50)], reserve=10, window=100, width=10, compress_at=compress_at)
        drawn = "".join(piece.text for piece in pieces)
        assert len(drawn) == 10
        assert drawn.count("│") == (1 if compress_at else 0)

    assert drawn == "█████····│"


def test_sections_without_tokens_use_up_no_mark() -> None:
    assert marks([("a", 1), ("b", 0), ("c", 1)]) == [("a", "█"), ("c", "▓")]


@pytest.mark.parametrize("width", [1, 7, 38, 58, 100])
def test_the_scale_is_as_wide_as_the_bar_and_in_the_order_of_the_bands(width: int) -> None:
    # covers C20, C21
    pieces = scale(width)

    assert [one for one, _ in pieces] == list(Band)
    assert sum(len(text) for _, text in pieces) == width


def test_each_band_takes_its_share_of_the_scale() -> None:  # covers C21
    assert [len(text) for _, text in scale(100)] == [50, 20, 15, 15]


@pytest.mark.parametrize("billed", [-1, -90, -5_000])
def test_a_section_of_less_than_nothing_makes_the_bar_no_longer(billed: int) -> None:  # covers C20
    for sections in ([("a", 40), ("b", billed)], [("b", billed), ("a", 40)], [("b", billed)]):
        pieces = bar([*sections, ("c", 30)], reserve=20, window=100, width=10, compress_at=70)
        assert sum(len(piece.text) for piece in pieces) == 10
