"""A conversation is cut where it paused, and a long stretch where it paused longest."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.consolidation.segments import MOST, PAUSE, segments
from stratal_memory.records import Message, Role

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def talk(*minutes: float, roles: Sequence[Role] = ()) -> list[Message]:
    """Messages so many minutes after the start; of the user where nothing else is said."""
    return [
        Message(
            role=roles[place] if place < len(roles) else Role.USER,
            text=f"message {place}",
            id=f"msg_{place}",
            created=START + timedelta(minutes=at),
        )
        for place, at in enumerate(minutes)
    ]


def test_a_pause_of_hours_begins_a_new_segment() -> None:
    hours = PAUSE.total_seconds() / 60

    found = segments(talk(0, 5, 5 + hours, 7 + hours))

    assert [[one.id for one in part.messages] for part in found] == [
        ["msg_0", "msg_1"],
        ["msg_2", "msg_3"],
    ]


def test_a_late_answer_stays_with_its_question() -> None:
    found = segments(talk(0, 600, roles=(Role.USER, Role.ASSISTANT)))

    assert len(found) == 1


def test_a_stretch_without_the_user_is_no_segment() -> None:
    assert segments(talk(0, 1, roles=(Role.ASSISTANT, Role.TOOL))) == []
    assert segments([]) == []


def test_a_long_stretch_is_cut_at_its_longest_pause() -> None:
    minutes = [float(place) for place in range(MOST + 10)]
    late = [at + (30 if place >= 22 else 0) for place, at in enumerate(minutes)]

    found = segments(talk(*late))

    assert [len(part.said) for part in found] == [22, MOST + 10 - 22]


@given(st.lists(st.floats(0, 400), max_size=200))
def test_nothing_is_lost_doubled_or_moved(gaps: list[float]) -> None:
    at, minutes = 0.0, list[float]()
    for gap in gaps:
        at += gap
        minutes.append(at)
    said = talk(*minutes)

    found = segments(said)

    assert [one for part in found for one in part.messages] == said
    assert all(len(part.said) <= MOST for part in found)
