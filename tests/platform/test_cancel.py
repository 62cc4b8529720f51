"""A cancel wakes whoever waits, and what was begun is left to itself."""

from collections.abc import Iterator
from threading import Event, Thread

import pytest

from stratal.cancel import Cancel, begun, heeding, wait_for
from stratal.errors import TurnCancelled

PATIENCE = 20.0  # seconds until a test that waits for another thread fails


def test_what_is_not_cancelled_gives_its_result() -> None:
    assert wait_for(begun(lambda: 7), Cancel()) == 7
    assert wait_for(begun(lambda: 7), None) == 7


@pytest.mark.parametrize("cancel", [None, Cancel()])
def test_what_was_raised_is_raised_where_it_is_waited_for(cancel: Cancel | None) -> None:
    def work() -> int:
        raise SystemExit("a tool that leaves")

    with pytest.raises(SystemExit, match="leaves"):
        wait_for(begun(work), cancel)


def test_a_cancel_does_not_wait_for_the_work() -> None:
    cancel, let_go = Cancel(), Event()
    working = begun(lambda: let_go.wait(PATIENCE))
    Thread(target=cancel.set).start()

    with pytest.raises(TurnCancelled, match="cancelled"):
        wait_for(working, cancel)

    assert not working.done()
    let_go.set()
    assert working.result(PATIENCE)


def test_a_cancel_that_was_set_before_ends_the_next_wait() -> None:
    cancel = Cancel()
    cancel.set()
    cancel.set()

    with pytest.raises(TurnCancelled):
        wait_for(begun(lambda: 7), cancel)


def test_items_come_in_their_order_with_a_cancel_and_without() -> None:
    assert list(heeding(iter("abc"), Cancel())) == list(heeding(iter("abc"), None)) == list("abc")


def test_an_error_between_items_is_raised_after_those_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("the line is dead")

    heard = heeding(items(), Cancel())

    assert next(heard) == 1
    with pytest.raises(OSError, match="dead"):
        next(heard)


def test_a_cancel_does_not_wait_for_the_next_item() -> None:
    cancel, closed, silence = Cancel(), Event(), Event()

    def items() -> Iterator[int]:
        try:
            yield 1
            silence.wait(PATIENCE)
            yield 2
        finally:
            closed.set()

    heard = heeding(items(), cancel)
    assert next(heard) == 1
    Thread(target=cancel.set).start()

    with pytest.raises(TurnCancelled):
        next(heard)

    silence.set()
    assert closed.wait(PATIENCE)  # nobody reads on, and the connection is let go
