from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from stratal.context.compression.results import ResultRules
from stratal.context.compression.strategies import Overflow
from stratal.context.cut import kept
from stratal.context.history import HistoryRules, Past, newest_turns, read
from stratal.errors import InvalidRequest
from stratal_memory.records import Message, Role
from tests.platform.context.making import Words, assistant, tool, user

ROOM = 100
TEN = " ".join(["word"] * 10)


def test_the_history_is_read_newest_first_and_no_further_than_it_can_fit() -> None:
    taken: list[int] = []

    def turns() -> Iterator[Sequence[Message]]:
        for number in range(1_000):
            taken.append(number)
            yield (replace(user(TEN), seq=1_000 - number),)

    newest = read(Past(turns=turns()), room=ROOM, current=1, counter=Words())

    assert newest.more
    assert len(newest.turns) == 11  # the ten that fit, and the one that does not
    assert len(taken) == 12  # and whether there is another


@pytest.mark.parametrize("overflow", [Overflow.DROP_HALF, Overflow.KEEP_FRACTION])
def test_a_share_of_the_history_is_taken_of_twice_what_can_fit(overflow: Overflow) -> None:
    history = [replace(user(TEN), seq=row) for row in range(1, 1_001)]
    past = Past(turns=newest_turns(history), rules=HistoryRules(overflow=overflow))

    assert len(read(past, room=ROOM, current=1, counter=Words()).turns) == 21


def test_the_floor_is_whole_turns_and_never_fewer_than_demanded() -> None:  # covers Os5
    history = [replace(user(TEN), seq=row) for row in range(1, 9)]
    for turns, floor in ((0, 20), (3, 30)):
        past = Past(turns=newest_turns(history), rules=HistoryRules(min_turns=turns))
        newest = read(past, room=ROOM, current=1, counter=Words())

        assert newest.floor(25) == floor


def test_a_list_of_messages_is_its_turns_newest_first() -> None:  # covers P11, P13
    history = [tool("lost", "0"), user("one"), assistant("two"), user("three")]

    assert list(newest_turns(history)) == [
        (user("three"),),
        (user("one"), assistant("two")),
        (tool("lost", "0"),),
    ]


def test_the_rest_of_a_turn_without_its_beginning_ends_the_reading() -> None:
    history = [tool("lost", "0"), assistant("half"), user("one")]

    newest = read(Past(turns=newest_turns(history)), room=ROOM, current=1, counter=Words())

    assert len(newest.turns) == 1
    assert newest.beginning == 2


def test_what_is_no_history_is_refused() -> None:  # covers P8
    past = Past(turns=[(user("one"), Message(role=Role.CONTEXT, text="recalled"))])

    with pytest.raises(InvalidRequest, match="system or context"):
        read(past, room=ROOM, current=1, counter=Words())


def old_and_long(turns: int) -> list[Message]:
    """Turns of four messages, whose results have five hundred words."""
    said = [
        message
        for number in range(turns)
        for message in (
            user("look"),
            assistant("", f"c{number}"),
            tool("word " * 500, f"c{number}"),
            assistant("done"),
        )
    ]
    return [replace(message, seq=row) for row, message in enumerate(said, 1)]


def test_where_results_age_every_turn_a_history_is_read_by_what_it_takes_aged() -> None:
    # covers C2, C3
    results = ResultRules(age_after=4, age_over=100)
    rules = HistoryRules(results=results, age_every_turn=True)
    past = Past(turns=newest_turns(old_and_long(20)), rules=rules)

    newest = read(past, room=1_200, current=1, counter=Words())

    assert len(newest.turns) == 20
    assert not newest.more
    assert newest.aged == 77  # the newest four: the message in hand and rows 78 to 80
    history = kept(newest, room=1_200, current=1, counter=Words())
    assert len(history.messages) == 80
    assert history.moved is None
