"""An SDK's errors as ours, for a stream and for a count alike."""

import json
from collections.abc import Callable, Iterator
from typing import TypeVar

from stratal.errors import InvalidRequest, ProviderError
from stratal.providers.refusal import Account, Refusal, cut, refused

Item = TypeVar("Item")
ErrorT = TypeVar("ErrorT", bound=Exception)


def translated(
    items: Iterator[Item],
    account: Account,
    *,
    api_error: type[ErrorT],
    refusal: Callable[[ErrorT], Refusal],
) -> Iterator[Item]:
    """`items`; what an SDK on httpx2 raises on the way comes out as a `ProviderError`.

    `api_error` is the root of the SDK's own errors, `refusal` reads one. Text that UTF-8 can't
    carry is an `InvalidRequest`.
    """
    import httpx2

    try:
        yield from items
        return
    except api_error as error:
        failure: ProviderError = refused(refusal(error), account)
    except (httpx2.HTTPError, OSError) as error:  # the SDKs wrap these only before the stream
        failure = cut(account, f"{type(error).__name__}: {error}")
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            f"the request holds half a character at {error.start:,} of its text",
            hint="Replace lone surrogates before the text is stored or sent.",
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        failure = cut(account, f"an event could not be read: {error}")
    # Raised out here, so that the SDK's error, which may quote a key, is not chained to it.
    raise failure
