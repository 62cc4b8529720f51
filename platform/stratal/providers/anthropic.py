"""Claude through Anthropic's own SDK, always streamed."""

import json
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import SecretStr

from stratal.context.request import Request
from stratal.providers.answer import Answer, counted
from stratal.providers.anthropic_wire import AnthropicBody, anthropic_body, model_name
from stratal.providers.opaque import sent_again_without
from stratal.providers.provider import StopReason, StreamItem, TextDelta, Usage
from stratal.providers.refusal import Account, Refusal, cut, seconds_to_wait, words
from stratal.providers.translation import Item, translated

if TYPE_CHECKING:
    from anthropic import Anthropic, APIError, Stream
    from anthropic.types import (
        ContentBlock,
        MessageDeltaUsage,
        RawContentBlockDelta,
        RawMessageStreamEvent,
    )
    from anthropic.types import Usage as ReportedUsage

ADDRESS = "https://api.anthropic.com"  # given always: the SDK would ask the environment
KEY_VARIABLE = "ANTHROPIC_API_KEY"
# Seconds between two pieces of an answer; the SDK's own default. The API pings in between.
SILENCE = 600.0

_STOPS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "pause_turn": StopReason.END,  # server-side tools only, which we don't use
    "tool_use": StopReason.TOOLS,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "refusal": StopReason.REFUSED,
}


class AnthropicProvider:
    """A `Provider` for the Messages API. Retries nothing: `stratal.providers.retry` does."""

    def __init__(
        self, api_key: str, base_url: str | None = None, *, silence: float = SILENCE
    ) -> None:
        """`base_url` replaces Anthropic's address; `silence` is in seconds between two pieces."""
        self._key = SecretStr(api_key)
        self._address = base_url or ADDRESS
        self._silence = silence
        self._opened: Anthropic | None = None
        self._opening = threading.Lock()

    def __repr__(self) -> str:
        return f"AnthropicProvider(base_url={self._address!r})"

    @property
    def name(self) -> str:
        """`anthropic`."""
        return "anthropic"

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """Text as it comes, then exactly one `Completion`; raises a `ProviderError`.

        A request whose thinking blocks are refused is sent once more without them.
        """
        return sent_again_without(self._streamed, request)

    def count(self, request: Request) -> int:
        """Input tokens as Anthropic counts them (its own word: an estimate); one free call."""
        return next(self._translated(self._counted(request)))

    def close(self) -> None:
        """Closes the connections; the next `stream` opens new ones."""
        with self._opening:
            client, self._opened = self._opened, None
        if client is not None:
            client.close()

    def _streamed(self, request: Request) -> Iterator[StreamItem]:
        return self._translated(self._answer(request, anthropic_body(request)))

    def _translated(self, items: Iterator[Item]) -> Iterator[Item]:
        from anthropic import APIError

        return translated(items, self._account(), api_error=APIError, refusal=_refusal)

    def _counted(self, request: Request) -> Iterator[int]:
        from anthropic import omit

        body = anthropic_body(request)
        counted = self._client().messages.count_tokens(
            model=model_name(request),
            system=body.system or omit,
            messages=body.messages,
            tools=body.tools or omit,
        )
        yield counted.input_tokens

    def _answer(self, request: Request, body: AnthropicBody) -> Iterator[StreamItem]:
        answer = Answer(provider=self.name, asked=model_name(request))
        with self._send(request, body) as events:
            for event in events:
                try:
                    text = _take(event, answer)
                except (AttributeError, TypeError) as error:
                    # The SDK builds events without checking them: a field may be None or a list.
                    raise cut(self._account(), f"an event is malformed: {error}") from error
                if text:
                    yield TextDelta(text=text)
        if not answer.ended:
            raise cut(self._account(), "no message_stop came")
        yield answer.completion()

    def _send(self, request: Request, body: AnthropicBody) -> "Stream[RawMessageStreamEvent]":
        from anthropic import omit

        return self._client().messages.create(
            model=model_name(request),
            max_tokens=request.max_output,
            system=body.system or omit,
            messages=body.messages,
            tools=body.tools or omit,
            stream=True,
        )

    def _client(self) -> "Anthropic":
        from anthropic import Anthropic

        with self._opening:
            if self._opened is None:
                self._opened = Anthropic(
                    api_key=self._key.get_secret_value(),
                    base_url=self._address,
                    timeout=self._silence,
                    max_retries=0,
                    open_telemetry=False,
                )
            return self._opened

    def _account(self) -> Account:
        return Account(
            provider=self.name, variable=KEY_VARIABLE, secret=self._key.get_secret_value()
        )


def _refusal(error: "APIError") -> Refusal:
    from anthropic import APIStatusError

    if not isinstance(error, APIStatusError):
        return Refusal(message=f"{error.message} {error.__cause__ or ''}")
    inside = error.status_code < 400  # an error event after the stream had begun
    return Refusal(
        status=None if inside else error.status_code,
        code=words(error.error_code),
        type=words(error.type),
        message=words(error.api_message or error.message),
        retry_after=seconds_to_wait(error.response.headers),
    )


def _take(event: "RawMessageStreamEvent", answer: Answer) -> str:
    """The text the event brings, if any; everything else it brings is kept in `answer`."""
    if event.type == "message_start":
        answer.model = event.message.model or ""
        answer.usage = _usage(event.message.usage, Usage())
    elif event.type == "content_block_start":
        return _begin(event.content_block, event.index, answer)
    elif event.type == "content_block_delta":
        return _add(event.delta, event.index, answer)
    elif event.type == "message_delta":
        answer.stop = _STOPS.get(event.delta.stop_reason or "", StopReason.END)
        answer.usage = _usage(event.usage, answer.usage)
    elif event.type == "message_stop":
        answer.ended = True
    return ""


def _begin(block: "ContentBlock", place: int, answer: Answer) -> str:
    if block.type == "text":
        return answer.add_text(block.text, place=place)
    if block.type == "thinking":
        answer.add_reasoning(block.thinking)
        answer.keep(place, dict(block.to_dict()))
    elif block.type == "redacted_thinking":
        answer.keep(place, dict(block.to_dict()))
    elif block.type == "tool_use":
        whole = json.dumps(block.input, ensure_ascii=False) if block.input else ""
        answer.begin_call(place, id=block.id, name=block.name, arguments=whole)
    return ""


def _add(delta: "RawContentBlockDelta", place: int, answer: Answer) -> str:
    if delta.type == "text_delta":
        return answer.add_text(delta.text, place=place)
    if delta.type == "thinking_delta":
        answer.add_reasoning(delta.thinking)
        answer.extend_own(place, "thinking", delta.thinking)
    elif delta.type == "signature_delta":
        answer.set_own(place, "signature", delta.signature)
    elif delta.type == "input_json_delta":
        answer.add_arguments(place, delta.partial_json)
    return ""


def _usage(reported: "ReportedUsage | MessageDeltaUsage | None", before: Usage) -> Usage:
    """Usage so far: the counts are cumulative, and an event may leave some of them out.

    `input_tokens` excludes what the cache took part in; ours includes it.
    """
    if reported is None:
        return before
    read = counted(reported.cache_read_input_tokens, before=before.cache_read)
    write = counted(reported.cache_creation_input_tokens, before=before.cache_write)
    known = before.input - before.cache_read - before.cache_write
    fresh = counted(reported.input_tokens, before=known)
    return Usage(
        input=fresh + read + write,
        output=counted(reported.output_tokens, before=before.output),
        cache_read=read,
        cache_write=write,
    )
