"""Opening providers, and the whole way of a key: it never shows."""

import logging
import subprocess
import sys
import traceback
from collections.abc import Generator

import pytest
import stamina
from pydantic import SecretStr

from stratal.context.request import Request
from stratal.errors import ConfigError, MissingKey, ProviderRejected, UnknownModel
from stratal.providers.models import ModelString, parse_model
from stratal.providers.opening import ProviderKeys, open_provider
from stratal.providers.provider import complete
from stratal_memory.records import Message, Role
from tests.fakes import wire_anthropic, wire_openai
from tests.fakes.wire_server import html_reply

CANARY = "not-of-a-known-shape-CANARY-4711"
HELLO = Request(model="m", system=(), messages=(Message(role=Role.USER, text="Hello?"),))


@pytest.fixture(autouse=True)
def no_waiting() -> Generator[None]:
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@pytest.mark.parametrize(
    ("text", "name"),
    [("offline:", "offline"), ("anthropic:m", "anthropic"), ("openai:m", "openai")],
)
def test_each_available_provider_opens(text: str, name: str) -> None:
    keys = ProviderKeys(anthropic=SecretStr("k"), openai=SecretStr("k"))

    assert open_provider(parse_model(text), keys=keys).name == name


@pytest.mark.parametrize(
    ("text", "variable"),
    [("anthropic:m", "ANTHROPIC_API_KEY"), ("openai:m", "OPENAI_API_KEY")],
)
@pytest.mark.parametrize("key", [None, SecretStr(""), SecretStr(" \n")])
def test_a_missing_key_names_its_variable_and_the_way_without_one(
    text: str, variable: str, key: SecretStr | None
) -> None:
    with pytest.raises(MissingKey, match=variable) as caught:
        open_provider(parse_model(text), keys=ProviderKeys(anthropic=key, openai=key))

    assert "offline:" in caught.value.hint


@pytest.mark.parametrize("key", ["sk-ant-CANARY…", "sk ant CANARY", "sk-ant\nCANARY"])
def test_a_key_that_no_header_carries_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY") as caught:
        open_provider(parse_model("anthropic:m"), keys=ProviderKeys(anthropic=SecretStr(key)))

    assert "CANARY" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("provider", ["azure", "ollama", "openai-chat"])
def test_a_provider_that_is_still_to_come_says_what_is_there(provider: str) -> None:
    with pytest.raises(UnknownModel, match="not available yet") as caught:
        open_provider(ModelString(provider=provider, name="m"), keys=ProviderKeys())

    assert caught.value.hint == "Available: anthropic:, openai:, offline:."


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
    with wire_anthropic.anthropic_server() as one, wire_openai.openai_server() as other:
        keys = ProviderKeys(
            anthropic=key, openai=key, anthropic_url=one.url, openai_url=f"{other.url}/v1"
        )
        shown = [repr(keys)]
        for text in ("anthropic:m", "openai:m"):
            provider = open_provider(parse_model(text), keys=keys)
            with pytest.raises(ProviderRejected) as caught:
                complete(provider, HELLO)
            shown += [repr(provider), repr(caught.value), caught.value.hint]
            shown += traceback.format_exception(caught.value)

    assert CANARY in other.seen[0].headers["authorization"]
    assert CANARY not in "\n".join([*shown, caplog.text])


def test_opening_a_provider_imports_no_sdk() -> None:
    code = (
        "import sys; from pydantic import SecretStr;"
        "from stratal.providers.models import parse_model;"
        "from stratal.providers.opening import ProviderKeys, open_provider;"
        "keys = ProviderKeys(anthropic=SecretStr('k'), openai=SecretStr('k'));"
        "[open_provider(parse_model(m), keys=keys) for m in ('anthropic:m', 'openai:m')];"
        "print(sorted({'anthropic', 'openai', 'httpx2'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
