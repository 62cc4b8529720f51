from pathlib import Path

import pytest

from stratal_memory.errors import NotFound
from stratal_memory.records import Trust
from stratal_procedures import folders as folders_module
from stratal_procedures.library import Found, Library, SkillFolder, State
from stratal_procedures.skill import parse

LEARNED = Path("learned/key/SKILL.md")
BUILT_IN = Path(__file__).parents[2] / "data" / "skills"


def write(folder: Path, name: str, *, text: str = "Do it.", more: str = "") -> Path:
    place = folder / name
    place.mkdir(parents=True)
    head = f"---\nname: {name}\ndescription: How to {name}.\n{more}\n---\n"
    (place / "SKILL.md").write_text(head + text, encoding="utf-8")
    return place


def library(tmp_path: Path) -> Library:
    return Library(
        [
            SkillFolder(origin="user", path=tmp_path / "user"),
            SkillFolder(origin="project", path=tmp_path / "project"),
            SkillFolder(origin="built-in", path=tmp_path / "built-in"),
        ]
    )


def test_the_first_folder_wins_and_the_hidden_ones_are_listed(tmp_path: Path) -> None:
    # covers Cs13
    mine = write(tmp_path / "user", "bake", text="My way.")
    write(tmp_path / "project", "bake", text="Our way.")
    write(tmp_path / "built-in", "bake", text="The old way.")
    write(tmp_path / "built-in", "clean")

    found = library(tmp_path)

    assert [(skill.name, skill.body) for skill in found.skills] == [
        ("bake", "My way."),
        ("clean", "Do it."),
    ]
    assert [(each.origin, each.skill.body, each.hidden_by) for each in found.hidden] == [
        ("project", "Our way.", mine),
        ("built-in", "The old way.", mine),
    ]


def test_a_broken_skill_is_reported_and_the_others_work(tmp_path: Path) -> None:
    broken = write(tmp_path / "user", "bake", more="enabled: perhaps")
    write(tmp_path / "user", "clean")
    write(tmp_path / "built-in", "bake", text="The old way.")

    found = library(tmp_path)

    assert [skill.name for skill in found.skills] == ["clean", "bake"]
    assert [(problem.file, problem.field) for problem in found.problems] == [
        (broken / "SKILL.md", "enabled")
    ]


def test_a_disabled_skill_switches_off_the_one_it_hides(tmp_path: Path) -> None:
    write(tmp_path / "user", "bake", more="enabled: false")
    write(tmp_path / "built-in", "bake")

    found = library(tmp_path)

    assert found.skills == ()
    assert [each.origin for each in found.hidden] == ["built-in"]
    assert not found.get("bake").enabled


def test_names_are_compared_without_case(tmp_path: Path) -> None:
    write(tmp_path / "user", "Bake")
    write(tmp_path / "built-in", "bake")

    found = library(tmp_path)

    assert [skill.name for skill in found.skills] == ["Bake"]
    assert found.get("BAKE").name == "Bake"


def test_what_is_not_a_skill_folder_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "user", ".git")
    (tmp_path / "user" / "empty").mkdir()
    (tmp_path / "user" / "README.md").write_text("hello", encoding="utf-8")
    (tmp_path / "project").write_text("a file where a folder is meant", encoding="utf-8")

    found = library(tmp_path)

    assert found.skills == ()
    assert found.problems == ()


def test_an_unknown_name_says_which_there_are(tmp_path: Path) -> None:
    write(tmp_path / "user", "bake")

    with pytest.raises(NotFound, match="no skill 'bread'") as caught:
        library(tmp_path).get("bread")

    assert "bake" in caught.value.hint


def test_the_built_in_skills_are_whole() -> None:
    found = Library([SkillFolder(origin="built-in", path=BUILT_IN)])

    assert found.problems == ()
    assert [(skill.name, len(skill.steps), len(skill.triggers)) for skill in found.skills] == [
        ("order-supplies", 7, 3),
        ("plan-weekly-rota", 7, 3),
        ("write-incident-report", 7, 3),
    ]
    assert all(skill.name == skill.folder.name for skill in found.skills)


def test_a_skill_that_nobody_approved_hides_nothing_and_is_not_there(tmp_path: Path) -> None:
    write(tmp_path / "project", "bake", text="Their way.")
    write(tmp_path / "built-in", "bake", text="The old way.")
    folders = [
        SkillFolder(origin="project", path=tmp_path / "project", gated=True),
        SkillFolder(origin="built-in", path=tmp_path / "built-in", trust=Trust.SYSTEM),
    ]

    found = Library(folders)
    alone = Library(folders[:1])

    assert [skill.body for skill in found.skills] == ["The old way."]
    assert [one.state for one in found.found] == [State.WAITING, State.ACTIVE]
    assert [one.skill.body for one in found.waiting] == ["Their way."]
    assert found.looked_up("bake").skill.body == "The old way."
    assert found.looked_up("bake", judging=True).skill.body == "Their way."
    assert found.looked_up(str(tmp_path / "project" / "bake")).skill.body == "Their way."
    with pytest.raises(NotFound, match="it is waiting") as refused:
        alone.get("bake")
    assert "stratal skills show bake" in refused.value.hint


def test_skills_may_be_grouped_and_a_folder_may_be_one_itself(tmp_path: Path) -> None:
    write(tmp_path / "user" / "kitchen" / "sweet", "bake")
    write(tmp_path / "user" / "node_modules", "clean")
    write(tmp_path / "project", "")
    (tmp_path / "project" / "SKILL.md").write_text("---\nname: fry\ndescription: d\n---\nDo it.")

    assert [skill.name for skill in library(tmp_path).skills] == ["bake", "fry"]


def test_a_linked_folder_is_read_once_however_often_it_is_named(tmp_path: Path) -> None:
    write(tmp_path / "user", "bake")
    (tmp_path / "project").symlink_to(tmp_path / "user")
    (tmp_path / "user" / "again").symlink_to(tmp_path / "user" / "bake")
    (tmp_path / "user" / "round").symlink_to(tmp_path / "user")

    assert [one.skill.name for one in library(tmp_path).found] == ["bake"]


def test_a_folder_without_end_is_cut_short_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        write(tmp_path / "user", f"s{number}")
    monkeypatch.setattr(folders_module, "MAX_FOLDERS", 4)

    found = library(tmp_path)

    assert [skill.name for skill in found.skills] == ["s0", "s1", "s2"]
    assert "over 4 folders" in str(found.problems[0])


def test_an_unknown_name_is_answered_with_the_nearest_of_many(tmp_path: Path) -> None:
    for number in range(40):
        write(tmp_path / "user", f"skill-{number:02}")
    write(tmp_path / "user", "zebra-crossing")

    with pytest.raises(NotFound) as caught:
        library(tmp_path).get("zebra-crosing")

    assert caught.value.hint.startswith("The skills are: zebra-crossing, ")
    assert caught.value.hint.endswith("and 11 more.")


def test_skills_that_lie_in_no_folder_come_last(tmp_path: Path) -> None:
    write(tmp_path / "user", "bake", text="My way.")
    learned = [
        Found(
            skill=parse(f"---\nname: {name}\ndescription: d\n---\nLearned.".encode(), file=LEARNED),
            origin="learned",
        )
        for name in ("bake", "fry")
    ]

    found = Library([SkillFolder(origin="user", path=tmp_path / "user")], more=learned)

    assert [(skill.name, skill.body) for skill in found.skills] == [
        ("bake", "My way."),
        ("fry", "Learned."),
    ]
    assert [one.state for one in found.hidden] == [State.HIDDEN]
