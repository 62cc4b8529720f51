"""Maintenance is alone; everybody else is named, and a crash leaves no lock."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from stratal_memory.errors import DataDirectoryBusy
from stratal_memory.truth import locks
from stratal_memory.truth.database import Database

HOLDER = """
import sys
from pathlib import Path
from stratal_memory.truth.database import Database

database = Database.open(Path(sys.argv[1]), purpose=sys.argv[2])
if sys.argv[3] == "maintenance":
    with database.maintenance("compacting everything"):
        print("ready", flush=True)
        sys.stdin.readline()
else:
    print("ready", flush=True)
    sys.stdin.readline()
database.close()
"""


class Holder:
    """Another process on the directory, until `end` or `kill`."""

    def __init__(self, folder: Path, doing: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(folder), "the other one", doing],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def end(self) -> None:
        self.process.communicate("\n", timeout=30)
        assert self.process.returncode == 0

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=30)


def test_an_opener_is_told_who_does_maintenance(tmp_path: Path) -> None:
    holder = Holder(tmp_path, "maintenance")

    with pytest.raises(DataDirectoryBusy, match="compacting everything") as busy:
        Database.open(tmp_path, wait=0.05)

    assert str(holder.process.pid) in busy.value.holders[0]
    holder.end()
    Database.open(tmp_path, wait=0.05).close()


def test_maintenance_is_told_who_is_present(tmp_path: Path) -> None:
    holder = Holder(tmp_path, "work")

    with (
        Database.open(tmp_path) as database,
        pytest.raises(DataDirectoryBusy, match="the other one") as busy,
        database.maintenance("erasing", wait=0.05),
    ):
        pytest.fail("it was not alone")

    assert len(busy.value.holders) == 1
    holder.end()
    with Database.open(tmp_path) as database, database.maintenance("erasing", wait=0.05):
        pass


@pytest.mark.parametrize("doing", ["work", "maintenance"])
def test_a_killed_process_leaves_no_lock(tmp_path: Path, doing: str) -> None:
    Holder(tmp_path, doing).kill()

    with Database.open(tmp_path, wait=0.05) as database:
        with database.maintenance("erasing", wait=0.05):
            pass
        left = sorted(path.suffix for path in (tmp_path / locks.OPEN_FOLDER).iterdir())

    assert left == [".json", ".lock"]  # our own: what the other left was swept


def test_who_waits_at_the_gate_is_not_waited_for(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    entered: list[locks.Presence] = []

    def enter() -> None:
        entered.append(locks.enter(tmp_path, purpose="waiting", wait=20))

    waiting = threading.Thread(target=enter)
    with locks.maintenance(tmp_path, purpose="first", wait=1):
        waiting.start()
        present = list((tmp_path / locks.OPEN_FOLDER).glob("*.lock"))
    waiting.join(20)

    assert present == []
    assert [presence.path.exists() for presence in entered] == [True]
    entered[0].leave()


def test_a_handle_may_be_closed_by_another_thread(tmp_path: Path) -> None:
    presence = locks.enter(tmp_path, purpose="work", wait=1)

    closing = threading.Thread(target=presence.leave)
    closing.start()
    closing.join(20)

    assert not presence.lock.is_locked
    with locks.maintenance(tmp_path, purpose="alone", wait=0.05):
        pass


def test_maintenance_that_failed_lets_go(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locks.maintenance(tmp_path, purpose="x", wait=1):
        raise ZeroDivisionError

    locks.enter(tmp_path, purpose="work", wait=0.05).leave()
    assert not (tmp_path / "maintenance.json").exists()
