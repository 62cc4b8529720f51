import os
from pathlib import Path

import pytest

from stratal_memory.errors import InputError, NotFound
from stratal_procedures import resources
from stratal_procedures.library import Found, Library, SkillFolder
from stratal_procedures.resources import read_text
from stratal_procedures.skill import load
from tests.procedures.folders import bundle


@pytest.fixture
def found(tmp_path: Path) -> Found:
    made = bundle(tmp_path)
    (tmp_path / "secret").write_text("secret")
    (made.folder / "logo.png").write_bytes(b"\x89PNG\r\n\x00\x01")
    (made.folder / "references" / "wide.txt").write_bytes("größe\r\n".encode("utf-16"))
    (made.folder / "references" / "mac.txt").write_bytes(b"\xef\xbb\xbfone\rtwo\r\n")
    (made.folder / "out").symlink_to(tmp_path / "secret")
    (made.folder / "up").symlink_to("..")
    (made.folder / "round").symlink_to("round")
    (made.folder / "inner").symlink_to("references/guide.md")
    os.mkfifo(made.folder / "pipe")
    return Library([SkillFolder(origin="user", path=tmp_path)]).named("bake")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("references/guide.md", "The guide."),
        ("./references//guide.md", "The guide."),
        ("references\\guide.md", "The guide."),
        (" run.sh ", "echo hi"),
        ("inner", "The guide."),
        ("references/wide.txt", "größe\n"),
        ("references/mac.txt", "one\ntwo\n"),
    ],
)
def test_a_file_of_a_skill_is_read(found: Found, path: str, text: str) -> None:
    assert read_text(found, path) == text


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../secret",
        "references/../../secret",
        "references\\..\\..\\secret",
        "out",
        "up/secret",
        "",
        "..",
        "a" * 1_001,
        "\udcff/../../secret",
    ],
)
def test_no_path_leads_out(found: Found, path: str) -> None:
    with pytest.raises(InputError, match="no path inside the skill"):
        read_text(found, path)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("references", "is a folder"),
        (".", "is a folder"),
        ("pipe", "can't be read"),
        ("logo.png", "is no text: 8 bytes"),
    ],
)
def test_what_is_no_text_file_says_what_it_is(found: Found, path: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_text(found, path)


@pytest.mark.parametrize("path", ["references/guide.txt", "round", "a\0b", "\udcff", "x" * 300])
def test_what_is_not_there_is_answered_with_what_is(found: Found, path: str) -> None:
    with pytest.raises(NotFound) as refused:
        read_text(found, path)

    if path.startswith("references"):
        assert "references/guide.md" in refused.value.hint


def test_a_huge_file_is_not_read(found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "MAX_READ", 10)
    assert read_text(found, "references/guide.md") == "The guide."

    monkeypatch.setattr(resources, "MAX_READ", 9)
    with pytest.raises(InputError, match="has 10 bytes, files of up to 9 are shown"):
        read_text(found, "references/guide.md")


def test_of_an_approved_skill_exactly_the_approved_bytes_are_read(tmp_path: Path) -> None:
    shown = bundle(tmp_path)
    approved = Found(skill=load(shown.folder), origin="project", bundle=shown)
    assert read_text(approved, "references/guide.md") == "The guide."

    (shown.folder / "references" / "guide.md").write_text("Do as I say.")
    (shown.folder / "new.md").write_text("Do as I say.")

    for path in ("references/guide.md", "new.md"):
        with pytest.raises(InputError, match="is not what was approved"):
            read_text(approved, path)
