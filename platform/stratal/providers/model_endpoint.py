"""A model's limits as its own provider tells them; asked only when somebody wants it."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.client import HTTPException, HTTPMessage
from typing import IO, TypeVar

from pydantic import BaseModel, JsonValue, SecretStr, ValidationError

from stratal.errors import ConfigError, InputError, ProviderRejected, ProviderUnavailable
from stratal.providers.model_string import ModelString
from stratal.providers.model_table import ModelInfo

PATIENCE = 20.0  # seconds for one answer
LARGEST = 4_000_000  # bytes of one answer; Ollama sends a whole vocabulary with `verbose`, else KB
ANTHROPIC_VERSION = "2023-06-01"
# Of an Ollama window, as in the table's row for all of its models: our own choice.
OUTPUT_SHARE = 4

BodyT = TypeVar("BodyT", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One HTTP request: GET, or POST where there is a `body`."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)  # hold the key
    body: JsonValue = None


Ask = Callable[[Question], bytes]


class _AnthropicModel(BaseModel):
    max_input_tokens: int | None = None
    max_tokens: int | None = None


class _Loaded(BaseModel):
    name: str = ""
    context_length: int = 0


class _OllamaRunning(BaseModel):
    models: tuple[_Loaded, ...] = ()


class _OllamaModel(BaseModel):
    parameters: str = ""
    model_info: dict[str, JsonValue] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a provider is asked, and with which key."""

    address: str  # without the path: https://api.anthropic.com
    key: SecretStr | None = None


def refreshed(
    info: ModelInfo, model: ModelString, *, endpoint: Endpoint, today: str, ask: Ask | None = None
) -> ModelInfo:
    """`info` with the window and outputs the provider's own endpoint gives; `today` is ISO.

    Raises `InputError` where the endpoint says nothing of limits, as OpenAI's, or doesn't know them
    yet, as Ollama's before a model is loaded; `ProviderRejected` for a refusal or an answer that
    can't be read; `ProviderUnavailable` when nobody answers.
    """
    ask = ask or asked
    if model.provider == "anthropic":
        found = _anthropic(info, model, endpoint, ask)
    elif model.provider == "ollama":
        found = _ollama(info, model, endpoint, ask)
    else:
        raise InputError(
            f"{model}: the models endpoint of {model.provider}: says nothing of windows",
            hint="Set the window yourself, as the maker's page on models gives it.",
        )
    source = f"{endpoint.address}, its models endpoint"
    return replace(found, match=info.match or model.name, source=source, as_of=today)


def _anthropic(info: ModelInfo, model: ModelString, endpoint: Endpoint, ask: Ask) -> ModelInfo:
    key = endpoint.key.get_secret_value() if endpoint.key else ""
    question = Question(
        url=f"{endpoint.address}/v1/models/{urllib.parse.quote(model.name, safe='')}",
        headers={"x-api-key": key, "anthropic-version": ANTHROPIC_VERSION},
    )
    said = _read(_AnthropicModel, ask(question), question)
    if not said.max_input_tokens:
        raise InputError(
            f"{model}: the provider names no window for it", hint="The table's numbers stay."
        )
    writes = min(said.max_tokens or info.max_output, said.max_input_tokens)
    return replace(
        info,
        window=said.max_input_tokens,
        max_input=said.max_input_tokens,
        max_output=writes,
    )


def _ollama(info: ModelInfo, model: ModelString, endpoint: Endpoint, ask: Ask) -> ModelInfo:
    """The window of the loaded model, else the one its Modelfile asks for."""
    running = Question(url=f"{endpoint.address}/api/ps")
    names = (model.name, f"{model.name}:latest")
    for loaded in _read(_OllamaRunning, ask(running), running).models:
        if loaded.name in names and loaded.context_length > 0:
            return _served(info, loaded.context_length)
    show = Question(url=f"{endpoint.address}/api/show", body={"model": model.name})
    described = _read(_OllamaModel, ask(show), show)
    wished = re.search(r"^num_ctx\s+(\d{1,9})\s*$", described.parameters, re.MULTILINE)
    if wished and int(wished[1]) > 0:
        return _served(info, int(wished[1]))
    lengths = [v for k, v in described.model_info.items() if k.endswith(".context_length")]
    could = f"; the model itself could take {lengths[0]}" if lengths else ""
    raise InputError(
        f"{model} is not loaded, so its server has no window for it yet{could}",
        hint=f"`ollama run {model.name}` loads it; OLLAMA_CONTEXT_LENGTH sets the window.",
    )


def _served(info: ModelInfo, window: int) -> ModelInfo:
    return replace(info, window=window, max_input=window, max_output=max(1, window // OUTPUT_SHARE))


def _read(body: type[BodyT], answer: bytes, question: Question) -> BodyT:
    try:
        return body.model_validate_json(answer)
    except ValidationError as error:
        raise ProviderRejected(
            f"{question.url} answered something else than a model ({error.error_count()} problems)",
            hint="Check the address; a proxy may have answered instead.",
        ) from None


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the key is for the address it was asked at."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        """No further request."""


def asked(question: Question) -> bytes:
    """The network's answer, at most `LARGEST` bytes of it.

    Raises `ConfigError` for an address that is none, `ProviderRejected`, `ProviderUnavailable`.
    """
    if urllib.parse.urlsplit(question.url).scheme not in ("http", "https"):
        raise ConfigError(
            f"{question.url[:80]!r} is no web address", hint="Write it as https://HOST."
        )
    body = None if question.body is None else json.dumps(question.body).encode()
    headers = {"content-type": "application/json", **question.headers}
    request = urllib.request.Request(question.url, data=body, headers=headers)
    try:
        with urllib.request.build_opener(_Stay).open(request, timeout=PATIENCE) as answer:
            return bytes(answer.read(LARGEST))
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(question, error.code) from None
    except (OSError, HTTPException, ValueError) as error:
        raise ProviderUnavailable(
            f"{question.url} can't be reached: {str(error)[:200]}",
            hint="Check the address and the network.",
        ) from error


def _refused(question: Question, status: int) -> ProviderRejected | ProviderUnavailable:
    if status == 429 or status >= 500:
        return ProviderUnavailable(
            f"{question.url} answered with status {status}", status=status, hint="Try again later."
        )
    hints = {
        401: "Check the API key.",
        403: "The key may not ask for models.",
        404: "The provider doesn't know the model by this name.",
    }
    return ProviderRejected(
        f"{question.url} refused with status {status}", status=status, hint=hints.get(status, "")
    )
