"""An ingest that is killed at any step leaves whole documents, and the next one goes on."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stratal_ingest.pipeline import ingest
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.records import Form, Status
from stratal_memory.tiers.documents import Documents
from stratal_memory.truth import generations, memories
from stratal_memory.truth.schema import memories as table
from tests.ingest.samples import words
from tests.memory.worlds import World, opened

CHILD = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from stratal_ingest.options import Options
from stratal_ingest.pipeline import ingest
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.documents import Documents
from stratal_memory.truth.database import Database

left = int(sys.argv[4])

def fail(step):
    global left
    if step == sys.argv[3]:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), int(sys.argv[5]))

database = Database.open(Path(sys.argv[1]))
store = Store.open(database, Principal(user="alice"), embedder=HashEmbedder(64))
into = Documents(store, on_step=fail)
count = lambda text: len(text.split())
ingest([sys.argv[2]], into=into, count=count, options=Options(on_step=fail))
"""
STEPS = (
    *("hashed", "parsed", "cut", "embedded", "written", "ended"),  # of the run
    *("storing", "placing", "stored"),  # of the store, two of them inside the transaction
)
FILES = {"a.md": "# A\n\none\n\n## B\n\ntwo\n", "b.txt": "three", "copy.txt": "three"}
WHOLE = {"a.md": ["A\n\none", "B\n\ntwo"], "b.txt": ["three"], "copy.txt": ["three"]}


def killed(data: Path, docs: Path, step: str, *, time: int, by: int = signal.SIGKILL) -> int:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(data), str(docs), step, str(time), str(by)],
        capture_output=True,
        check=False,
        preexec_fn=_heeding_interrupts,
    )
    return done.returncode


def _heeding_interrupts() -> None:
    """A shell starts what it puts into the background with interrupts ignored, for good."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def held(world: World) -> dict[str, list[str]]:
    """What every live document says, by its file's name."""
    documents = Documents(world.store())
    return {
        Path(one.path).name: [passage.text for passage in documents.passages(one)]
        for one in documents.live()
    }


@pytest.mark.parametrize("step", STEPS)
def test_a_first_run_that_is_killed_is_taken_up_again(tmp_path: Path, step: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in FILES.items():
        (docs / name).write_text(text)
    opened(tmp_path / "data").close()

    last = step == "ended"
    assert killed(tmp_path / "data", docs, step, time=1 if last else 2) == -signal.SIGKILL

    world = opened(tmp_path / "data")
    part = held(world)
    assert part.items() <= WHOLE.items()  # whole documents, or none
    again = ingest([str(docs)], into=world.store(embedder=HashEmbedder(64)), count=words)
    assert held(world) == WHOLE
    assert again.totals.unchanged == len(part)
    _sound(world, passages=3)
    world.close()


@pytest.mark.parametrize("step", ["storing", "placing", "stored"])
def test_a_change_that_is_killed_leaves_the_version_before_or_the_new_one(
    tmp_path: Path, step: str
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    path = docs / "a.md"
    path.write_text(FILES["a.md"])
    world = opened(tmp_path / "data")
    ingest([str(docs)], into=world.store(embedder=HashEmbedder(64)), count=words)
    world.close()
    path.write_text("# A\n\none\n\n## B\n\nnew\n")

    assert killed(tmp_path / "data", docs, step, time=1) == -signal.SIGKILL

    world = opened(tmp_path / "data")
    new = {"a.md": ["A\n\none", "B\n\nnew"]}
    assert held(world) == (new if step == "stored" else {"a.md": WHOLE["a.md"]})
    ingest([str(docs)], into=world.store(embedder=HashEmbedder(64)), count=words)
    assert held(world) == new
    _sound(world, passages=2)
    world.close()


@pytest.mark.parametrize("step", ["placing", "stored"])
@pytest.mark.parametrize("change", ["gone", "moved"])
def test_a_retirement_or_move_that_is_killed_is_done_the_next_time(
    tmp_path: Path, step: str, change: str
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "b.txt").write_text("three")
    (docs / "keep.txt").write_text("kept")  # nothing is retired where no file is left
    world = opened(tmp_path / "data")
    ingest([str(docs)], into=world.store(embedder=HashEmbedder(64)), count=words)
    world.close()
    if change == "gone":
        (docs / "b.txt").unlink()
    else:
        (docs / "b.txt").rename(docs / "c.txt")

    assert killed(tmp_path / "data", docs, step, time=1) == -signal.SIGKILL

    world = opened(tmp_path / "data")
    ingest([str(docs)], into=world.store(embedder=HashEmbedder(64)), count=words)
    moved = {} if change == "gone" else {"c.txt": ["three"]}
    assert held(world) == {"keep.txt": ["kept"], **moved}
    _sound(world, passages=1 if change == "gone" else 2)
    world.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_ctrl_c_ends_the_child_and_keeps_what_was_stored(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in FILES.items():
        (docs / name).write_text(text)
    opened(tmp_path / "data").close()

    code = killed(tmp_path / "data", docs, "written", time=1, by=signal.SIGINT)

    world = opened(tmp_path / "data")
    assert code in (1, -signal.SIGINT, 128 + signal.SIGINT)  # a KeyboardInterrupt nobody caught
    assert list(held(world)) == ["a.md", "b.txt"]  # they were stored at once
    world.close()


def _sound(world: World, *, passages: int) -> None:
    """Every passage is there once, live, with a vector."""
    store = world.store(embedder=HashEmbedder(64))
    with store.read() as connection:
        live = (table.c.form == Form.CHUNK) & (table.c.status == Status.ACTIVE)
        assert memories.count(connection, live) == passages
        assert generations.without_vector(connection, generation=store.generation, limit=9) == {}
