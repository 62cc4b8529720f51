"""GPT models through OpenAI's own SDK and the Responses API, always streamed, nothing stored."""

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import SecretStr

from stratal.context.request import Request
from stratal.providers.answer import Answer, counted
from stratal.providers.opaque import sent_again_without
from stratal.providers.openai_errors import refusal_in
from stratal.providers.openai_wire import BETWEEN, OpenAIBody, model_name, openai_body, reasons
from stratal.providers.provider import StopReason, StreamItem, TextDelta, Usage
from stratal.providers.refusal import Account, Refusal, cut, refused, words
from stratal.providers.translation import Item, translated

if TYPE_CHECKING:
    from openai import OpenAI, Stream
    from openai.types.responses import (
        Response,
        ResponseOutputItem,
        ResponseStreamEvent,
        ResponseUsage,
    )

ADDRESS = "https://api.openai.com/v1"  # given always: the SDK would ask the environment
KEY_VARIABLE = "OPENAI_API_KEY"
SILENCE = 600.0  # seconds between two pieces of an answer; the SDK's own default


class OpenAIProvider:
    """A `Provider` for the Responses API. Retries nothing: `stratal.providers.retry` does."""

    def __init__(
        self,
        api_key: str,
        base_url: str | None = None,
        *,
        cache_key: str = "",
        silence: float = SILENCE,
    ) -> None:
        """`base_url` replaces OpenAI's address; `silence` is in seconds between two pieces.

        `cache_key` is sent where the request has none of its own: requests that begin alike and
        have one key meet the same cache.
        """
        self._key = SecretStr(api_key)
        self._address = base_url or ADDRESS
        self._cache_key = cache_key
        self._silence = silence
        self._opened: OpenAI | None = None
        self._opening = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAIProvider(base_url={self._address!r})"

    @property
    def name(self) -> str:
        """`openai`."""
        return "openai"

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """Text as it comes, then exactly one `Completion`; raises a `ProviderError`.

        A request whose reasoning items are refused is sent once more without them.
        """
        return sent_again_without(self._streamed, request)

    def count(self, request: Request) -> int:
        """Input tokens as OpenAI counts them; one call."""
        return next(self._translated(self._counted(request)))

    def close(self) -> None:
        """Closes the connections; the next `stream` opens new ones."""
        with self._opening:
            client, self._opened = self._opened, None
        if client is not None:
            client.close()

    def _streamed(self, request: Request) -> Iterator[StreamItem]:
        return self._translated(self._answer(request, openai_body(request)))

    def _translated(self, items: Iterator[Item]) -> Iterator[Item]:
        from openai import APIError

        return translated(items, self._account(), api_error=APIError, refusal=refusal_in)

    def _counted(self, request: Request) -> Iterator[int]:
        from openai import omit

        body = openai_body(request)
        counted = self._client().responses.input_tokens.count(
            model=model_name(request),
            instructions=body.instructions or omit,
            input=body.input,
            tools=body.tools or omit,
        )
        yield counted.input_tokens

    def _answer(self, request: Request, body: OpenAIBody) -> Iterator[StreamItem]:
        answer = Answer(provider=self.name, asked=model_name(request))
        with self._send(request, body) as events:
            for event in events:
                try:
                    refusal = _failure_in(event)
                    text = _take(event, answer)
                except (AttributeError, TypeError) as error:
                    # The SDK builds events without checking them: a field may be None or a list.
                    raise cut(self._account(), f"an event is malformed: {error}") from error
                if refusal is not None:
                    raise refused(refusal, self._account())
                if text:
                    yield TextDelta(text=text)
        if not answer.ended:
            raise cut(self._account(), "no response.completed came")
        yield answer.completion()

    def _send(self, request: Request, body: OpenAIBody) -> "Stream[ResponseStreamEvent]":
        from openai import omit

        return self._client().responses.create(
            model=model_name(request),
            instructions=body.instructions or omit,
            input=body.input,
            tools=body.tools or omit,
            max_output_tokens=body.max_output_tokens,
            prompt_cache_key=request.cache_key or self._cache_key or omit,
            store=False,  # the default is to keep every response on their side
            include=["reasoning.encrypted_content"] if reasons(request) else omit,
            stream=True,
        )

    def _client(self) -> "OpenAI":
        from openai import OpenAI

        with self._opening:
            if self._opened is None:
                self._opened = OpenAI(
                    api_key=self._key.get_secret_value(),
                    base_url=self._address,
                    timeout=self._silence,
                    max_retries=0,
                )
            return self._opened

    def _account(self) -> Account:
        return Account(
            provider=self.name, variable=KEY_VARIABLE, secret=self._key.get_secret_value()
        )


def _failure_in(event: "ResponseStreamEvent") -> Refusal | None:
    """What an error event says, after a stream has begun well."""
    if event.type == "error":
        return Refusal(code=words(event.code), message=words(event.message))
    if event.type != "response.failed":
        return None
    error = event.response.error
    if error is None:
        return Refusal(message="the response failed without a reason")
    return Refusal(code=words(error.code), type=words(error.type), message=words(error.message))


def _take(event: "ResponseStreamEvent", answer: Answer) -> str:
    """The text the event brings, if any; everything else it brings is kept in `answer`."""
    if event.type == "response.output_text.delta":
        return answer.add_text(event.delta, place=event.output_index)
    if event.type == "response.refusal.delta":
        answer.stop = StopReason.REFUSED
        return answer.add_text(event.delta, place=event.output_index)
    if event.type == "response.output_item.added":
        return _space_before(event.item, event.output_index, answer)
    if event.type == "response.output_item.done":
        _keep_item(event.item, event.output_index, answer)
    if event.type == "response.completed" or event.type == "response.incomplete":
        _finish(event.response, answer)
    _keep_reasoning(event, answer)
    return ""


def _space_before(item: "ResponseOutputItem", place: int, answer: Answer) -> str:
    """A blank line between two messages of one answer (commentary, then the final one)."""
    between = item.type == "message" and answer.has_text
    return answer.add_text(BETWEEN, place=place) if between else ""


def _keep_item(item: "ResponseOutputItem", place: int, answer: Answer) -> None:
    if item.type == "function_call":
        answer.begin_call(place, id=item.call_id, name=item.name, arguments=item.arguments)
    elif item.type == "reasoning" and item.encrypted_content:
        answer.keep(place, dict(item.to_dict(exclude_none=True)))
    elif item.type == "message" and item.phase:
        answer.add_phase(place, item.phase)


def _keep_reasoning(event: "ResponseStreamEvent", answer: Answer) -> None:
    if event.type == "response.reasoning_summary_text.delta":
        answer.add_reasoning(event.delta)
    if event.type == "response.reasoning_text.delta":
        answer.add_reasoning(event.delta)


def _finish(response: "Response", answer: Answer) -> None:
    answer.ended = True
    answer.model = response.model or ""
    answer.usage = _usage(response.usage)
    details = response.incomplete_details
    if details is not None and answer.stop != StopReason.REFUSED:
        filtered = details.reason == "content_filter"
        answer.stop = StopReason.REFUSED if filtered else StopReason.LENGTH


def _usage(reported: "ResponseUsage | None") -> Usage:
    """Usage in our words; OpenAI's `input_tokens` includes the cached ones already."""
    if reported is None:
        return Usage()
    details = reported.input_tokens_details  # left out by some compatible servers
    return Usage(
        input=counted(reported.input_tokens),
        output=counted(reported.output_tokens),
        cache_read=counted(details.cached_tokens),
        cache_write=counted(details.cache_write_tokens),
    )
