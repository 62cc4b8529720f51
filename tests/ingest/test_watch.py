from pathlib import Path

import pytest

from stratal_ingest.report import Report, totalled
from stratal_ingest.sources import Found, find
from stratal_ingest.watch import Watching, watch


class Reader:
    """Keeps which files it was given, round by round."""

    def __init__(self) -> None:
        self.rounds: list[list[str]] = []
        self.founds: list[Found] = []

    def __call__(self, found: Found) -> Report:
        self.founds.append(found)
        self.rounds.append([Path(source.path).name for source in found.sources])
        return totalled([], seconds=0)


@pytest.fixture
def reader() -> Reader:
    return Reader()


def begun(folder: Path, reader: Reader) -> Watching:
    """A watch that has read what was there at first."""
    made = Watching(lambda: find([str(folder)]), read=reader)
    next(made.rounds(every=0, sleep=lambda seconds: None))
    return made


def test_everything_is_read_at_first_and_nothing_while_nothing_changes(
    tmp_path: Path, reader: Reader
) -> None:
    (tmp_path / "a.txt").write_text("one")
    watching = begun(tmp_path, reader)

    assert [watching.round(), watching.round()] == [None, None]
    assert reader.rounds == [["a.txt"]]


def test_a_change_is_read_once_it_stands_still(tmp_path: Path, reader: Reader) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    watching = begun(tmp_path, reader)

    path.write_text("one and more")
    assert watching.round() is None
    path.write_text("one and more is still being written")
    assert watching.round() is None
    assert watching.round() is not None

    assert reader.rounds == [["a.txt"], ["a.txt"]]
    assert watching.round() is None


def test_a_file_that_is_always_written_does_not_hold_up_the_others(
    tmp_path: Path, reader: Reader
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("")
    watching = begun(tmp_path, reader)
    (tmp_path / "new.txt").write_text("new")
    for line in range(3):
        log.write_text("line " * (line + 1))
        watching.round()

    assert reader.rounds == [["log.txt"], ["new.txt"]]


def test_a_file_that_is_gone_for_a_moment_is_not_lost(tmp_path: Path, reader: Reader) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    other = tmp_path / "b.txt"
    other.write_text("two")
    watching = begun(tmp_path, reader)

    path.unlink()
    other.write_text("changed")
    assert watching.round() is None
    path.write_text("saved anew")
    assert watching.round() is not None  # b.txt; a.txt is not among what has ended

    assert reader.rounds[-1] == ["b.txt"]
    assert str(path) in reader.founds[-1].keys
    assert watching.round() is not None
    assert reader.rounds[-1] == ["a.txt"]


def test_a_file_that_stays_away_ends(tmp_path: Path, reader: Reader) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    watching = begun(tmp_path, reader)
    path.unlink()

    assert watching.round() is None
    assert watching.round() is not None

    assert (reader.rounds[-1], str(path) in reader.founds[-1].keys) == ([], False)
    assert [root.path for root in reader.founds[-1].roots] == [str(tmp_path)]
    assert watching.round() is None


def test_the_watch_sleeps_between_two_looks_and_ends_when_closed(
    tmp_path: Path, reader: Reader
) -> None:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if not (tmp_path / "late.txt").exists():
            (tmp_path / "late.txt").write_text("late")

    rounds = watch([str(tmp_path)], read=reader, every=0.5, sleep=sleep)
    next(rounds)
    next(rounds)
    rounds.close()  # type: ignore[attr-defined]

    assert reader.rounds[-1] == ["late.txt"]
    assert set(slept) == {0.5}
