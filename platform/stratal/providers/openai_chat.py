"""Servers that speak OpenAI's Chat Completions, always streamed: OpenAI's own and many others."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from stratal.context.request import Request
from stratal.errors import ConfigError, ProviderError
from stratal.providers.openai_chat_answer import BrokenAnswer, ChatAnswer
from stratal.providers.openai_chat_wire import ChatBody, Dialect, chat_body
from stratal.providers.openai_errors import refusal_in
from stratal.providers.provider import StreamItem, TextDelta
from stratal.providers.refusal import Account, cut
from stratal.providers.translation import translated

if TYPE_CHECKING:
    from openai import OpenAI, Stream
    from openai.types.chat import ChatCompletionChunk

KEY_VARIABLE = "OPENAI_CHAT_API_KEY"
OWN_HOST = "api.openai.com"  # and its regions, as eu.api.openai.com
SILENCE = 600.0  # seconds between two pieces of an answer; the SDK's own default
NO_KEY = "none"  # the SDK demands one and would ask the environment; the header is left out

OWN = Dialect(free_roles=True, developer=True, cache_key=True, stores=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatServer:
    """Who a server is, how it is reached and what it takes.

    `hints` go by HTTP status, None for a server that was not reached, and replace the general
    ones of a refusal. `models` maps a name in requests to the maker's own name for the model.
    """

    name: str
    address: str
    variable: str  # the environment variable that holds the key
    connect: "Callable[[SecretStr, float], OpenAI]"  # key and silence in, client out
    dialect: Dialect = field(default_factory=Dialect)
    hints: Mapping[int | None, str] = field(default_factory=dict[int | None, str])
    models: Mapping[str, str] = field(default_factory=dict[str, str])


class ChatProvider:
    """A `Provider` for one server. Retries nothing: `stratal.providers.retry` does.

    A server that reports no token counts gives a `Usage` of zeros, and the completion says so.
    """

    def __init__(self, server: ChatServer, key: str = "", *, silence: float = SILENCE) -> None:
        """`key` is empty where the server asks for none; `silence` in seconds between pieces."""
        self._server = server
        self._key = SecretStr(key)
        self._silence = silence
        self._opened: OpenAI | None = None
        self._opening = threading.Lock()

    def __repr__(self) -> str:
        return f"ChatProvider(name={self.name!r}, address={self._server.address!r})"

    @property
    def name(self) -> str:
        """`openai-chat`, `azure` or `ollama`."""
        return self._server.name

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """Text as it comes, then exactly one `Completion`; raises a `ProviderError`."""
        from openai import APIError

        model = request.model.removeprefix(f"{self.name}:")
        body = chat_body(request, self._server.dialect, model=self._server.models.get(model, model))
        answer = ChatAnswer()
        items = self._answer(request, body, answer)
        try:
            yield from translated(items, self._account(), api_error=APIError, refusal=refusal_in)
        except ProviderError as error:
            if not answer.begun:
                error.hint = self._server.hints.get(error.status, error.hint)
            raise

    def close(self) -> None:
        """Closes the connections; the next `stream` opens new ones."""
        with self._opening:
            client, self._opened = self._opened, None
        if client is not None:
            client.close()

    def _answer(self, request: Request, body: ChatBody, answer: ChatAnswer) -> Iterator[StreamItem]:
        with self._send(body, model=self._model(request)) as chunks:
            answer.begun = True
            try:
                for chunk in chunks:
                    text = answer.take(_as_sent(chunk))
                    if text:
                        yield TextDelta(text=text)
                taken = {call.id for message in request.messages for call in message.tool_calls}
                completion = answer.completion(taken)
            except BrokenAnswer as error:
                raise cut(self._account(), str(error)) from None
        yield completion

    def _model(self, request: Request) -> str:
        return request.model.removeprefix(f"{self.name}:")

    def _send(self, body: ChatBody, *, model: str) -> "Stream[ChatCompletionChunk]":
        from openai import omit

        return self._client().chat.completions.create(
            model=model,
            messages=body.messages,
            tools=body.tools or omit,
            max_tokens=omit if body.max_tokens is None else body.max_tokens,
            max_completion_tokens=(
                omit if body.max_completion_tokens is None else body.max_completion_tokens
            ),
            prompt_cache_key=body.cache_key or omit,
            store=False if self._server.dialect.stores else omit,
            stream=True,
            stream_options={"include_usage": True},
            extra_headers=dict.fromkeys(self._unsent_headers(), omit),
        )

    def _unsent_headers(self) -> Iterator[str]:
        """What the SDK would take from the environment, or from our stand-in for a key."""
        if not self._key.get_secret_value():
            yield "Authorization"
        if self._server.dialect != OWN:  # who we are to OpenAI is nobody else's business
            yield "OpenAI-Organization"
            yield "OpenAI-Project"

    def _client(self) -> "OpenAI":
        with self._opening:
            if self._opened is None:
                self._opened = self._server.connect(self._key, self._silence)
            return self._opened

    def _account(self) -> Account:
        return Account(
            provider=self.name,
            variable=self._server.variable,
            secret=self._key.get_secret_value(),
        )


def openai_chat(address: str, key: str = "") -> ChatProvider:
    """The provider for the server at `address`, for example `http://localhost:8000/v1`.

    Raises `ConfigError` for an address that is none.
    """
    host = host_of(address, setting="providers.openai_chat_url")
    server = ChatServer(
        name="openai-chat",
        address=address,
        variable=KEY_VARIABLE,
        connect=connection(address),
        dialect=OWN if is_own(host) else Dialect(),
        hints={None: f"Check that a server listens at {address}, then try again."},
    )
    return ChatProvider(server, key)


def is_own(host: str) -> bool:
    """Whether `host` is OpenAI's.

    >>> is_own("api.openai.com.example.org")
    False
    """
    return host == OWN_HOST or host.endswith(f".{OWN_HOST}")


def host_of(address: str, *, setting: str) -> str:
    """The host an http or https address names, in lower case.

    Raises `ConfigError`, without repeating the address, when it is none or holds a password:
    addresses are shown, in hints and logs.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port  # a port that is no number raises here
    except ValueError:
        parts, host = None, None
    if parts is None or not host or parts.scheme not in {"http", "https"}:
        raise ConfigError(
            f"{setting} is no http or https address",
            hint="Write it like http://localhost:8000/v1.",
        )
    if "@" in parts.netloc:
        raise ConfigError(
            f"{setting} holds a name or a password, and addresses are shown",
            hint="Take out what stands before the @, and give the server a key instead.",
        )
    return host


def connection(address: str) -> "Callable[[SecretStr, float], OpenAI]":
    """What opens a client at `address`; the SDK is imported then, and retries nothing."""

    def connect(key: SecretStr, silence: float) -> "OpenAI":
        from openai import OpenAI

        return OpenAI(
            api_key=key.get_secret_value() or NO_KEY,
            base_url=address,
            timeout=silence,
            max_retries=0,
        )

    return connect


def _as_sent(chunk: object) -> object:
    """The chunk as the JSON it was: the SDK builds its objects without checking anything."""
    from openai import BaseModel

    if isinstance(chunk, BaseModel):
        return chunk.to_dict(mode="python", warnings=False)
    return chunk
