import json
from collections.abc import Mapping

import pytest
from pydantic import SecretStr

from stratal.errors import (
    ConfigError,
    InputError,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
)
from stratal.providers.model_endpoint import Ask, Endpoint, Question, asked, refreshed
from stratal.providers.models import ModelInfo, ModelString, model_info
from tests.fakes.models_server import ModelsServer

TODAY = "2026-11-21"
CLAUDE = ModelString(provider="anthropic", name="claude-opus-5-5")
LLAMA = ModelString(provider="ollama", name="llama3")
HERE = Endpoint(address="http://here", key=SecretStr("sk-ant-hidden"))


def answering(answers: Mapping[str, object]) -> Ask:
    """An endpoint that knows these addresses."""
    return lambda question: json.dumps(answers[question.url]).encode()


def refresh(model: ModelString, ask: Ask, endpoint: Endpoint = HERE) -> ModelInfo:
    info = model_info(model.provider, model.name)
    return refreshed(info, model, endpoint=endpoint, today=TODAY, ask=ask)


def test_anthropic_says_what_its_model_reads_and_writes() -> None:
    questions: list[Question] = []

    def ask(question: Question) -> bytes:
        questions.append(question)
        return b'{"type": "model", "max_input_tokens": 2000000, "max_tokens": 256000}'

    info = refresh(CLAUDE, ask)

    assert (info.window, info.max_input, info.max_output) == (2_000_000, 2_000_000, 256_000)
    assert (info.as_of, info.cache_minimum) == (TODAY, 512)
    assert "http://here" in info.source
    assert [question.url for question in questions] == ["http://here/v1/models/claude-opus-5-5"]
    assert questions[0].headers["x-api-key"] == "sk-ant-hidden"
    assert "sk-ant-hidden" not in repr(questions[0])


def test_a_name_stays_inside_its_path() -> None:
    model = ModelString(provider="anthropic", name="../../files?x=1")

    info = refresh(
        model,
        answering({"http://here/v1/models/..%2F..%2Ffiles%3Fx%3D1": {"max_input_tokens": 10}}),
    )

    assert (info.window, info.known) == (10, True)


@pytest.mark.parametrize("body", [{}, {"max_input_tokens": None}, {"max_input_tokens": 0}])
def test_an_endpoint_without_a_window_changes_nothing(body: dict[str, object]) -> None:
    with pytest.raises(InputError, match="names no window"):
        refresh(CLAUDE, answering({"http://here/v1/models/claude-opus-5-5": body}))


@pytest.mark.parametrize("provider", ["openai", "azure", "openai-chat", "offline"])
def test_where_the_endpoint_knows_no_limits_that_is_said(provider: str) -> None:
    with pytest.raises(InputError, match="says nothing of windows") as caught:
        refresh(ModelString(provider=provider, name="m"), answering({}))

    assert "yourself" in caught.value.hint


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"max_input_tokens": "many"}', b"\xff"])
def test_an_answer_that_is_no_model_is_refused(body: bytes) -> None:
    with pytest.raises(ProviderRejected, match="something else"):
        refresh(CLAUDE, lambda question: body)


def test_ollama_says_the_window_of_the_loaded_model() -> None:
    running = {"models": [{"name": "llama3:latest", "context_length": 32_768}]}

    info = refresh(LLAMA, answering({"http://here/api/ps": running}))

    assert (info.window, info.max_input, info.max_output) == (32_768, 32_768, 8_192)
    assert info.known


def test_ollama_says_what_the_modelfile_asks_for_when_nothing_is_loaded() -> None:
    answers = {
        "http://here/api/ps": {"models": [{"name": "other", "context_length": 9}]},
        "http://here/api/show": {"parameters": 'stop "x"\nnum_ctx       16384\n'},
    }

    assert refresh(LLAMA, answering(answers)).window == 16_384


def test_ollama_never_gives_what_the_model_could_take_for_what_it_gets() -> None:
    answers = {
        "http://here/api/ps": {"models": []},
        "http://here/api/show": {"model_info": {"llama.context_length": 131_072}},
    }

    with pytest.raises(InputError, match="could take 131072") as caught:
        refresh(LLAMA, answering(answers))

    assert "OLLAMA_CONTEXT_LENGTH" in caught.value.hint


def test_the_network_is_asked_as_the_providers_want_it() -> None:
    answers = {
        "/v1/models/claude-opus-5-5": (200, '{"max_input_tokens": 7, "max_tokens": 3}'),
        "/api/ps": (200, "{}"),
        "/api/show": (200, '{"parameters": "num_ctx 5"}'),
    }

    with ModelsServer(answers) as server:
        there = Endpoint(address=server.url, key=SecretStr("sk"))
        claude = refresh(CLAUDE, asked, there)
        llama = refresh(LLAMA, asked, Endpoint(address=server.url))

    assert (claude.window, claude.max_output, llama.window, llama.max_output) == (7, 3, 5, 1)
    assert [(method, path) for method, path, _, _ in server.seen] == [
        ("GET", "/v1/models/claude-opus-5-5"),
        ("GET", "/api/ps"),
        ("POST", "/api/show"),
    ]
    assert server.seen[0][2]["anthropic-version"] == "2023-06-01"
    assert json.loads(server.seen[2][3]) == {"model": "llama3"}
    assert "x-api-key" not in server.seen[1][2]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, ProviderRejected),
        (404, ProviderRejected),
        (302, ProviderRejected),
        (429, ProviderUnavailable),
        (503, ProviderUnavailable),
    ],
)
def test_a_refusal_is_typed_by_its_status_and_nothing_is_followed(
    status: int, error: type[ProviderError]
) -> None:
    with (
        ModelsServer({"/x": (status, "/elsewhere"), "/elsewhere": (200, "{}")}) as server,
        pytest.raises(error) as caught,
    ):
        asked(Question(url=f"{server.url}/x"))

    assert caught.value.status == status
    assert [path for _, path, _, _ in server.seen] == ["/x"]


def test_an_address_where_nobody_listens_is_unavailable() -> None:
    with ModelsServer({}) as server:
        gone = server.url

    with pytest.raises(ProviderUnavailable, match="can't be reached"):
        asked(Question(url=gone))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://here/x", "here", ""])
def test_only_the_web_is_asked(url: str) -> None:
    with pytest.raises(ConfigError, match="no web address"):
        asked(Question(url=url))
