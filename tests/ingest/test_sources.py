import os
import sys
from pathlib import Path

import pytest

from stratal_ingest.errors import LimitExceeded, UnreadableFile
from stratal_ingest.sources import Origin, content, find, gone, sources
from stratal_memory.errors import NotFound


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def test_a_folder_is_read_with_all_below_it_sorted_without_hidden_files(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/z.md", "a.txt", ".git/config", ".hidden")

    found = [source.path for source in sources([str(tmp_path)])]

    assert found == [str(tmp_path / name) for name in ("a.txt", "b.md", "a/z.md")]


def test_a_pattern_names_what_it_matches_and_each_file_once(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "b.txt", "c/d.md")

    found = sources([str(tmp_path / "**/*.md"), str(tmp_path / "a.md"), str(tmp_path)])

    assert [Path(source.path).name for source in found] == ["a.md", "d.md", "b.txt"]


@pytest.mark.parametrize("name", ["nothing.txt", "*.nothing"])
def test_what_is_missing_is_listed_with_its_problem(tmp_path: Path, name: str) -> None:
    (source,) = sources([str(tmp_path / name)])

    assert isinstance(source.problem, NotFound)


def test_a_link_that_loops_is_listed_with_its_problem(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    (source,) = sources([str(tmp_path / "loop")])

    assert isinstance(source.problem, UnreadableFile)


def test_a_folder_linked_into_itself_is_read_once(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)

    assert [Path(source.path).name for source in sources([str(tmp_path)])] == ["a.md"]


@pytest.mark.parametrize("path", ["a\x00b", "x" * 5_000])
def test_a_path_no_file_can_have_is_listed_with_its_problem(path: str) -> None:
    (source,) = sources([path])

    assert source.problem is not None


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux only")
def test_a_name_that_is_no_unicode_is_shown_escaped_and_can_be_read(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")
    Path(path).write_text("coffee")

    (source,) = sources([str(tmp_path)])

    assert source.shown == f"{tmp_path}/caf\\udce9.txt"
    assert content(source.path, limit=10) == b"coffee"


def test_a_device_is_no_file() -> None:
    with pytest.raises(UnreadableFile):
        content("/dev/zero", limit=10)


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("four")

    with pytest.raises(LimitExceeded, match="4 bytes, 3 are allowed"):
        content(str(tmp_path / "a.txt"), limit=3)


def test_addresses_and_standard_input_are_told_from_files(tmp_path: Path) -> None:
    found = find(["-", "https://example.com/a.pdf", str(tmp_path)], stdin_name="notes.md")

    assert [(one.origin, one.key, one.shown) for one in found.sources] == [
        (Origin.STDIN, "stdin:notes.md", "notes.md"),
        (Origin.WEB, "https://example.com/a.pdf", "https://example.com/a.pdf"),
    ]
    assert [root.path for root in found.roots] == [str(tmp_path)]


def test_only_what_is_surely_not_there_is_gone(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")

    here = [gone(str(tmp_path / name)) for name in ("a.txt", "dangling", "none", "a.txt/below")]

    assert here == [False, False, True, True]
    assert not gone("a\x00b")
