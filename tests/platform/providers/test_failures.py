"""Each provider's refusals in their own words, and the kind of error each one is."""

# ruff: noqa: E501 - the providers' wordings are kept on one line each, as they came

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.errors import ContextOverflow, ProviderError, ProviderRejected, ProviderUnavailable
from stratal.providers.failures import classify

OVERFLOW, UNAVAILABLE, REJECTED = ContextOverflow, ProviderUnavailable, ProviderRejected

Case = tuple[int | None, str, str, str, type[ProviderError]]

# status, code, type, message, kind
OVERFLOWS: list[Case] = [
    (400, "", "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum", OVERFLOW),
    (400, "", "invalid_request_error", "input length and `max_tokens` exceed context limit: 199012 + 8192 > 200000, decrease input length or `max_tokens` and try again", OVERFLOW),
    (413, "", "request_too_large", "Request exceeds the maximum size", OVERFLOW),
    (413, "", "", "<html>413 Request Entity Too Large</html>", OVERFLOW),
    (400, "context_length_exceeded", "invalid_request_error", "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.", OVERFLOW),
    (400, "", "", "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).", OVERFLOW),
    (400, "", "invalid_request_error", "Your input exceeds the context window of this model. Please adjust your input and try again.", OVERFLOW),
    (400, "string_above_max_length", "invalid_request_error", "Invalid 'input': string too long.", OVERFLOW),
    (400, "", "BadRequestError", "context_length_exceeded", OVERFLOW),
    (400, "", "", "Requested token count exceeds the model's token limit of 32768", OVERFLOW),
    (400, "", "", "Too many tokens in the prompt: 9000 of 8192", OVERFLOW),
    (400, "", "", "context_window of 4096 tokens is smaller than the prompt", OVERFLOW),
    (400, "", "", "Request too large for this model", OVERFLOW),
    (400, "", "", "InvalidParameter: Range of input length should be [1, 30720]", OVERFLOW),
    (400, "", "", "max_tokens plus the prompt exceeds 8192", OVERFLOW),
    (400, "", "exceed_context_size_error", "the request exceeds the available context size, try increasing it", OVERFLOW),
    (422, "", "", "Input is too long for requested model.", OVERFLOW),
    (401, "", "", "Your prompt is too long: 300000 tokens", OVERFLOW),
    (401, "", "", "Request failed: exceeded model context length", OVERFLOW),
    (403, "", "", "The maximum context length is 8192 tokens", OVERFLOW),
    (500, "context_length_exceeded", "", "Internal error", OVERFLOW),
    (None, "context_length_exceeded", "", "Sorry", OVERFLOW),
    (None, "", "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", OVERFLOW),
    (429, "rate_limit_exceeded", "tokens", "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 60000. The input or output tokens must be reduced in order to run successfully.", OVERFLOW),
]  # fmt: skip
PASSING: list[Case] = [
    (429, "", "rate_limit_error", "This request would exceed your organization's rate limit of 40,000 input tokens per minute", UNAVAILABLE),
    (429, "", "", "Too many tokens per minute", UNAVAILABLE),
    (429, "", "", "Too many tokens, please wait before trying again.", UNAVAILABLE),
    (429, "rate_limit_exceeded", "tokens", "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000. Please try again in 6s.", UNAVAILABLE),
    (429, "", "", "Number of request tokens has exceeded your per-minute token limit", UNAVAILABLE),
    (400, "", "", "ThrottlingException: Too many tokens, please wait before trying again.", UNAVAILABLE),
    (400, "", "", "Rate limit: context window tokens per minute exceeded", UNAVAILABLE),
    (529, "", "overloaded_error", "Overloaded", UNAVAILABLE),
    (503, "", "", "<html>Service Unavailable</html>", UNAVAILABLE),
    (500, "", "api_error", "Internal server error", UNAVAILABLE),
    (500, "", "", "maximum context length reached, perhaps", UNAVAILABLE),
    (504, "", "timeout_error", "Timed out", UNAVAILABLE),
    (408, "", "", "Request timeout", UNAVAILABLE),
    (409, "", "conflict_error", "Conflict", UNAVAILABLE),
    (None, "", "", "Connection error.", UNAVAILABLE),
    (None, "server_error", "", "An error occurred while processing your request.", UNAVAILABLE),
    (200, "", "overloaded_error", "Overloaded", UNAVAILABLE),
    (None, "rate_limit_exceeded", "", "Slow down", UNAVAILABLE),
]  # fmt: skip
FINAL: list[Case] = [
    (401, "invalid_api_key", "invalid_request_error", "Incorrect API key provided", REJECTED),
    (401, "", "authentication_error", "invalid x-api-key", REJECTED),
    (401, "", "", "Your token limit was revoked", REJECTED),
    (401, "", "", "too many tokens issued for this key", REJECTED),
    (403, "", "permission_error", "Your key may not use this model's context window", REJECTED),
    (404, "model_not_found", "invalid_request_error", "The model `gpt-9` does not exist", REJECTED),
    (402, "", "billing_error", "Payment required", REJECTED),
    (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota", REJECTED),
    (400, "", "invalid_request_error", "Your credit balance is too low to access the API", REJECTED),
    (400, "", "invalid_request_error", "max_tokens: Field required", REJECTED),
    (400, "", "invalid_request_error", "max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for claude-opus-5-5", REJECTED),
    (400, "invalid_value", "invalid_request_error", "max_tokens is too large: 200000. This model supports at most 16384 completion tokens.", REJECTED),
    (400, "unsupported_parameter", "invalid_request_error", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", REJECTED),
    (400, "", "", "InvalidParameter: temperature", REJECTED),
    (400, "", "invalid_request_error", "messages: text content blocks must be non-empty", REJECTED),
    (400, "", "invalid_request_error", "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1", REJECTED),
    (422, "", "", "Unprocessable", REJECTED),
    (None, "invalid_prompt", "", "Your prompt was refused", REJECTED),
    (200, "", "invalid_request_error", "Sorry", REJECTED),
]  # fmt: skip


# covers Ps9
@pytest.mark.parametrize(
    ("status", "code", "type", "message", "kind"), [*OVERFLOWS, *PASSING, *FINAL]
)
def test_every_refusal_we_know_has_its_kind(
    status: int | None, code: str, type: str, message: str, kind: type[ProviderError]
) -> None:
    assert classify(status, code=code, type=type, message=message) is kind


# covers Ps9
@pytest.mark.parametrize(
    "words",
    [
        "context_length_exceeded", "context window", "context_window", "maximum context length",
        "token limit", "too many tokens", "max_tokens", "InvalidParameter", "prompt is too long",
        "Request too large",
    ],
)  # fmt: skip
def test_each_phrase_of_picoclaw_is_an_overflow_unless_it_is_transient(words: str) -> None:
    assert classify(400, message=f"Error: {words} exceeded") is OVERFLOW
    assert classify(429, message=f"Error: {words} exceeded") is UNAVAILABLE
    assert classify(400, message=f"Rate limit: {words} exceeded") is UNAVAILABLE


# covers Ps9
@pytest.mark.parametrize("status", [None, 200, 400, 401, 403, 404, 413, 422, 429, 500, 529])
@given(message=st.text(max_size=80), code=st.text(max_size=20))
def test_anything_at_all_has_one_of_three_kinds(
    status: int | None, message: str, code: str
) -> None:
    kind = classify(status, code=code, message=message)

    assert kind in {OVERFLOW, UNAVAILABLE, REJECTED}


def test_a_very_long_body_is_looked_at_only_at_its_beginning() -> None:
    body = "limit 1 " * 200_000 + "maximum context length"

    assert classify(400, message=body) is REJECTED


def test_a_text_that_is_too_long_is_an_overflow_without_its_code_too() -> None:
    said = "Invalid 'input[0].content': string too long. Expected a string with maximum length 9"

    assert classify(400, type="invalid_request_error", message=said) is ContextOverflow
    assert classify(400, message=said.replace("content", "name")) is ProviderRejected
