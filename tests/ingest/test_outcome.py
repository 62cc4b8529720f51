import pytest

from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import EncryptedDocument
from stratal_ingest.limits import Limits
from stratal_ingest.outcome import outcome


@pytest.mark.parametrize(
    ("error", "type", "message"),
    [
        (EncryptedDocument("locked", hint="unlock"), "EncryptedDocument", "locked"),
        (MemoryError(), "LimitExceeded", "bytes"),
        (RecursionError(), "CorruptDocument", "nested"),
        (ZeroDivisionError("x" * 10_000), "CorruptDocument", "ZeroDivisionError: x"),
    ],
)
def test_every_way_of_failing_is_an_answer(error: Exception, type: str, message: str) -> None:
    def failing() -> ReadDocument:
        raise error

    refusal = outcome(failing, Limits()).refusal

    assert refusal is not None
    assert (refusal.type, message in refusal.message) == (type, True)
    assert len(refusal.message) <= 500
    assert refusal.hint == getattr(error, "hint", "")
