import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.caching import CACHING, Caching, caching, worth_marking


# covers C11, C12, C13, C14, C15, C16
@pytest.mark.parametrize(
    ("provider", "wants"),
    [
        ("anthropic", Caching.MARKS),
        ("bedrock", Caching.POINTS),
        ("openai", Caching.KEY),
        ("azure", Caching.KEY),
        ("gemini", Caching.SERVER),
        ("ollama", Caching.SERVER),
        ("openai-chat", Caching.SERVER),
        ("unheard-of", Caching.SERVER),
    ],
)
def test_each_provider_is_given_what_its_cache_wants(provider: str, wants: Caching) -> None:
    assert caching(provider) == wants


def test_the_table_can_not_be_changed_from_outside() -> None:
    assert not hasattr(CACHING, "__setitem__")


# PROVIDERS, section 4: Opus 5.5 caches from 512 tokens, Sonnet 4.6 from 1,024, Opus 4.6 from 4,096.
@pytest.mark.parametrize(
    ("prefix", "minimum", "worth"),
    [
        (511, 512, False),
        (512, 512, True),
        (1_023, 1_024, False),
        (4_096, 4_096, True),
        (0, 0, True),
    ],
)
def test_a_mark_below_the_models_minimum_is_not_worth_sending(
    prefix: int, minimum: int, worth: bool
) -> None:
    assert worth_marking(prefix, minimum) == worth


@given(prefix=st.integers(0, 10_000), minimum=st.integers(0, 10_000), more=st.integers(0, 100))
def test_a_longer_prefix_is_never_worth_less(prefix: int, minimum: int, more: int) -> None:
    assert worth_marking(prefix + more, minimum) >= worth_marking(prefix, minimum)
