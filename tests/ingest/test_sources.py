import os
import sys
from pathlib import Path

import pytest

from stratal_ingest.contents import content
from stratal_ingest.errors import UnreadableFile
from stratal_ingest.presence import gone, on_disk
from stratal_ingest.sources import Origin, find, sources
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
    assert on_disk(source.key) == source.path
    assert not gone(source.key)
    Path(path).unlink()
    assert gone(source.key)


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

    (tmp_path / "folder").mkdir()
    names = ("a.txt", "dangling", "none", "a.txt/below", "folder")

    here = [gone(str(tmp_path / name)) for name in names]

    assert here == [False, False, True, True, True]
    assert not gone("a\x00b")


def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_read(tmp_path: Path) -> None:
    make(tmp_path, "kept/a.md", "kept-too/secret.md")
    (tmp_path / "kept/in.md").symlink_to(tmp_path / "kept/a.md")
    (tmp_path / "kept/out.md").symlink_to(tmp_path / "kept-too/secret.md")

    found = sources([str(tmp_path / "kept")])

    assert [(Path(one.path).name, type(one.problem)) for one in found] == [
        ("a.md", type(None)),
        ("in.md", type(None)),
        ("out.md", UnreadableFile),
    ]
    assert sources([str(tmp_path / "kept/out.md")])[0].problem is None
