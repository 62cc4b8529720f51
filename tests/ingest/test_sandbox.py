import io
import os
import signal
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal_ingest.errors import LimitExceeded, UnsupportedFormat
from stratal_ingest.limits import MIB, Limits
from stratal_ingest.sandbox import Sandbox
from tests.ingest.samples import pdf

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc or Linux limits")


@pytest.fixture(scope="module")
def shared() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def test_one_child_reads_many_files(shared: Sandbox) -> None:
    first = shared.read(b"# Leave\n\nThirty days.", "handbook.md")
    child = shared.pid
    second = shared.read(pdf("Hello"), "hello.pdf")

    assert (first.title, second.text) == ("Leave", "Hello")
    assert shared.pid == child


def test_a_refusal_comes_back_as_its_own_class_with_its_hint(shared: Sandbox) -> None:
    with pytest.raises(UnsupportedFormat) as caught:
        shared.read(b"\x00\x01\x02" * 100, "random.txt")

    assert "Markdown" in caught.value.hint


def test_a_file_over_the_limit_never_reaches_the_child() -> None:
    sandbox = Sandbox(Limits(file_bytes=3))

    with pytest.raises(LimitExceeded, match="4 bytes"):
        sandbox.read(b"four", "a.txt")

    assert sandbox.pid is None


@linux
def test_a_file_that_takes_too_long_is_ended_and_the_next_is_read() -> None:
    endless = b"<html>" + b"<div>" * 400_000  # the HTML standard's algorithm is quadratic here

    with Sandbox(Limits(seconds=1)) as sandbox:
        with pytest.raises(LimitExceeded, match="1 seconds"):
            sandbox.read(endless, "deep.html")

        assert sandbox.read(b"fine", "a.txt").text == "fine"


@linux
def test_a_file_that_takes_too_much_memory_is_refused_and_the_next_is_read() -> None:
    hungry = b"[" + b"[]," * 3_000_000 + b"[]]"

    with Sandbox(Limits(memory_bytes=256 * MIB)) as sandbox:
        with pytest.raises(LimitExceeded, match="268,435,456 bytes"):
            sandbox.read(hungry, "hungry.json")

        assert sandbox.read(b"fine", "a.txt").text == "fine"


@linux
def test_a_file_inside_that_takes_too_long_does_not_take_the_others_along() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("first.txt", "one")
        made.writestr("endless.html", b"<html>" + b"<div>" * 400_000)
        made.writestr("last.txt", "three")

    with Sandbox(Limits(seconds=4)) as sandbox:
        files = sandbox.read(archive.getvalue(), "all.zip").enclosed

    assert [file.document.text if file.document else "" for file in files] == ["one", "", "three"]
    assert files[1].refusal is not None
    assert files[1].refusal.type == "LimitExceeded"


def test_text_larger_than_an_answer_may_be_is_refused() -> None:
    with Sandbox(Limits(answer_bytes=1_000)) as sandbox, pytest.raises(LimitExceeded):
        sandbox.read(b"long " * 1_000, "long.txt")


@linux
def test_a_child_that_was_killed_is_started_again() -> None:
    with Sandbox() as sandbox:
        sandbox.read(b"one", "a.txt")
        killed = sandbox.pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        os.waitid(os.P_PID, killed, os.WEXITED | os.WNOWAIT)

        assert sandbox.read(b"two", "b.txt").text == "two"
        assert sandbox.pid != killed


@linux
def test_the_child_gets_nothing_of_the_environment() -> None:  # covers X5
    with Sandbox() as sandbox:
        sandbox.read(b"one", "a.txt")

        assert Path(f"/proc/{sandbox.pid}/environ").read_bytes() == b""


@linux
def test_closing_leaves_no_process() -> None:
    sandbox = Sandbox()
    sandbox.read(b"one", "a.txt")
    child = sandbox.pid

    sandbox.close()

    assert not Path(f"/proc/{child}").exists()


@linux
def test_the_child_loads_no_heavy_library_of_ours() -> None:
    with Sandbox() as sandbox:
        sandbox.read(b"one", "a.txt")
        mapped = Path(f"/proc/{sandbox.pid}/maps").read_text()

    assert not any(name in mapped for name in ("numpy", "onnxruntime", "pydantic"))
