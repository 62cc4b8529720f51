import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.errors import ConfigError
from stratal.providers.models import Family, Way, find_model, model_info, near


# covers Z18
@pytest.mark.parametrize(
    ("provider", "name", "window", "max_input", "max_output"),
    [
        ("anthropic", "claude-opus-5-5", 1_000_000, 1_000_000, 128_000),
        ("anthropic", "claude-sonnet-4-6", 1_000_000, 1_000_000, 128_000),
        ("anthropic", "claude-haiku-4-5-20251001", 200_000, 200_000, 64_000),
        ("openai", "gpt-6-sol", 1_050_000, 922_000, 128_000),
        ("openai", "gpt-5.4-2026-03-05", 1_050_000, 922_000, 128_000),
        ("openai", "gpt-5-mini", 400_000, 272_000, 128_000),
        ("openai", "gpt-4o-mini", 128_000, 128_000, 16_384),
        ("openai", "gpt-4.1", 1_047_576, 1_047_576, 32_768),
    ],
)
def test_known_models_have_their_numbers(
    provider: str, name: str, window: int, max_input: int, max_output: int
) -> None:
    info = model_info(provider, name)

    assert (info.window, info.max_input, info.max_output) == (window, max_input, max_output)
    assert info.known


# covers Z18
@pytest.mark.parametrize(
    ("provider", "name", "window", "output"),
    [
        ("openai", "gpt-4-turbo", 128_000, 4_096),
        ("openai", "gpt-4o", 128_000, 16_384),
        ("anthropic", "claude-3-5-sonnet", 200_000, 8_192),
        ("anthropic", "claude-3-5-sonnet-20241022", 200_000, 8_192),
    ],
)
def test_the_models_zeus_names_have_the_numbers_zeus_gives(
    provider: str, name: str, window: int, output: int
) -> None:
    info = model_info(provider, name)

    assert (info.window, info.max_output) == (window, output)


def test_the_longest_beginning_wins_and_ends_at_a_boundary() -> None:
    assert model_info("anthropic", "claude-opus-5").cache_minimum == 512
    assert model_info("anthropic", "claude-fable-5-2").match == "claude-fable-5-2"
    assert model_info("anthropic", "claude-fable-5-1-20260801").match == "claude-fable-5-1"
    assert find_model("anthropic", "claude-fable-5-1-20260801").way == Way.PREFIX
    assert not model_info("openai", "gpt-50").known


# covers Z19
def test_an_unknown_model_gets_64_000_tokens_and_its_makers_newest_tokenizer() -> None:
    found = find_model("anthropic", "claude-nobody-9")

    assert (found.info.window, found.info.known) == (64_000, False)
    assert (found.info.family, found.way) == (Family.CLAUDE, Way.ASSUMED)
    assert "claude-nobody-9" in found.why


def test_an_unknown_local_model_gets_what_ollama_serves_by_default() -> None:
    found = find_model("ollama", "llama3:70b")

    assert (found.info.window, found.info.known, found.way) == (4_096, False, Way.FALLBACK)
    assert found.info.family == Family.OTHER


def test_ollama_borrows_no_window_from_a_host_of_the_same_model() -> None:
    assert model_info("groq", "openai/gpt-oss-120b").window == 131_072
    assert model_info("ollama", "gpt-oss:120b").window == 4_096
    assert model_info("ollama", "gpt-oss:120b-cloud").window == 131_072


def test_offline_has_a_window_of_its_own() -> None:
    info = model_info("offline", "")

    assert (info.window, info.known) == (100_000, True)


def test_a_request_fits_when_the_sum_and_the_input_fit() -> None:
    info = model_info("openai", "gpt-6-sol")

    assert info.fits(input=922_000, output=128_000)
    assert not info.fits(input=922_001, output=1)
    assert not info.fits(input=922_000, output=128_001)


@pytest.mark.parametrize(
    ("provider", "name", "match", "way"),
    [
        ("bedrock", "anthropic.claude-opus-5-v1:0", "anthropic.claude-opus-5", Way.PREFIX),
        ("bedrock", "us.anthropic.claude-opus-5-5", "anthropic.claude-opus-5-5", Way.EXACT),
        (
            "bedrock",
            "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic.claude-sonnet-4-5",
            Way.PREFIX,
        ),
        (
            "bedrock",
            "arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-opus-4-7",
            "anthropic.claude-opus-4-7",
            Way.EXACT,
        ),
        ("openai-chat", "anthropic/claude-opus-4.5", "claude-opus-4-5", Way.OTHER_PROVIDER),
        ("openai-chat", "google/gemini-2.5-pro", "gemini-2.5-pro", Way.OTHER_PROVIDER),
        ("openai-chat", "GPT-6-Sol", "gpt-6-sol", Way.OTHER_PROVIDER),
        ("openai-chat", "deepseek/deepseek-v4-pro:free", "deepseek-v4-pro", Way.OTHER_PROVIDER),
        ("azure", "claude-mythos-5", "claude-mythos-5", Way.OTHER_PROVIDER),
        ("azure", "gpt-4-1", "gpt-4.1", Way.EXACT),
    ],
)
def test_a_model_is_known_by_the_names_others_give_it(
    provider: str, name: str, match: str, way: Way
) -> None:
    found = find_model(provider, name)

    assert (found.info.match, found.way, found.info.provider) == (match, way, provider)


def test_a_borrowed_row_is_the_makers_and_its_prices_stay_with_them() -> None:
    info = model_info("openai-chat", "anthropic/claude-opus-5.5")

    assert (info.window, info.cache_minimum, info.family) == (1_000_000, 512, Family.CLAUDE)
    assert info.prices is None
    assert model_info("anthropic", "claude-opus-5-5").prices is not None


def test_an_azure_deployment_is_the_model_it_runs() -> None:
    deployments = {"our-chat": "gpt-6-sol", "writer": "claude-mythos-5"}

    chat = find_model("azure", "our-chat", deployments=deployments)

    assert (chat.info.max_input, chat.info.match) == (922_000, "gpt-6-sol")
    assert "the deployment our-chat runs gpt-6-sol" in chat.why
    assert model_info("azure", "writer", deployments=deployments).family == Family.CLAUDE
    assert not model_info("azure", "our-chat").known


@pytest.mark.parametrize("key", ["openai:gpt-6-sol", "gpt-6-sol"])
def test_a_window_the_user_set_goes_before_the_table(key: str) -> None:
    found = find_model("openai", "gpt-6-sol", windows={key: 100_000})

    info = found.info
    assert (info.window, info.max_input, info.max_output) == (100_000, 100_000, 100_000)
    assert (found.way, info.family) == (Way.SETTING, Family.OPENAI)
    assert "settings" in info.source


def test_a_set_window_makes_an_unknown_model_known_and_both_numbers_hold() -> None:
    local = model_info("ollama", "llama3:70b", windows={"ollama:llama3:70b": 32_768})
    wider = model_info("openai", "gpt-5", windows={"gpt-5": 1_000_000})

    assert (local.window, local.max_input, local.known) == (32_768, 32_768, True)
    assert (wider.window, wider.max_input) == (1_000_000, 272_000)


@pytest.mark.parametrize("window", [0, -1])
def test_a_window_below_one_token_is_refused(window: int) -> None:
    with pytest.raises(ConfigError, match="gpt-5"):
        model_info("openai", "gpt-5", windows={"gpt-5": window})


def test_near_misses_are_named_the_maker_before_its_hosts() -> None:
    assert near("openai", "gpt-6-soll")[0] == "openai:gpt-6-sol"
    assert near("", "claude-opus-55")[0].startswith("anthropic:claude-opus-5")
    assert near("", "qqqqqqqqqqqq") == ()


@given(st.sampled_from(["anthropic", "azure", "bedrock", "ollama", "nobody", ""]), st.text())
def test_any_name_gets_numbers_that_fit_together(provider: str, name: str) -> None:
    info = model_info(provider, name)

    assert info.provider == provider
    assert 0 < info.max_input <= info.window
    assert 0 < info.max_output <= info.window
