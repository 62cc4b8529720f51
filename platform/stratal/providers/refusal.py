"""A provider's refusal as our typed error: readable, with a hint, and never with a key in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from stratal.errors import ContextOverflow, ProviderError, ProviderUnavailable
from stratal.providers.failures import LONGEST_READ, NO_MONEY, classify

LONGEST_MESSAGE = 400  # characters of the provider's own words that we repeat

_KEY_SHAPE = re.compile(r"\b(sk|pk|rk)-[A-Za-z0-9_*-]{8,}")
_TAGS = re.compile(r"<(script|style).*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_NO_CREDIT = re.compile(r"credits?\b|billing|quota|insufficient balance", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Who we are to a provider: what its errors must name, and what they must never show."""

    provider: str  # "anthropic"
    variable: str  # the environment variable that holds the key
    secret: str  # the key itself, to take out of messages

    def __repr__(self) -> str:
        return f"Account(provider={self.provider!r}, variable={self.variable!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What came back instead of an answer. Empty strings where the body said nothing."""

    status: int | None = None  # None: no HTTP answer, or an error inside a stream
    code: str = ""
    type: str = ""
    message: str = ""
    retry_after: float | None = None  # seconds


def refused(refusal: Refusal, account: Account) -> ProviderError:
    """The error to raise for it."""
    kind = classify(refusal.status, code=refusal.code, type=refusal.type, message=refusal.message)
    said = readable(refusal.message, secret=account.secret)
    where = f" (HTTP {refusal.status})" if refusal.status else ""
    text = f"{account.provider}{where}: {said or refusal.code or refusal.type or 'no reason given'}"
    hint = _hint(kind, refusal, account)
    if issubclass(kind, ProviderUnavailable):
        return kind(text, status=refusal.status, hint=hint, retry_after=refusal.retry_after)
    return kind(text, status=refusal.status, hint=hint)


def words(value: object) -> str:
    """`value` as text, empty for None: an error body promises nothing about its fields."""
    return "" if value is None else str(value)


def cut(account: Account, reason: str) -> ProviderUnavailable:
    """The error for a stream that ended before the answer was complete."""
    said = readable(reason, secret=account.secret)
    return ProviderUnavailable(
        f"{account.provider}: the answer was cut off: {said}",
        hint="Send the message again; what came before the cut was not kept as an answer.",
    )


def readable(message: str, *, secret: str) -> str:
    """`message` on one line, without markup, without keys, and at most 400 characters long.

    >>> readable("<h1>Bad key</h1> sk-ant-0123456789", secret="")
    'Bad key [key]'
    """
    hidden = (message.replace(secret, "[key]") if secret else message)[:LONGEST_READ]
    if "<" in hidden:
        hidden = _TAGS.sub(" ", hidden)
    line = _KEY_SHAPE.sub("[key]", " ".join(hidden.split()))
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds the provider asks us to wait, or None where it doesn't say.

    Reads `retry-after-ms`, then `retry-after` in seconds or as a date; a date counts from the
    answer's own `date` header, so that no clock of ours takes part. `headers` are looked up in
    lower case.

    >>> seconds_to_wait({"retry-after": "2"})
    2.0
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, headers.get("date", ""))


def _number(text: str) -> float | None:
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*", text)
    return float(match[1]) if match else None


def _until(then: str, now: str) -> float | None:
    try:
        wait = parsedate_to_datetime(then) - parsedate_to_datetime(now)
    except (ValueError, TypeError):  # not dates, or one with and one without a zone
        return None
    return max(0.0, wait.total_seconds())


def _hint(kind: type[ProviderError], refusal: Refusal, account: Account) -> str:
    if kind is ContextOverflow:
        return "The conversation is longer than the model takes; it is shortened and sent again."
    if kind is ProviderUnavailable:
        return _hint_to_wait(refusal)
    if {refusal.code, refusal.type} & NO_MONEY or _NO_CREDIT.search(refusal.message):
        return f"Check the credit and limits of your {account.provider} account."
    return _REFUSED_HINTS.get(refusal.status or 0, _SEND_DIFFERENTLY).format(
        variable=account.variable, provider=account.provider
    )


def _hint_to_wait(refusal: Refusal) -> str:
    if refusal.retry_after is not None:
        return f"Try again in {refusal.retry_after:,.0f} seconds."
    if refusal.status is None:
        return "Check the network connection and the provider's address, then try again."
    return "The provider is busy or in trouble; try again in a minute."


_SEND_DIFFERENTLY = "{provider} refused the request itself; sending it again won't help."
_REFUSED_HINTS = {
    401: "Set {variable} to a valid key, or use the model `offline:`, which needs none.",
    403: "The key in {variable} may not do this; check its rights, or use another model.",
    404: "Check the model's name, and that the key in {variable} may use it.",
}
