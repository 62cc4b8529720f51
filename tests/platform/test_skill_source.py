"""Where skills are looked for, in which order."""

from pathlib import Path

import pytest

from stratal.settings import Settings
from stratal.skill_source import (
    SkillSource,
    built_in,
    skill_folders,
    user_folder,
    working_directory,
)
from stratal_memory.erase.files import LOCAL, typed_name
from stratal_memory.records import Trust
from stratal_memory.scopes import Principal
from stratal_procedures.library import Library, State
from stratal_procedures.skill import load
from tests.memory.worlds import World, opened
from tests.procedures.folders import skill_folder

ALICE = Principal(user="alice")


def settings_with(settings: Settings, **chosen: object) -> Settings:
    return settings.model_copy(update={"skills": settings.skills.model_copy(update=chosen)})


def test_the_first_folder_wins_from_ones_own_to_the_built_in(
    settings: Settings, tmp_path: Path
) -> None:
    # covers Cs13
    here, more = tmp_path / "here", tmp_path / "more"
    places = [
        user_folder(settings, "alice").parent / "agents" / "coach" / "skills",
        user_folder(settings, "alice"),
        more,
        here / "skills",
        here / ".claude" / "skills",
        here / ".agents" / "skills",
    ]
    for place in places:
        skill_folder(place)

    coach = Principal(user="alice", agent="coach")
    folders = skill_folders(settings_with(settings, folders=[more]), coach, here=here)
    found = Library(folders).found

    assert [one.origin for one in folders] == [
        *("agent", "user", "configured", "project", "project", "project", "built-in"),
    ]
    assert [(one.origin, one.state) for one in found if one.skill.name == "bake"] == [
        ("agent", State.ACTIVE),
        ("user", State.HIDDEN),
        ("configured", State.HIDDEN),
        ("project", State.WAITING),
        ("project", State.WAITING),
        ("project", State.WAITING),
    ]


def test_the_folders_of_a_project_may_be_left_out(settings: Settings, tmp_path: Path) -> None:
    off = settings_with(settings, project=False)

    assert not any(one.gated for one in skill_folders(off, ALICE, here=tmp_path))
    assert not any(one.gated for one in skill_folders(settings, ALICE, here=None))


def test_what_comes_with_the_program_can_be_read_and_is_as_the_format_wants_it(
    settings: Settings,
) -> None:
    skills = [load(folder) for folder in sorted(built_in().iterdir())]

    assert [skill.name for skill in skills] == ["write-skill"]
    assert [skill.warnings for skill in skills] == [()]
    found = Library(skill_folders(settings, ALICE, here=None)).found
    assert [(one.origin, one.trust) for one in found] == [("built-in", Trust.SYSTEM)]


def test_a_working_directory_that_is_gone_has_no_skills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    assert working_directory() == gone
    gone.rmdir()

    assert working_directory() is None


@pytest.fixture
def world(settings: Settings) -> World:
    return opened(settings.data)


def test_the_library_is_the_same_until_there_is_a_reason(world: World, settings: Settings) -> None:
    store = world.store()
    source = SkillSource(settings, here=None)
    first = source.library(store)

    skill_folder(user_folder(settings, "alice"))
    second = source.library(store)
    fresh = source.fresh(store)
    other = source.library(world.store("bob"))

    assert second is first
    assert [one.skill.name for one in fresh.found] == ["bake", "write-skill"]
    assert other is not first
    world.close()


def names(settings: Settings, user: str, agent: str = "main") -> list[str]:
    who = Principal(user=user, agent=agent)
    found = Library(skill_folders(settings, who, here=None)).usable
    return [one.skill.name for one in found if one.origin in ("agent", "user")]


def test_what_one_user_put_there_no_other_user_has(settings: Settings) -> None:
    home = user_folder(settings, "alice").parent
    skill_folder(home / "skills", "hers")
    skill_folder(home / "agents" / "main" / "skills", "mains")

    assert names(settings, "alice") == ["mains", "hers"]
    assert names(settings, "alice", "coach") == ["hers"]
    for other in ("bob", "Alice", "../alice", typed_name("alice"), LOCAL):
        assert names(settings, other) == []


def test_the_data_directorys_own_folders_are_of_the_user_who_is_meant_when_none_is_named(
    settings: Settings,
) -> None:
    skill_folder(settings.data / "skills", "mine")
    skill_folder(settings.data / "agents" / "main" / "skills", "mains")

    assert settings.user == LOCAL
    assert names(settings, LOCAL) == ["mains", "mine"]
    assert names(settings, "alice") == names(settings, "bob") == []
