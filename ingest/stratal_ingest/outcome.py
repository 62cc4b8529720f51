"""What came of reading one file: the document, or a typed reason why there is none."""

from collections.abc import Callable

from stratal_ingest.document import ReadDocument, Refusal
from stratal_ingest.errors import DocumentError
from stratal_ingest.limits import Limits
from stratal_ingest.wire import Answer

_MAX_MESSAGE = 500  # characters; a library may put half a document into its error


def outcome(read: Callable[[], ReadDocument], limits: Limits) -> Answer:
    """What `read` returns or why it failed; every way of failing is an answer."""
    try:
        return Answer(document=read())
    except DocumentError as error:
        return Answer(refusal=refusal_of(error))
    except MemoryError:
        return refused("LimitExceeded", f"it needs more than {limits.memory_bytes:,} bytes")
    except RecursionError:
        return refused("CorruptDocument", "it is nested too deep")
    except Exception as error:  # noqa: BLE001 - the parser child; any reader may fail in any way
        return refused("CorruptDocument", f"reading it failed: {type(error).__name__}: {error}")


def refusal_of(error: DocumentError) -> Refusal:
    """What `error` says, as a value that can be stored and sent."""
    message = str(error)[:_MAX_MESSAGE]
    return Refusal(type=type(error).__name__, message=message, hint=error.hint)


def refused(type: str, message: str, *, hint: str = "") -> Answer:
    """The answer that refuses a file; `type` is a class name of `stratal_ingest.errors`."""
    return Answer(refusal=Refusal(type=type, message=message[:_MAX_MESSAGE], hint=hint))
