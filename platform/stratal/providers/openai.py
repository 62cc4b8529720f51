"""GPT models through OpenAI's own SDK and the Responses API, always streamed, nothing stored."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import SecretStr

from stratal.context.request import Request
from stratal.errors import InvalidRequest, ProviderError
from stratal.providers.answer import Answer, counted
from stratal.providers.openai_wire import OpenAIBody, openai_body
from stratal.providers.provider import StopReason, StreamItem, TextDelta, Usage
from stratal.providers.refusal import Account, Refusal, cut, refused, seconds_to_wait, words

if TYPE_CHECKING:
    from openai import APIError, OpenAI, Stream
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

        `cache_key` (one a user or session) lets requests that begin alike meet the same cache.
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
        """Text as it comes, then exactly one `Completion`; raises a `ProviderError`."""
        import httpx2
        from openai import APIError

        body = openai_body(request)
        try:
            yield from self._answer(request, body)
            return
        except APIError as error:
            failure: ProviderError = refused(_refusal(error), self._account())
        except (httpx2.HTTPError, OSError) as error:  # the SDK wraps most of them, not all
            failure = cut(self._account(), f"{type(error).__name__}: {error}")
        except UnicodeEncodeError as error:
            raise InvalidRequest(
                f"the request holds half a character at {error.start:,} of its text",
                hint="Replace lone surrogates before the text is stored or sent.",
            ) from None
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            failure = cut(self._account(), f"an event could not be read: {error}")
        # Raised out here, so that the SDK's error, which may quote a key, is not chained to it.
        raise failure

    def close(self) -> None:
        """Closes the connections; the next `stream` opens new ones."""
        with self._opening:
            client, self._opened = self._opened, None
        if client is not None:
            client.close()

    def _answer(self, request: Request, body: OpenAIBody) -> Iterator[StreamItem]:
        answer = Answer()
        with self._send(request, body) as events:
            for event in events:
                try:
                    refusal = _refusal_in(event)
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
            model=request.model.removeprefix("openai:"),
            instructions=body.instructions or omit,
            input=body.input,
            tools=body.tools or omit,
            max_output_tokens=body.max_output_tokens,
            prompt_cache_key=self._cache_key or omit,
            store=False,  # the default is to keep every response on their side
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


def _refusal(error: "APIError") -> Refusal:
    from openai import APIStatusError

    said = _said(error.body) or f"{error.message} {error.__cause__ or ''}"
    refusal = Refusal(code=words(error.code), type=words(error.type), message=said)
    if not isinstance(error, APIStatusError):
        return refusal
    return replace(
        refusal,
        status=error.status_code,
        retry_after=seconds_to_wait(error.response.headers),
    )


def _said(body: object) -> str:
    """The body's own message; the SDK's wraps the whole body into one line."""
    message: object = body.get("message") if isinstance(body, dict) else body
    return message if isinstance(message, str) else ""


def _refusal_in(event: "ResponseStreamEvent") -> Refusal | None:
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
        return answer.add_text(event.delta)
    if event.type == "response.refusal.delta":
        answer.stop = StopReason.REFUSED
        return answer.add_text(event.delta)
    if event.type == "response.output_item.added":
        return _space_before(event.item, answer)
    if event.type == "response.output_item.done":
        _keep_call(event.item, event.output_index, answer)
    if event.type == "response.completed" or event.type == "response.incomplete":
        _finish(event.response, answer)
    _keep_reasoning(event, answer)
    return ""


def _space_before(item: "ResponseOutputItem", answer: Answer) -> str:
    """A blank line between two messages of one answer (commentary, then the final one)."""
    return answer.add_text("\n\n") if item.type == "message" and answer.has_text else ""


def _keep_call(item: "ResponseOutputItem", place: int, answer: Answer) -> None:
    if item.type == "function_call":
        answer.begin_call(place, id=item.call_id, name=item.name, arguments=item.arguments)


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
