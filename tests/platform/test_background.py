"""Threads that are waited for by events, never by time."""

from collections.abc import Callable
from threading import Event, Thread

from stratal.background import Background
from tests.platform.talking import PATIENCE


class Work:
    """Something that goes on until it is let go."""

    def __init__(self) -> None:
        self.begun, self.let_go, self.ended = Event(), Event(), Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.let_go.wait(PATIENCE)
        self.ended.set()


def counting(seen: list[str], name: str) -> Callable[[], None]:
    return lambda: seen.append(name)


def test_two_works_of_one_name_do_not_go_on_together() -> None:  # covers Ps5
    background, work, seen = Background(), Work(), list[str]()

    first = background.start("a", work)
    assert work.begun.wait(PATIENCE)
    second = background.start("a", counting(seen, "second"))
    work.let_go.set()
    background.wait()

    assert (first, second, seen) == (True, False, [])


def test_works_of_two_names_go_on_beside_each_other() -> None:
    background, one, other = Background(), Work(), Work()

    assert background.start("a", one)
    assert background.start("b", other)

    assert one.begun.wait(PATIENCE)
    assert other.begun.wait(PATIENCE)
    one.let_go.set()
    other.let_go.set()
    assert background.wait()


def test_a_name_is_free_again_when_its_work_ended() -> None:
    background, seen = Background(), list[str]()

    for name in ("first", "second"):
        assert background.start("a", counting(seen, name))
        assert background.wait()

    assert seen == ["first", "second"]


def test_waiting_ends_after_its_seconds_and_says_whether_all_ended() -> None:
    background, work = Background(), Work()
    background.start("a", work)

    early = background.wait(seconds=0.0)
    work.let_go.set()
    late = background.wait(seconds=PATIENCE)

    assert (early, late) == (False, True)
    assert work.ended.is_set()


def test_nothing_begins_once_it_is_closed() -> None:
    background, seen = Background(), list[str]()

    closed = background.close()
    begun = background.start("a", counting(seen, "a"))

    assert (closed, begun, seen) == (True, False, [])
    assert background.close()  # closing twice is closing once


def test_closing_waits_for_what_goes_on_and_keeps_it() -> None:
    background, work = Background(), Work()
    background.start("a", work)
    assert work.begun.wait(PATIENCE)
    work.let_go.set()

    assert background.close(seconds=PATIENCE)

    assert work.ended.is_set()
    assert not background.abandoned


def test_what_goes_on_longer_than_closing_waits_is_told_that_nobody_does() -> None:
    background, work = Background(), Work()
    background.start("a", work)
    assert work.begun.wait(PATIENCE)

    closed = background.close(seconds=0.0)

    assert not closed
    assert background.abandoned
    work.let_go.set()
    assert background.wait(seconds=PATIENCE)


def test_threads_that_start_the_same_work_at_once_start_it_once() -> None:
    background, work, begun = Background(), Work(), list[bool]()
    callers = [Thread(target=lambda: begun.append(background.start("a", work))) for _ in range(20)]

    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(PATIENCE)
    work.let_go.set()

    assert background.wait(seconds=PATIENCE)
    assert sorted(begun) == [False] * 19 + [True]
