"""`stratal demo` goes as scripted, with the embedding model and with words alone."""

from pathlib import Path

import pytest

from stratal.cli.demo import Demo
from tests.platform.cli.running import Run


@pytest.mark.parametrize("model", ["", "none"])
def test_the_demo_goes_as_scripted(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("STRATAL_EMBEDDING__MODEL", model)

    done = stratal("demo", "--data", str(tmp_path / "demo"), "--json")

    told = Demo.model_validate_json(done.out)
    assert [one.failures for one in told.exchanges if one.failures] == []
    assert (done.code, told.failures, told.documents) == (0, 0, 6)
    assert bool(told.embedding) == (model == "")
    assert "Home: Porto" in told.profiles["alice"]
    assert told.seen_by_the_other == {"alice": 0, "bob": 0}
    assert "order-supplies" in [one.procedure for one in told.exchanges]


def test_the_demo_is_shown_whole_and_never_mixed_into_other_data(
    stratal: Run, tmp_path: Path
) -> None:
    shown = stratal("demo", "--data", str(tmp_path / "demo"))

    again = stratal("demo", "--data", str(tmp_path / "demo"))

    for words in ("the ledger of that answer", "PEAK", "the profile of alice", "Try next"):
        assert words in shown.out
    assert again.code == 1
    assert "holds data already" in again.err


def test_the_version_is_told(stratal: Run) -> None:
    assert stratal("--version").out.startswith("stratal 0.")
