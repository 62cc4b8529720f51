"""One data directory: transactions, errors, and several processes and threads at once."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from stratal_memory.errors import DataDirectoryBusy, StorageError, StorageFull
from stratal_memory.records import Form
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import memories
from stratal_memory.truth.database import FILE_NAME, Database
from stratal_memory.truth.schema import memories as table
from tests.memory.worlds import World, export

WRITER = """
import sys
from pathlib import Path
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth.database import Database

name = sys.argv[2]
with Database.open(Path(sys.argv[1])) as database:
    facts = Facts(Store.open(database, Principal(user="alice")))
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(sys.argv[3])):
        facts.add(f"{name} notes the number {number}")
"""


def writer(folder: Path, name: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def started(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def test_a_second_opening_in_one_process_shares_the_first(tmp_path: Path) -> None:
    first = Database.open(tmp_path)
    second = Database.open(tmp_path / "." / "")

    second.close()

    assert second is first
    with first.read() as connection:
        assert connection.execute(text("SELECT 1")).scalar() == 1
    first.close()
    again = Database.open(tmp_path)
    assert again is not first
    again.close()


def test_two_processes_write_at_once_and_nothing_is_lost(world: World) -> None:
    other = writer(world.database.folder, "the other", 25)
    started(other)
    facts = Facts(world.store())

    go(other)
    for number in range(25):
        facts.add(f"this one notes the number {number}")
    other.communicate(timeout=30)

    assert other.returncode == 0
    assert len(facts.known()) == 50


def test_two_processes_that_open_a_new_directory_at_once_both_get_in(tmp_path: Path) -> None:
    both = [writer(tmp_path / "new", name, 1) for name in ("one", "two")]

    for process in both:
        started(process)
    for process in both:
        process.communicate("go\n", timeout=30)

    assert [process.returncode for process in both] == [0, 0]


def test_threads_share_a_database(world: World) -> None:
    facts = Facts(world.store())
    failures: list[BaseException] = []

    def note(name: str) -> None:
        try:
            for number in range(10):
                facts.add(f"{name} thread notes {number}")
                facts.known()
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=note, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert failures == []
    assert len(facts.known()) == 20


def test_a_reader_sees_one_snapshot_while_others_write(world: World) -> None:
    facts = Facts(world.store())
    facts.add("the first fact")
    counted = select(func.count()).select_from(table)

    with world.database.read() as connection:
        before = connection.execute(counted).scalar()
        facts.add("the second fact")
        during = connection.execute(counted).scalar()

    assert (before, during) == (1, 1)
    assert len(facts.known()) == 2


def test_an_error_inside_a_transaction_takes_all_of_it_back(world: World) -> None:
    store = world.store()
    Facts(store).add("kept")
    before = export(world.database)

    def change() -> None:
        with store.write() as journal:
            found = memories.select_memories(journal.connection, table.c.form == Form.FACT)[0]
            journal.reinforce(found, confidence=0.99, seen=found.evidence, reason="a test")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change()

    assert export(world.database) == before


def test_a_full_disk_is_said_and_loses_nothing(world: World) -> None:
    facts = Facts(world.store())
    facts.add("acknowledged before the disk was full")
    engine = world.database.engine
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def fill() -> None:
        for number in range(500):
            facts.add(f"{number} " + "does not fit " * 100)

    with pytest.raises(StorageFull) as full:
        fill()

    kept = facts.known()
    assert "acknowledged before the disk was full" in [fact.text for fact in kept]
    assert "Free some space" in full.value.hint
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    facts.add("there is room again")
    assert len(facts.known()) == len(kept) + 1


def test_a_broken_full_text_table_is_not_taken_for_a_full_disk(world: World) -> None:
    facts = Facts(world.store())
    with world.database.write() as connection:
        connection.exec_driver_sql("DROP TABLE full_text_terms")
        connection.exec_driver_sql("DROP TABLE full_text")

    with pytest.raises(StorageError, match="full_text") as failed:
        facts.add("where is the index?")

    assert not isinstance(failed.value, StorageFull)


def test_a_lock_held_too_long_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    # A patch, because nobody wants to wait ten seconds: the pragma is read at connecting.
    monkeypatch.setattr(
        "stratal_memory.truth.sqlite._PRAGMAS", ("journal_mode = WAL", "busy_timeout = 50")
    )
    world.database.engine.dispose()

    with (
        world.database.write(),
        pytest.raises(DataDirectoryBusy, match="kept the database"),
        world.database.write(),
    ):
        pass


@pytest.mark.parametrize("content", [b"this is not a database, but long enough" * 50])
def test_a_file_that_is_no_database_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)

    with pytest.raises(StorageError, match="is damaged"):
        Database.open(tmp_path)

    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    with pytest.raises(StorageError, match="can't be used") as refused:
        Database.open(tmp_path / "taken")

    assert "--data" in refused.value.hint


def test_nobody_else_may_read_the_files(world: World) -> None:
    Facts(world.store()).add("a private matter")

    rights = {
        path.name: oct(path.stat().st_mode & 0o077)
        for path in world.database.folder.glob(f"{FILE_NAME}*")
    }

    assert set(rights) == {FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"}
    assert set(rights.values()) == {"0o0"}
