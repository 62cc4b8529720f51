"""`ollama:` needs a window and no key, and reads `OLLAMA_HOST` as Ollama does."""

import socket
from contextlib import closing

import pytest

from stratal.context.request import Request, SystemBlock
from stratal.errors import ConfigError, ProviderRejected, ProviderUnavailable
from stratal.providers.ollama import ollama, ollama_address
from stratal.providers.provider import complete
from stratal_memory.records import Message, Role
from tests.fakes.wire_openai_chat import Server, answer, chat_server, error

ACCEPTS = Server(key="", strict=True)
HELLO = Request(
    model="ollama:llama3:70b",
    system=(SystemBlock(text="Be kind."),),
    messages=(
        Message(role=Role.CONTEXT, text="Alice lives in Graz."),
        Message(role=Role.USER, text="Where?"),
    ),
    max_output=100,
)


def test_without_a_window_it_says_what_ollama_would_do_and_how_to_set_one() -> None:
    with pytest.raises(ConfigError, match=r"context\.window.*4,096 tokens") as caught:
        ollama("llama3:70b", host=None, window=None)

    assert "STRATAL_CONTEXT__WINDOW=8192" in caught.value.hint
    assert "OLLAMA_CONTEXT_LENGTH=8192" in caught.value.hint


def test_a_message_goes_to_v1_of_the_host_without_a_key() -> None:
    with chat_server(answer("Graz."), accepts=ACCEPTS) as server:
        host = server.url.removeprefix("http://")
        with closing(ollama("llama3:70b", host=host, window=8_192)) as provider:
            assert complete(provider, HELLO).text == "Graz."

    body = server.seen[0].body
    assert (body.model, body.max_tokens, body.roles) == ("llama3:70b", 100, ["system", "user"])
    assert "authorization" not in server.seen[0].headers


def test_a_model_that_is_not_there_says_how_to_fetch_it() -> None:
    missing = error(404, 'model "llama3:70b" not found, try pulling it first')
    with chat_server(missing, accepts=ACCEPTS) as server:
        provider = ollama("llama3:70b", host=server.url, window=8_192)
        with closing(provider), pytest.raises(ProviderRejected, match="not found") as caught:
            complete(provider, HELLO)

    assert caught.value.hint.startswith("`ollama pull llama3:70b`")


def test_a_server_that_does_not_run_says_how_to_start_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"  # bound and not listening: refused
        provider = ollama("llama3", host=host, window=8_192)
        with closing(provider), pytest.raises(ProviderUnavailable) as caught:
            complete(provider, HELLO)

    assert "ollama serve" in caught.value.hint
    assert host in caught.value.hint


def test_an_error_in_the_middle_is_not_taken_for_a_server_that_does_not_run() -> None:
    begun = answer("Graz.").cut_after(1)
    with chat_server(begun, accepts=ACCEPTS) as server:
        provider = ollama("llama3", host=server.url, window=8_192)
        with closing(provider), pytest.raises(ProviderUnavailable) as caught:
            complete(provider, HELLO)

    assert "ollama serve" not in caught.value.hint


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("box:8080", "http://box:8080/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("0.0.0.0:11434", "http://127.0.0.1:11434/v1"),
        ("[::]:11434", "http://127.0.0.1:11434/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("http://box", "http://box/v1"),
        ("https://box.example.org/", "https://box.example.org/v1"),
        ("http://box:11434/v1", "http://box:11434/v1"),
        ("http://box/ollama/v1/", "http://box/ollama/v1"),
    ],
)
def test_the_host_is_read_as_ollama_reads_it(host: str, address: str) -> None:
    assert ollama_address(host) == address


@pytest.mark.parametrize("host", ["box:port", "ftp://box", "http://", "::1", "me:canary@box"])
def test_a_host_that_is_none_is_a_config_error(host: str) -> None:
    with pytest.raises(ConfigError, match=r"providers\.ollama_url") as caught:
        ollama("llama3", host=host, window=8_192)

    assert "canary" not in f"{caught.value} {caught.value.hint}"
