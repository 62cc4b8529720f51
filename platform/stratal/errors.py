"""Errors of the platform; the root and the memory's own are in `stratal_memory.errors`.

StratalError
├── ConfigError
│   ├── UnknownModel            the model string names no provider or model we know
│   └── MissingKey              the provider needs an API key and none is set
├── ContextBudgetError          system prompt + current message + reserve exceed the window
├── TurnInProgress              the same request is being answered right now
├── TurnCancelled               whoever asked wants no answer any more
├── ToolFailed                  a tool says itself that it failed
├── ToolServerError             a server of tools can't be reached, stopped, or changed its tools
├── InvalidRequest              our own validator refused a request before it was sent
└── ProviderError               the model API failed
    ├── ProviderRejected        the request or key is wrong; trying again won't help
    ├── ProviderUnavailable     overload, rate limit, network, cut stream; try again later
    │   └── CircuitOpen         it failed so often that it is left alone for a while; no call made
    └── ContextOverflow         the provider counted more tokens than fit; compress and retry
"""

import math

from stratal_memory.errors import (
    AccessDenied,
    ConfigError,
    DataDirectoryBusy,
    InputError,
    NotFound,
    ScopeError,
    StorageError,
    StratalError,
)

__all__ = [
    "AccessDenied",
    "CircuitOpen",
    "ConfigError",
    "ContextBudgetError",
    "ContextOverflow",
    "DataDirectoryBusy",
    "InputError",
    "InvalidRequest",
    "MissingKey",
    "NotFound",
    "ProviderError",
    "ProviderRejected",
    "ProviderUnavailable",
    "ScopeError",
    "StorageError",
    "StratalError",
    "ToolFailed",
    "ToolServerError",
    "TurnCancelled",
    "TurnInProgress",
    "UnknownModel",
]


class UnknownModel(ConfigError):
    """The model string names no provider or model we know."""


class MissingKey(ConfigError):
    """The provider needs an API key and none is set."""


class ContextBudgetError(StratalError):
    """What may never be pruned does not fit the window; no call was made."""

    def __init__(self, *, fixed: int, reserve: int, window: int, margin: int = 0) -> None:
        """All in tokens: the sections that can't shrink, the output reserve, the window.

        `margin` is what of the window is held back because counts are estimates.
        """
        held = f", of which {margin:,} are held back for counting errors" if margin else ""
        super().__init__(
            f"the message and the system prompt take {fixed:,} tokens and {reserve:,} are kept "
            f"for the answer, but the window has {window:,}{held}",
            hint="Shorten the message, give it as a file to `stratal ingest`, or use a model "
            "with a larger window.",
        )
        self.fixed = fixed
        self.reserve = reserve
        self.window = window
        self.margin = margin


class TurnInProgress(StratalError):
    """The same request is being answered right now; ask again when that is done."""


class TurnCancelled(StratalError):
    """Whoever asked wants no answer any more; the message and what was done are kept."""


class ToolFailed(StratalError):
    """A tool says itself that it failed; the words are its own."""


class ToolServerError(StratalError):
    """A server of tools can't be reached, stopped, took too long, or changed its tools."""


class InvalidRequest(StratalError):
    """Our own validator refused a request before it was sent."""


class ProviderError(StratalError):
    """The model API failed. `retryable` says whether the same request may succeed later."""

    retryable = False

    def __init__(self, message: str, *, status: int | None = None, hint: str = "") -> None:
        """`status` is the HTTP status, or None where there was none."""
        super().__init__(message, hint=hint)
        self.status = status


class ProviderRejected(ProviderError):
    """The request or the key is wrong; trying again won't help."""


class ProviderUnavailable(ProviderError):
    """Overload, rate limit, network trouble or a cut stream."""

    retryable = True

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        hint: str = "",
        retry_after: float | None = None,
    ) -> None:
        """`retry_after` is how many seconds the provider asked to be left alone, if it said."""
        super().__init__(message, status=status, hint=hint)
        self.retry_after = retry_after


class CircuitOpen(ProviderUnavailable):
    """The provider failed so often in a row that it is left alone for a while; no call was made."""

    def __init__(
        self, *, provider: str, failures: int, last: str, retry_after: float | None
    ) -> None:
        """`retry_after` is in seconds; None while another call is trying the provider."""
        when = (
            "another call is trying it now"
            if retry_after is None
            else f"it is tried again in {math.ceil(retry_after):,} seconds"
        )
        super().__init__(
            f"{provider} is out: {failures:,} calls in a row failed, and {when}; "
            f"the last failure: {last}",
            hint="Wait and send the message again, or go on with another model (--model, in a chat "
            "/model); `stratal doctor` shows which one is set.",
            retry_after=retry_after,
        )
        self.provider = provider
        self.failures = failures
        self.last = last


class ContextOverflow(ProviderError):
    """The provider counted more tokens than the window holds."""
