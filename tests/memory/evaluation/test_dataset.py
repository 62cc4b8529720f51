from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratal_memory.errors import InputError
from stratal_memory.evaluation.dataset import TurnRow, load
from tests.memory.evaluation.talks import questions, turns, written


def test_conversations_come_in_order_with_their_sessions_and_questions(tmp_path: Path) -> None:
    friends, work = load(
        written(tmp_path, "t.jsonl", turns()), written(tmp_path, "q.jsonl", questions())
    )

    assert (friends.id, work.id) == ("f", "w")
    assert [[turn.turn_id for turn in one] for one in work.sessions()] == [
        ["w0", "w1"],
        ["w2", "w3"],
    ]
    assert [one.qid for one in friends.questions] == ["1", "2", "4", "5"]


def test_a_time_without_a_zone_is_utc_and_none_is_the_year_2000() -> None:
    row = TurnRow(conv_id="c", session_id="s", turn_id="t", speaker="Ida")

    assert row.at == datetime(2000, 1, 1, tzinfo=UTC)
    dated = row.model_copy(update={"timestamp": "2023-05-08T13:56:00"})
    assert dated.at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("{", "line 1: the line: Invalid JSON"),
        ('{"conv_id": "c"}', "line 1: session_id: Field required"),
        ("[]", "line 1: the line:"),
        ("\ud800", "line 1: the line: Invalid JSON"),
    ],
)
def test_a_line_that_is_no_turn_is_named(tmp_path: Path, lines: str, said: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines.encode("utf-8", "surrogatepass"))

    with pytest.raises(InputError, match=said):
        load(path, written(tmp_path, "q.jsonl", questions()))


def test_questions_about_other_conversations_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "t.jsonl", turns())

    with pytest.raises(InputError, match="asks about no conversation"):
        load(path, written(tmp_path, "q.jsonl", []))
    with pytest.raises(InputError, match="can't be read"):
        load(tmp_path / "nothing.jsonl", path)
