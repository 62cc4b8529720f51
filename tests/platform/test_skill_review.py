"""A skill before a person, in a folder or learned: shown is what is judged."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal.errors import InputError
from stratal.settings import Settings
from stratal.skill_history import history
from stratal.skill_review import Wish, approve, reject, reviewed
from stratal.skill_source import SkillSource, user_folder
from stratal_memory.store import Store
from stratal_procedures import shelf
from stratal_procedures.errors import SkillError
from stratal_procedures.library import Library
from tests.memory.worlds import World, opened
from tests.procedures.folders import bundle, skill_folder

LEARNED = "---\nname: fry\ndescription: How to fry.\n---\nFry it."


@pytest.fixture
def world(settings: Settings) -> Iterator[World]:
    made = opened(settings.data)
    yield made
    made.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path / "here"


def library(settings: Settings, store: Store, here: Path) -> Library:
    return SkillSource(settings, here=here).fresh(store)


def test_every_file_is_shown_and_the_digest_stands_for_all_of_them(
    world: World, settings: Settings, here: Path
) -> None:
    made = bundle(here / "skills")
    (made.folder / "logo.png").write_bytes(b"\x89PNG\0")
    (made.folder / "out").symlink_to("/etc/passwd")
    store = world.store()

    shown = reviewed(store, library(settings, store, here), "bake")
    files = shown.files()

    assert [(file.path, file.item, file.text) for file in files] == [
        ("SKILL.md", "file", "---\nname: bake\ndescription: How to bake.\n\n---\nDo it."),
        ("logo.png", "file", None),
        ("out", "link", None),
        ("references/guide.md", "file", "The guide."),
        ("run.sh", "file", "echo hi"),
    ]
    assert (shown.state, shown.origin) == ("waiting", "project")


def test_the_word_is_on_the_digest_that_was_shown(
    world: World, settings: Settings, here: Path
) -> None:
    bundle(here / "skills")
    store = world.store()
    shown = reviewed(store, library(settings, store, here), "bake", Wish.APPROVE)

    for wrong in ("", shown.digest[:12], shown.digest[:-1] + "g"):
        with pytest.raises(InputError, match="is not the digest") as refused:
            approve(store, shown, wrong)
        assert shown.digest not in f"{refused.value} {refused.value.hint}"
    approve(store, shown, f" {shown.digest.upper()} ", note="fine")
    kept = reviewed(store, library(settings, store, here), "bake").state
    reject(store, shown, note="no")

    assert kept == "active"
    assert reviewed(store, library(settings, store, here), "bake").state == "rejected"
    assert [(one.name, one.what, one.by, one.note) for one in history(store)] == [
        ("bake", "rejected", "alice", "no"),
        ("bake", "approved", "alice", "fine"),
    ]


def test_what_is_swapped_after_the_showing_is_refused(
    world: World, settings: Settings, here: Path
) -> None:
    made = bundle(here / "skills")
    store = world.store()
    shown = reviewed(store, library(settings, store, here), "bake", Wish.APPROVE)
    (made.folder / "run.sh").write_text("rm -rf /")

    with pytest.raises(SkillError, match="changed after it was looked at"):
        shown.files()
    with pytest.raises(InputError, match="now, not"):
        approve(store, shown, shown.digest)


def test_a_learned_procedure_is_shown_and_judged_in_the_same_way(
    world: World, settings: Settings, here: Path
) -> None:
    store = world.store()
    key = shelf.write(store, LEARNED).key
    draft = shelf.edit(store, key, LEARNED.replace("Fry it.", "Fry it well."))

    shown = reviewed(store, library(settings, store, here), key, Wish.APPROVE)
    with pytest.raises(InputError):
        approve(store, shown, "0" * 64)
    approve(store, shown, draft.digest, note="better")

    assert [file.text for file in shown.files()] == [draft.text]
    used = library(settings, store, here).named("fry")
    assert (used.skill.body, used.origin) == ("Fry it well.", "learned")
    reject(store, shown)
    assert [one.skill.name for one in library(settings, store, here).found] == ["write-skill"]
    assert {one.name for one in history(store, "FRY")} == {"fry"}
    assert history(store, "other") == []


def test_what_waits_is_meant_when_judging_and_what_is_used_when_looking(
    world: World, settings: Settings, here: Path
) -> None:
    skill_folder(user_folder(settings, "alice"), text="Mine.")
    skill_folder(here / ".agents" / "skills", text="Theirs.")
    store = world.store()
    known = library(settings, store, here)

    assert reviewed(store, known, "bake").skill.body == "Mine."
    assert reviewed(store, known, "bake", Wish.APPROVE).skill.body == "Theirs."
    assert reviewed(store, known, str(here / ".agents/skills/bake")).skill.body == "Theirs."


def test_ones_own_skill_that_is_too_large_to_judge_is_still_shown(
    world: World, settings: Settings, here: Path
) -> None:
    folder = skill_folder(user_folder(settings, "alice"))
    (folder / "SKILL.md").rename(folder / "other.md")
    (folder / "SKILL.md").symlink_to("other.md")
    store = world.store()
    known = library(settings, store, here)

    shown = reviewed(store, known, "bake")

    assert (shown.digest, shown.files()) == ("", ())
    assert "not a file of its own" in shown.problem
    with pytest.raises(SkillError):
        reviewed(store, known, "bake", Wish.APPROVE)
