import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stratal_procedures import bundle as bundling
from stratal_procedures.bundle import Item, read_bundle, read_entry
from stratal_procedures.errors import SkillError
from tests.procedures.folders import bundle, skill_folder


def touch_guide(folder: Path) -> None:
    (folder / "references" / "guide.md").write_text("The guide!")


def add_file(folder: Path) -> None:
    (folder / "references" / ".hidden").write_text("")


def rename(folder: Path) -> None:
    (folder / "run.sh").rename(folder / "run2.sh")


def link_instead(folder: Path) -> None:
    (folder / "run.sh").unlink()
    (folder / "run.sh").symlink_to("references/guide.md")


def swap(folder: Path) -> None:
    guide, run = folder / "references" / "guide.md", folder / "run.sh"
    first, second = guide.read_text(), run.read_text()
    guide.write_text(second)
    run.write_text(first)


def one_byte_of_the_skill(folder: Path) -> None:
    with (folder / "SKILL.md").open("a") as stream:
        stream.write(" ")


@pytest.mark.parametrize(
    "change", [touch_guide, add_file, rename, link_instead, swap, one_byte_of_the_skill]
)
def test_any_change_below_the_folder_gives_another_digest(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    before = bundle(tmp_path)

    change(before.folder)

    assert read_bundle(before.folder).digest != before.digest


def test_the_same_bytes_elsewhere_have_the_same_digest(tmp_path: Path) -> None:
    here, there = bundle(tmp_path / "a"), bundle(tmp_path / "b")
    (there.folder / "empty").mkdir()

    assert here.digest == read_bundle(there.folder).digest
    assert len(here.digest) == 64
    assert here.skill().name == "bake"
    assert here.size == sum(entry.size for entry in here.entries)


def test_links_are_never_followed_and_pipes_never_opened(tmp_path: Path) -> None:
    folder = skill_folder(tmp_path)
    (tmp_path / "secret").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "root").symlink_to("/")
    os.mkfifo(folder / "pipe")

    found = {entry.path: entry.item for entry in read_bundle(folder).entries}

    assert found == {
        "SKILL.md": Item.FILE,
        "out": Item.LINK,
        "pipe": Item.OTHER,
        "root": Item.LINK,
    }


def test_a_skill_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    real = skill_folder(tmp_path, "real")
    (tmp_path / "bake").mkdir()
    (tmp_path / "bake" / "SKILL.md").symlink_to(real / "SKILL.md")

    with pytest.raises(SkillError, match="not a file of its own"):
        read_bundle(tmp_path / "bake")


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bundle(tmp_path).folder  # 3 files, 2 folders

    monkeypatch.setattr(bundling, "MAX_FILES", 3)
    assert len(read_bundle(folder).entries) == 3
    monkeypatch.setattr(bundling, "MAX_FILES", 2)
    with pytest.raises(SkillError, match="over 2 files"):
        read_bundle(folder)
    monkeypatch.setattr(bundling, "MAX_FILES", 1)
    with pytest.raises(SkillError, match="over 1 f"):
        read_bundle(folder)


def test_a_skill_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bundle(tmp_path).folder
    monkeypatch.setattr(bundling, "MAX_SIZE", 40)

    with pytest.raises(SkillError, match="over 0 MB"):
        read_bundle(folder)


def test_folders_as_deep_as_they_come_are_read(tmp_path: Path) -> None:
    folder = skill_folder(tmp_path)
    made = [folder]
    while len(made) <= 1_200 and len(str(made[-1])) < 3_900:
        made.append(made[-1] / "d")
        made[-1].mkdir()

    entries = read_bundle(folder).entries
    for one in reversed(made[1:]):  # deeper than what removes the folders of tests can go
        one.rmdir()

    assert len(made) > 1_000
    assert len(entries) == 1


def test_what_changed_after_the_look_is_not_taken(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    entry = made.entry("references/guide.md")
    assert entry is not None
    assert read_entry(made.folder, entry) == b"The guide."

    touch_guide(made.folder)

    with pytest.raises(SkillError, match="changed after it was looked at"):
        read_entry(made.folder, entry)
    assert made.entry("nothing") is None
