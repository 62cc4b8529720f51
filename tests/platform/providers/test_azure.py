"""`azure:` against a loopback server that wants Azure's paths and its key header."""

from collections.abc import Generator
from contextlib import closing, contextmanager

import pytest

from stratal.context.request import Request, SystemBlock
from stratal.errors import ConfigError, ContextOverflow, ProviderRejected, ProviderUnavailable
from stratal.providers.azure import azure
from stratal.providers.openai_chat import ChatProvider
from stratal.providers.provider import Usage, complete
from stratal_memory.records import Message, Role
from tests.fakes.wire_openai_chat import (
    KEY,
    Body,
    Server,
    answer,
    chat_server,
    error,
    finish,
    raw,
    stream_of,
    text,
    usage,
)
from tests.fakes.wire_server import Reply, WireServer

PATH = "/openai/deployments/prod/chat/completions?api-version=2024-10-21"
ACCEPTS = Server(path=PATH, key_header="api-key")


def asked(deployment: str = "prod", *, as_system: bool = True) -> Request:
    return Request(
        model=f"azure:{deployment}",
        system=(SystemBlock(text="Be kind."),),
        messages=(
            Message(role=Role.CONTEXT, text="Alice lives in Graz."),
            Message(role=Role.USER, text="Where?"),
        ),
        max_output=100,
        context_as_system=as_system,
        cache_key="alice",
    )


@contextmanager
def talking(
    *script: Reply,
    key: str = KEY,
    under: str = "",
    deployments: dict[str, str] | None = None,
) -> Generator[tuple[ChatProvider, WireServer[Body]]]:
    with (
        chat_server(*script, accepts=ACCEPTS) as server,
        closing(
            azure(
                key,
                endpoint=f"{server.url}{under}",
                api_version="2024-10-21",
                deployments=deployments or {},
            )
        ) as provider,
    ):
        yield provider, server


@pytest.mark.parametrize(
    "under", ["", "/", "/openai/", "/openai/v1/", "/openai/deployments/other/chat/completions"]
)
def test_the_deployment_a_request_names_is_called_whatever_was_copied_with_the_endpoint(
    under: str,
) -> None:
    with talking(answer("Graz."), under=under) as (provider, server):
        assert complete(provider, asked()).text == "Graz."

    assert server.seen[0].path == PATH
    assert "authorization" not in server.seen[0].headers


@pytest.mark.parametrize(("as_system", "role"), [(True, "system"), (False, "user")])
def test_context_is_a_system_message_of_its_own_where_the_layout_demands_it(
    as_system: bool, role: str
) -> None:
    # covers O8
    with talking(answer("Graz.")) as (provider, server):
        complete(provider, asked(as_system=as_system))

    body = server.seen[0].body
    assert [(message.role, message.content) for message in body.messages] == [
        ("system", "Be kind."),
        (role, "Alice lives in Graz."),
        ("user", "Where?"),
    ]
    assert (body.prompt_cache_key, body.store) == ("alice", None)


@pytest.mark.parametrize(
    ("deployments", "limits"),
    [
        ({"prod": "o3"}, (None, 100)),
        ({"prod": "gpt-4o"}, (100, None)),
        ({"other": "o3"}, (100, None)),
    ],
)
def test_the_limit_is_named_as_the_model_behind_the_deployment_wants_it(
    deployments: dict[str, str], limits: tuple[int | None, int | None]
) -> None:
    with talking(answer("Graz."), deployments=deployments) as (provider, server):
        complete(provider, asked())

    body = server.seen[0].body
    assert (body.model, body.messages[0].role) == ("prod", "system")
    assert (body.max_tokens, body.max_completion_tokens) == limits


def test_the_chunk_of_content_filters_without_choices_is_passed_over() -> None:
    filters = '{"choices": [], "prompt_filter_results": [{"prompt_index": 0}], "model": ""}'
    reply = raw(stream_of(text("Graz."), finish(), usage(2_000, 3, cached=1_024)), filters)

    with talking(reply) as (provider, _):
        completion = complete(provider, asked())

    assert completion.text == "Graz."
    assert completion.usage == Usage(input=2_000, output=3, cache_read=1_024)


def test_an_unknown_deployment_says_which_settings_to_look_at() -> None:
    with talking() as (provider, _), pytest.raises(ProviderRejected) as caught:
        complete(provider, asked("none"))

    assert caught.value.status == 404
    assert "providers.azure_endpoint" in caught.value.hint


def test_a_full_window_keeps_the_hint_of_an_overflow() -> None:
    full = error(400, "maximum context length is 128000", code="context_length_exceeded")

    with talking(full) as (provider, _), pytest.raises(ContextOverflow, match="maximum context"):
        complete(provider, asked())


def test_a_refused_key_names_azures_variable_and_hides_the_key() -> None:
    with talking(key="wrong-canary") as (provider, _), pytest.raises(ProviderRejected) as caught:
        complete(provider, asked())

    assert "AZURE_OPENAI_API_KEY" in caught.value.hint
    assert "canary" not in f"{caught.value} {provider!r}"


def test_a_rate_limit_says_how_long_to_wait_and_the_sdk_does_not_try_again() -> None:
    limited = error(429, "Requests have exceeded the rate limit", headers={"retry-after": "7"})

    with (
        talking(limited, answer("Graz.")) as (provider, server),
        pytest.raises(ProviderUnavailable) as caught,
    ):
        complete(provider, asked())

    assert caught.value.retry_after == 7.0
    assert len(server.seen) == 1


def test_the_token_of_another_sign_in_is_not_taken_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AZURE_OPENAI_AD_TOKEN", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "canary")

    with talking(answer("Graz.")) as (provider, server):
        complete(provider, asked())

    assert "canary" not in " ".join(server.seen[0].headers.values())


def test_an_endpoint_that_is_no_address_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match=r"providers\.azure_endpoint"):
        azure("k", endpoint="name.openai.azure.com", api_version="2024-10-21", deployments={})


def test_an_azure_host_is_not_mistaken_for_the_path_in_it() -> None:
    provider = azure(
        "k", endpoint="https://openai.azure.com/openai/", api_version="v", deployments={}
    )

    assert repr(provider) == "ChatProvider(name='azure', address='https://openai.azure.com')"
