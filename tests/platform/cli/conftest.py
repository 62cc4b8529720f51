"""The command line on a data directory of the test's own, with no key and no model."""

from pathlib import Path

import pytest

from stratal.cli import main
from tests.platform.cli.running import Ran, Run


@pytest.fixture
def stratal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STRATAL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("STRATAL_EMBEDDING__MODEL", "none")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> Ran:
        code = main(args)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run
