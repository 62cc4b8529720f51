import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.tokens.families import FACTORS
from stratal.tokens.media import media_tokens
from stratal_memory.records import Media, MediaKind


def image(width: int, height: int) -> Media:
    return Media(source="a.png", width=width, height=height)


@pytest.mark.parametrize(
    ("size", "family", "tokens"),
    [
        # The worked examples of Claude's page on vision, for both tiers.
        ((200, 200), "claude-4.6", 64),
        ((1_000, 1_000), "claude-4.6", 1_296),
        ((1_092, 1_092), "claude-4.6", 1_521),
        ((1_928, 1_928), "claude-4.6", 1_521),
        ((1_928, 1_928), "claude", 4_761),
        ((1_920, 1_080), "claude", 69 * 39),
    ],
)
def test_claude_takes_patches_of_28_pixels(size: tuple[int, int], family: str, tokens: int) -> None:
    assert media_tokens(image(*size), family=family) == tokens


@pytest.mark.parametrize(
    ("size", "model", "tokens"),
    [
        # OpenAI's own examples of tiles and of patches.
        ((1_024, 1_024), "gpt-4o", 765),
        ((2_048, 4_096), "gpt-4o", 1_105),
        ((1_024, 1_024), "gpt-4.1-mini", math.ceil(1_024 * 1.62)),
        ((1_800, 2_400), "gpt-4.1-mini", math.ceil(1_452 * 1.62)),
        # Bills others measured: gpt-6 and gpt-5.4 of a full-HD picture, gpt-6 of 12 megapixels.
        ((1_920, 1_080), "gpt-6-astra", 2_448),
        ((1_920, 1_080), "gpt-5.4", 2_448),
        ((4_032, 3_024), "gpt-6-astra", 14_364),
    ],
)
def test_openai_takes_tiles_or_patches_by_model(
    size: tuple[int, int], model: str, tokens: int
) -> None:
    assert media_tokens(image(*size), family="openai", model=model) == tokens


def test_a_model_is_known_by_whole_words_and_behind_a_slash() -> None:
    dated = media_tokens(image(512, 512), family="openai", model="openai/gpt-5-mini-2025-08-07")

    assert dated == math.ceil(256 * 1.62)
    assert media_tokens(image(512, 512), family="openai", model="gpt-5") == 70 + 140
    assert media_tokens(image(512, 512), family="openai", model="gpt-5.6") == math.ceil(256 * 1.2)
    assert media_tokens(image(512, 512), family="openai") == math.ceil(256 * 1.2)


@pytest.mark.parametrize(
    ("family", "model", "tokens"),
    [
        ("claude", "", 4_784),
        ("claude-4.6", "", 1_568),
        ("openai", "gpt-4o", 85 + 8 * 170),
        ("openai", "gpt-4.1-mini", math.ceil(1_536 * 1.62)),
        ("other", "gemini-3.8-flash", 1_120),
        ("other", "llama3:70b", 1_600),
        ("offline", "", 1_600),
        ("?", "", 1_600),
    ],
)
def test_an_image_of_unknown_size_counts_as_the_largest(  # covers P40
    family: str, model: str, tokens: int
) -> None:
    assert media_tokens(Media(source="a.png"), family=family, model=model) == tokens
    assert media_tokens(image(-1, 5), family=family, model=model) == tokens


def test_documents_count_by_page() -> None:
    def pages(count: int) -> Media:
        return Media(kind=MediaKind.DOCUMENT, source="a.pdf", pages=count)

    assert media_tokens(pages(4), family="claude") == 12_000
    assert media_tokens(pages(0), family="claude") == media_tokens(pages(10), family="claude")
    assert media_tokens(pages(2), family="other", model="gemini-3.8-flash") == 1_120


def test_sound_counts_by_second() -> None:
    def sound(seconds: float) -> Media:
        return Media(kind=MediaKind.AUDIO, source="a.mp3", seconds=seconds)

    assert media_tokens(sound(6.05), family="openai") == 61
    assert media_tokens(sound(60), family="other", model="gemini-3.8-flash") == 1_920
    unknown = [media_tokens(sound(odd), family="other") for odd in (0, -1, math.nan, math.inf)]
    assert unknown == [300 * 32] * 4


SIDE = st.integers(1, 10**6)


@given(SIDE, SIDE, st.sampled_from(sorted(FACTORS)), st.sampled_from(["", "gpt-4o", "gpt-5-nano"]))
def test_no_image_takes_more_than_the_most(
    width: int, height: int, family: str, model: str
) -> None:
    most = media_tokens(Media(source="a.png"), family=family, model=model)

    assert 0 < media_tokens(image(width, height), family=family, model=model) <= most
