"""What an error of OpenAI's SDK says, whichever of its APIs and servers it came from."""

from dataclasses import replace
from typing import TYPE_CHECKING

from stratal.providers.refusal import Refusal, seconds_to_wait, words

if TYPE_CHECKING:
    from openai import APIError


def refusal_in(error: "APIError") -> Refusal:
    """The refusal `error` reports; it holds no reference to the error, which may quote a key."""
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
    """The body's own message; the SDK's wraps the whole body into one line, or leaves it out."""
    if isinstance(body, list) and body:  # Google answers with a list of one
        return _said(body[0])
    if isinstance(body, dict):
        return _said(body.get("message") or body.get("error"))
    return body if isinstance(body, str) else ""
