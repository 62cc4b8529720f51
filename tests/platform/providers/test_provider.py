import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.request import Request
from stratal.providers.anthropic import AnthropicProvider
from stratal.providers.offline import OfflineProvider
from stratal.providers.openai import OpenAIProvider
from stratal.providers.provider import Completion, CountsTokens, Provider, Usage
from stratal.providers.retry import Retrying
from stratal.providers.scripted import ScriptedProvider


# Worked: Anthropic reports 10 fresh + 200 written + 3,000 read; OpenAI 3,000 of which 2,048 + 512.
@pytest.mark.parametrize(
    ("usage", "uncached"),
    [
        (Usage(input=3_210, cache_read=3_000, cache_write=200), 10),
        (Usage(input=3_000, cache_read=2_048, cache_write=512), 440),
        (Usage(input=50), 50),
        (Usage(input=5, cache_read=9), 0),
    ],
)
def test_uncached_is_what_the_cache_had_no_part_in(usage: Usage, uncached: int) -> None:
    assert usage.uncached == uncached


@given(fresh=st.integers(0), read=st.integers(0), written=st.integers(0))
def test_the_three_parts_of_the_input_add_up(fresh: int, read: int, written: int) -> None:
    usage = Usage(input=fresh + read + written, cache_read=read, cache_write=written)

    assert usage.uncached + usage.cache_read + usage.cache_write == usage.input


@pytest.mark.parametrize(
    "provider",
    [
        OfflineProvider(),
        ScriptedProvider([Completion(text="a")]),
        AnthropicProvider("k"),
        OpenAIProvider("k"),
    ],
    ids=lambda provider: str(provider.name),
)
def test_a_provider_that_was_never_used_can_be_closed_twice(provider: Provider) -> None:
    provider.close()
    provider.close()


def test_closing_goes_through_the_retries() -> None:
    class Closing(ScriptedProvider):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    inner = Closing()

    Retrying(inner).close()

    assert inner.closed == 1


def test_only_who_can_count_says_so() -> None:
    assert isinstance(AnthropicProvider("k"), CountsTokens)
    assert not isinstance(OfflineProvider(), CountsTokens)
    assert not isinstance(ScriptedProvider(), CountsTokens)
    assert Request(model="m", system=(), messages=()).cache_ttl == "5m"
