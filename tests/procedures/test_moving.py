import os
from pathlib import Path

import pytest

from stratal_memory.errors import InputError
from stratal_procedures.bundle import read_bundle
from stratal_procedures.errors import SkillError
from stratal_procedures.moving import add_skill, export_skill, export_text, sources
from tests.procedures.folders import bundle, skill_folder


def everything(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_skill_is_copied_byte_for_byte(tmp_path: Path) -> None:
    made = bundle(tmp_path / "from")
    (made.folder / "run.sh").chmod(0o755)
    (made.folder / "inner").symlink_to("references/guide.md")
    before = read_bundle(made.folder)

    done = add_skill(made.folder, tmp_path / "mine", replace=False)

    assert done.bundle.digest == before.digest == read_bundle(tmp_path / "mine" / "bake").digest
    assert (done.skill.folder, done.replaced) == (tmp_path / "mine" / "bake", False)
    assert os.access(tmp_path / "mine" / "bake" / "run.sh", os.X_OK)
    assert everything(tmp_path / "mine")[0] == "bake"


def test_a_namesake_is_replaced_only_when_that_is_said(tmp_path: Path) -> None:
    into = tmp_path / "mine"
    old = add_skill(bundle(tmp_path / "one").folder, into, replace=False)
    new = skill_folder(tmp_path / "two", "Bake", text="Other.")

    with pytest.raises(InputError, match="a skill 'Bake' already") as refused:
        add_skill(new, into, replace=False)
    assert "--replace" in refused.value.hint
    assert read_bundle(old.bundle.folder).digest == old.bundle.digest
    done = add_skill(new, into, replace=True)

    assert done.replaced
    assert everything(into) == ["bake", "bake/SKILL.md"]
    assert done.skill.body == "Other."


def test_a_broken_skill_leaves_what_was_there(tmp_path: Path) -> None:
    into = tmp_path / "mine"
    kept = add_skill(bundle(tmp_path / "one").folder, into, replace=False)
    broken = skill_folder(tmp_path / "two", "bake")
    (broken / "out").symlink_to("/etc/passwd")

    with pytest.raises(SkillError, match="a link out of the skill's folder"):
        add_skill(broken, into, replace=True)
    (broken / "out").unlink()
    os.mkfifo(broken / "pipe")
    with pytest.raises(SkillError, match="it is no file"):
        add_skill(broken, into, replace=True)
    (broken / "SKILL.md").write_text("nothing")
    with pytest.raises(SkillError, match="does not begin with it"):
        add_skill(broken, into, replace=True)

    assert read_bundle(into / "bake").digest == kept.bundle.digest
    assert [path.name for path in into.iterdir()] == ["bake"]


def test_a_file_alone_becomes_a_folder(tmp_path: Path) -> None:
    folder = skill_folder(tmp_path)
    (folder / "beside.txt").write_text("not asked for")
    (folder / "SKILL.md").rename(folder / "baking.md")

    done = add_skill(folder / "baking.md", tmp_path / "mine", replace=False)

    assert everything(tmp_path / "mine") == ["bake", "bake/SKILL.md"]
    assert done.skill.warnings == ()


def test_what_lies_there_already_is_not_added(tmp_path: Path) -> None:
    folder = skill_folder(tmp_path / "mine")

    with pytest.raises(InputError, match="already"):
        add_skill(folder, tmp_path / "mine", replace=True)
    assert folder.is_dir()


def test_a_folder_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a file where a folder is meant")

    with pytest.raises(InputError, match="can't be written"):
        add_skill(skill_folder(tmp_path), tmp_path / "mine", replace=False)


def test_the_skills_of_a_folder_are_found(tmp_path: Path) -> None:
    one, two = skill_folder(tmp_path, "one"), skill_folder(tmp_path / "group", "two")

    assert sources(tmp_path) == [two, one]
    assert sources(one) == [one]
    assert sources(one / "SKILL.md") == [one / "SKILL.md"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no SKILL\.md lies in"):
        sources(tmp_path / "empty")
    with pytest.raises(InputError, match="no file or folder"):
        sources(tmp_path / "gone")


def test_an_exported_skill_can_be_added_again(tmp_path: Path) -> None:
    made = bundle(tmp_path / "from")

    folder = export_skill(made, tmp_path / "out")
    text = (folder / "SKILL.md").read_text()
    alone = export_text(text, tmp_path / "out", name="A/B test")

    assert read_bundle(folder).digest == made.digest
    assert everything(tmp_path / "out") == [
        "A-B-test",
        "A-B-test/SKILL.md",
        "bake",
        "bake/SKILL.md",
        "bake/references",
        "bake/references/guide.md",
        "bake/run.sh",
    ]
    assert alone.name == "A-B-test"
    with pytest.raises(InputError, match="there already"):
        export_skill(made, tmp_path / "out")


def test_what_changed_since_it_was_looked_at_is_not_exported(tmp_path: Path) -> None:
    made = bundle(tmp_path / "from")
    (made.folder / "run.sh").write_text("rm -rf /")

    with pytest.raises(SkillError, match="changed after it was looked at"):
        export_skill(made, tmp_path / "out")
    assert everything(tmp_path / "out") == []


def test_what_was_added_to_a_folder_since_is_not_exported(tmp_path: Path) -> None:
    made = bundle(tmp_path / "from")
    (made.folder / "new.md").write_text("new")

    assert read_bundle(export_skill(made, tmp_path / "out")).digest == made.digest
