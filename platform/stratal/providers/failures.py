"""What kind of error a provider's refusal is: by status and code first, by its words last.

The order matters (RELIABILITY, "Error classification"): "too many tokens per minute" taken for a
full context window made other agents throw conversations away.
"""

import re

from stratal.errors import ContextOverflow, ProviderError, ProviderRejected, ProviderUnavailable

LONGEST_READ = 10_000  # characters of an error body that are looked at; a page of HTML fits

# Structured codes and types. Sources: anthropic 2.11.0 `types/shared/error_type.py`; openai 3.52.0
# `types/responses/response_error.py`; the providers' pages on errors.
NO_MONEY = frozenset(
    {
        "arrearage",
        "billing_error",
        "billing_hard_limit_reached",
        "billing_not_active",
        "exceeded_current_quota_error",
        "insufficient_quota",
    }
)
TRANSIENT = frozenset(
    {
        "api_error",
        "capacity_exceeded",
        "conflict_error",
        "engine_overloaded_error",
        "internal_error",
        "overloaded_error",
        "rate_limit_error",
        "rate_limit_exceeded",
        "rate_limited",
        "resource_exhausted",
        "server_error",
        "server_is_overloaded",
        "service_tier_capacity_exceeded",
        "service_unavailable",
        "service_unavailable_error",
        "slow_down",
        "timeout_error",
        "unavailable_error",
        "throttlingexception",
        "too_many_requests",
        "vector_store_timeout",
    }
)
OVERFLOW = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        "model_max_prompt_tokens_exceeded",
        "request_too_large",
        "string_above_max_length",
        "tokens_limit_reached",
    }
)

# And everything from 500 on (RELIABILITY 6.8). 424: the model failed at its own work (Bedrock,
# TGI); 425: too early; 498: no free capacity (Groq).
_RETRY_STATUS = frozenset({408, 409, 424, 425, 429, 498})
_KEY_STATUS = frozenset({401, 403})
_NO_MONEY_STATUS = 402

_RATE_WORDS = re.compile(
    r"rate.?limit|(tokens|requests) per (min|sec|hour|day)|\b[tr]p[md]\b|too many requests"
    r"|throttl|overloaded|at capacity|temporarily unavailable|try again (in|later)"
    r"|wait before trying again"
)

# A 429 that no waiting mends; "exceeded your current quota" alone is a rate limit at Google.
_NO_MONEY_WORDS = re.compile(r"used all available credits|monthly spending limit|insufficient bal")

# Complaints about one parameter: they share words with an overflow, and a shorter conversation
# does not mend them.
_PARAMETER_WORDS = re.compile(
    r"unsupported (parameter|value)|not supported with this model|unrecognized request argument"
    r"|unknown parameter|field required|extra inputs are not permitted|expected an? \w+"
    r"|at most \d+ completion tokens|maximum allowed number of output tokens"
    r"|(greater|less) than or equal to|below minimum value|missing required parameter"
)

# Ps9 (Picoclaw), in lower case, and what other servers say (tests/platform/providers/corpus). Its
# vague members `max_tokens` and `invalidparameter` count only beside a word of excess: alone they
# name a wrong parameter more often than a full window.
_OVERFLOW_WORDS = re.compile(
    r"context[_ ]length[_ ]exceeded|context[_ ]window|maximum context length|token limit"
    r"|too many (input )?tokens|prompt (is )?too long|request too large|request_too_large"
    r"|(input|prompt|context) (length|size|tokens?) .{0,40}(exceed|should be|too long)"
    r"|input is too long|exceed(s|ed)? (the )?(available |max(imum)? )?context|context overflow"
    r"|maximum prompt length|prompt exceeds max|reduce the length of the (messages|prompt)"
    r"|maximum model length|too long to fit|(than the|with) context length|context the overflows"
    r"|`inputs` (tokens \+|must have less than)|maxlength: \d+, actual"
)
_EXCESS_WORDS = re.compile(r"exceed|too (large|long|many)|longer than|input length|> \d")
_VAGUE_WORDS = ("max_tokens", "invalidparameter")

# What an overflow says when it hides behind a refused key (kimi-code #2655): only wordings that
# can't be about the key itself.
_CERTAIN_OVERFLOW_WORDS = re.compile(
    r"context[_ ]length[_ ]exceeded|max(imum)? context length|prompt (is )?too long"
    r"|exceed\w* (the |your )?(\w+ ){0,2}context (window|length)"
    r"|context (window|length) (was |is |limit )?exceeded"
)

_COUNTED = re.compile(r"\d\d+ tokens|tokens > \d")  # no overflow is meant without its numbers

# One field that is too long for itself: an id, a name, a key.
_LONG_FIELD = re.compile(r"invalid '[^']*(id|name|key)'")

# OpenAI's `string_above_max_length`, where a proxy or another SDK left the code out.
_LONG_CONTENT = re.compile(r"invalid '[^']*(content|input|output|text)': string too long")

# OpenAI's 429 for one request that is larger than the whole minute's allowance: waiting never
# helps (openclaw #130096), a shorter request does.
_SIZE_CEILING = re.compile(r"limit:? ([\d,]+).*?requested:? ([\d,]+)", re.DOTALL)


def classify(
    status: int | None, *, code: str = "", type: str = "", message: str = ""
) -> type[ProviderError]:
    """The class of error this answer is.

    `status` is None (or 200) for an error that came inside a stream; `code` and `type` are the
    body's structured fields, empty where it has none. Network trouble without any of them is
    `ProviderUnavailable`.

    >>> classify(429, message="Too many tokens per minute").__name__
    'ProviderUnavailable'
    >>> classify(400, message="prompt is too long: 208310 tokens > 200000 maximum").__name__
    'ContextOverflow'
    """
    names = {code.lower(), type.lower()}
    text = message[:LONGEST_READ].lower()
    if status in {None, 200} and re.fullmatch(r"[45]\d\d", code):  # OpenRouter, inside a stream
        status = int(code)
    if names & NO_MONEY or status == _NO_MONEY_STATUS or _NO_MONEY_WORDS.search(text):
        return ProviderRejected
    if _is_overflow(status, names, text):
        return ContextOverflow
    if names & _passing(status) or (status is not None and _worth_a_retry(status)):
        return ProviderUnavailable
    if status in _KEY_STATUS:
        return ContextOverflow if _CERTAIN_OVERFLOW_WORDS.search(text) else ProviderRejected
    return _by_words(text, unexplained=status in {None, 200} and not code and not type)


def _is_overflow(status: int | None, names: set[str], text: str) -> bool:
    """Whether the answer says so beyond doubt; some local servers say it with status 500."""
    if names & OVERFLOW:
        return not _LONG_FIELD.search(text)
    if status == 413 or _over_ceiling(text) or _LONG_CONTENT.search(text):
        return True
    failed = status is not None and status >= 500
    certain = failed and _CERTAIN_OVERFLOW_WORDS.search(text) and _COUNTED.search(text)
    return bool(certain) and not _RATE_WORDS.search(text)


def _passing(status: int | None) -> frozenset[str]:
    """Ollama types every refusal `api_error`, those of the request itself too."""
    refused = status is not None and 400 <= status < 500
    return TRANSIENT - {"api_error"} if refused else TRANSIENT


def _worth_a_retry(status: int) -> bool:
    return status in _RETRY_STATUS or status >= 500


def _over_ceiling(text: str) -> bool:
    match = _SIZE_CEILING.search(text)
    if match is None:
        return False
    limit, requested = (int(number.replace(",", "") or 0) for number in match.groups())
    return requested > limit


def _by_words(text: str, *, unexplained: bool) -> type[ProviderError]:
    if _RATE_WORDS.search(text):
        return ProviderUnavailable
    if _says_overflow(text):
        return ContextOverflow
    return ProviderUnavailable if unexplained else ProviderRejected


def _says_overflow(text: str) -> bool:
    if _PARAMETER_WORDS.search(text):
        return False
    if _OVERFLOW_WORDS.search(text):
        return True
    return any(word in text for word in _VAGUE_WORDS) and bool(_EXCESS_WORDS.search(text))
