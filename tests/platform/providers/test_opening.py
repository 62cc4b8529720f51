"""Opening providers, and the whole way of a key: it never shows."""

import logging
import subprocess
import sys
import traceback
from collections.abc import Generator
from dataclasses import replace

import pytest
import stamina
from pydantic import SecretStr

from stratal.context.request import Request
from stratal.errors import ConfigError, MissingKey, ProviderRejected, UnknownModel
from stratal.providers.models import AVAILABLE_PROVIDERS, ModelString, parse_model
from stratal.providers.opening import ProviderKeys, open_provider
from stratal.providers.provider import complete
from stratal_memory.records import Message, Role
from tests.fakes import wire_anthropic, wire_openai, wire_openai_chat
from tests.fakes.wire_server import html_reply

CANARY = "not-of-a-known-shape-CANARY-4711"
EVERYTHING = ProviderKeys(
    anthropic=SecretStr("k"),
    openai=SecretStr("k"),
    azure=SecretStr("k"),
    openai_chat_url="http://localhost:8000/v1",
    azure_endpoint="https://name.openai.azure.com",
    azure_api_version="2024-10-21",
    window=8_192,
)
HELLO = Request(model="m", system=(), messages=(Message(role=Role.USER, text="Hello?"),))


@pytest.fixture(autouse=True)
def no_waiting() -> Generator[None]:
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@pytest.mark.parametrize(
    ("text", "name"),
    [(f"{name}:" if name == "offline" else f"{name}:m", name) for name in AVAILABLE_PROVIDERS],
)
def test_each_available_provider_opens(text: str, name: str) -> None:
    assert open_provider(parse_model(text), keys=EVERYTHING).name == name


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("openai:m", "OPENAI_API_KEY"),
        ("azure:m", "AZURE_OPENAI_API_KEY"),
    ],
)
@pytest.mark.parametrize("key", [None, SecretStr(""), SecretStr(" \n")])
def test_a_missing_key_names_its_variable_and_the_way_without_one(
    text: str, variable: str, key: SecretStr | None
) -> None:
    keys = replace(EVERYTHING, anthropic=key, openai=key, azure=key)

    with pytest.raises(MissingKey, match=variable) as caught:
        open_provider(parse_model(text), keys=keys)

    assert "offline:" in caught.value.hint


@pytest.mark.parametrize("key", ["sk-ant-CANARY…", "sk ant CANARY", "sk-ant\nCANARY"])
def test_a_key_that_no_header_carries_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY") as caught:
        open_provider(parse_model("anthropic:m"), keys=ProviderKeys(anthropic=SecretStr(key)))

    assert "CANARY" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("openai-chat:m", "openai_chat_url"),
        ("azure:m", "azure_endpoint"),
        ("azure:m", "azure_api_version"),
    ],
)
@pytest.mark.parametrize("value", [None, " "])
def test_a_missing_address_names_its_setting(text: str, setting: str, value: str | None) -> None:
    keys = {
        "openai_chat_url": replace(EVERYTHING, openai_chat_url=value),
        "azure_endpoint": replace(EVERYTHING, azure_endpoint=value),
        "azure_api_version": replace(EVERYTHING, azure_api_version=value),
    }[setting]

    with pytest.raises(ConfigError, match=rf"{text} needs providers\.{setting}") as caught:
        open_provider(parse_model(text), keys=keys)

    assert "for example" in caught.value.hint


def test_ollama_without_a_configured_window_is_not_opened() -> None:
    with pytest.raises(ConfigError, match=r"context\.window"):
        open_provider(parse_model("ollama:llama3:70b"), keys=replace(EVERYTHING, window=None))


def test_a_server_of_ones_own_gets_its_own_key_and_never_openais() -> None:
    """One call with the server's key, one without any; OpenAI's key is set both times."""
    for secret, sent in ((SecretStr("served"), "Bearer served"), (None, None)):
        accepts = wire_openai_chat.Server(key=secret.get_secret_value() if secret else "")
        with wire_openai_chat.chat_server(wire_openai_chat.answer("Hi."), accepts=accepts) as at:
            keys = ProviderKeys(
                openai=SecretStr(CANARY), openai_chat=secret, openai_chat_url=f"{at.url}/v1"
            )
            complete(open_provider(parse_model("openai-chat:m"), keys=keys), HELLO)

        assert at.seen[0].headers.get("authorization") == sent


def test_openais_own_address_needs_a_key_and_takes_that_of_openai() -> None:
    own = ProviderKeys(openai_chat_url="https://api.openai.com/v1")
    model = parse_model("openai-chat:gpt-4o")

    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        open_provider(model, keys=own)
    assert open_provider(model, keys=replace(own, openai=SecretStr("k"))).name == "openai-chat"


def test_a_provider_that_is_unknown_says_what_is_there() -> None:
    with pytest.raises(UnknownModel, match="not available") as caught:
        open_provider(ModelString(provider="bedrock", name="m"), keys=ProviderKeys())

    assert all(f"{provider}:" in caught.value.hint for provider in AVAILABLE_PROVIDERS)


def test_a_rate_limited_call_succeeds_at_the_second_attempt() -> None:
    limited = wire_anthropic.error(
        429, "rate_limit_error", "Slow down", headers={"retry-after": "1"}
    )
    with wire_anthropic.anthropic_server(limited, wire_anthropic.answer("Hi.")) as server:
        keys = ProviderKeys(anthropic=SecretStr(wire_anthropic.KEY), anthropic_url=server.url)
        provider = open_provider(parse_model("anthropic:m"), keys=keys)

        assert complete(provider, HELLO).text == "Hi."

    assert len(server.seen) == 2  # the SDK itself retries nothing


def test_a_server_in_trouble_is_asked_three_times_and_no_more() -> None:
    script = [html_reply(500, "<h1>Bad gateway</h1>")] * 2 + [wire_openai.answer(("Hi.",))]
    with wire_openai.openai_server(*script) as server:
        keys = ProviderKeys(openai=SecretStr(wire_openai.KEY), openai_url=f"{server.url}/v1")
        provider = open_provider(parse_model("openai:m"), keys=keys)

        assert complete(provider, HELLO).text == "Hi."

    assert len(server.seen) == 3


def test_no_key_shows_in_reprs_errors_tracebacks_or_logs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The OpenAI server repeats the wrong key in its refusal; every logger is at DEBUG."""
    caplog.set_level(logging.DEBUG)
    key = SecretStr(CANARY)
    with (
        wire_anthropic.anthropic_server() as one,
        wire_openai.openai_server() as other,
        wire_openai_chat.chat_server() as third,
    ):
        keys = ProviderKeys(
            anthropic=key,
            openai=key,
            openai_chat=key,
            azure=key,
            anthropic_url=one.url,
            openai_url=f"{other.url}/v1",
            openai_chat_url=f"{third.url}/v1",
            azure_endpoint=third.url,
            azure_api_version="2024-10-21",
        )
        shown = [repr(keys)]
        for text in ("anthropic:m", "openai:m", "openai-chat:m", "azure:m"):
            provider = open_provider(parse_model(text), keys=keys)
            with pytest.raises(ProviderRejected) as caught:
                complete(provider, HELLO)
            shown += [repr(provider), repr(caught.value), caught.value.hint]
            shown += traceback.format_exception(caught.value)

    assert CANARY in other.seen[0].headers["authorization"]
    assert CANARY in third.seen[0].headers["authorization"]
    assert CANARY in third.seen[1].headers["api-key"]
    assert CANARY not in "\n".join([*shown, caplog.text])


def test_opening_a_provider_imports_no_sdk() -> None:
    code = (
        "import sys; from pydantic import SecretStr;"
        "from stratal.providers.models import AVAILABLE_PROVIDERS, ModelString;"
        "from stratal.providers.opening import ProviderKeys, open_provider;"
        "key, url = SecretStr('k'), 'http://localhost/v1';"
        "keys = ProviderKeys(anthropic=key, openai=key, azure=key, openai_chat_url=url,"
        " azure_endpoint=url, azure_api_version='v', window=8192);"
        "models = [ModelString(provider=p, name='m') for p in AVAILABLE_PROVIDERS];"
        "[open_provider(model, keys=keys) for model in models];"
        "print(sorted({'anthropic', 'openai', 'httpx2'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
