from pathlib import Path

from stratal_procedures.listing import MAX_LISTED, of_bundle, of_folder
from tests.procedures.folders import bundle, skill_folder


def test_the_files_beside_a_skill_are_listed_with_their_sizes(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    (made.folder / ".git").mkdir()
    (made.folder / ".git" / "config").write_text("x")
    (made.folder / "link").symlink_to("run.sh")

    listed = of_folder(made.folder)

    assert listed.files == (("references/guide.md", 10), ("run.sh", 7))
    assert listed == of_bundle(made)


def test_of_very_many_files_the_first_are_named(tmp_path: Path) -> None:
    folder = skill_folder(tmp_path)
    for number in range(MAX_LISTED + 5):
        (folder / f"{number:03}.md").write_text("x")

    listed = of_folder(folder)

    assert len(listed.files) == MAX_LISTED
    assert listed.more == 5


def test_a_folder_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    assert of_folder(tmp_path / "gone").files == ()
