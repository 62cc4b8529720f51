import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.platform.cli.running import Run

HOLDER = """
import sys
from pathlib import Path
from stratal_memory.truth.database import Database
with Database.open(Path(sys.argv[1])) as database, database.maintenance("restoring a backup"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[None]:
    """The data directory, kept by another process for maintenance."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "data")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.stdin.close()


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(
    "command", [("memory", "list"), ("chat", "-m", "hi"), ("jobs", "list"), ("doctor",)]
)
def test_maintenance_by_another_process_is_said_with_its_holder(
    stratal: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("STRATAL_BUSY_WAIT", "0.1")

    ran = stratal(*command, "--json")

    error = ran.json["error"]
    assert (ran.code, error["type"]) == (1, "DataDirectoryBusy")
    assert "restoring a backup" in error["details"]["holders"][0]
