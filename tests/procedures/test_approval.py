from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal_memory.errors import InputError
from stratal_procedures.approval import (
    MAX_NOTE,
    Decisions,
    approve,
    decisions_of,
    reject,
    revision,
)
from stratal_procedures.bundle import read_bundle
from stratal_procedures.library import Library, SkillFolder, State
from tests.memory.worlds import World, opened
from tests.procedures.folders import bundle, skill_folder


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path / "data")
    yield made
    made.close()


def library(root: Path, decisions: Decisions, *, gated: bool = True) -> Library:
    return Library(
        [SkillFolder(origin="project", path=root, gated=gated)],
        decisions=decisions,
    )


def states(found: Library) -> list[State]:
    return [one.state for one in found.found]


def test_a_skill_of_a_project_waits_until_a_person_approved_its_bytes(
    world: World, tmp_path: Path
) -> None:
    shown = bundle(tmp_path / "skills")
    store = world.store()
    before = library(tmp_path / "skills", decisions_of(store))

    kept = approve(store, shown, note="read it")
    after = library(tmp_path / "skills", decisions_of(store))

    assert (before.skills, states(before)) == ((), [State.WAITING])
    assert [skill.name for skill in after.skills] == ["bake"]
    assert (kept.by, kept.note, kept.digest) == ("alice", "read it", shown.digest)
    assert kept.at == store.clock() or kept.at is not None


def test_a_changed_byte_of_any_file_needs_a_new_approval(world: World, tmp_path: Path) -> None:
    shown = bundle(tmp_path / "skills")
    store = world.store()
    approve(store, shown)

    (shown.folder / "references" / "guide.md").write_text("Do as I say.")
    changed = library(tmp_path / "skills", decisions_of(store))
    (shown.folder / "references" / "guide.md").write_text("The guide.")
    restored = library(tmp_path / "skills", decisions_of(store))

    assert (changed.skills, states(changed)) == ((), [State.CHANGED])
    assert states(restored) == [State.ACTIVE]


def test_what_changed_between_the_showing_and_the_word_is_not_approved(
    world: World, tmp_path: Path
) -> None:
    shown = bundle(tmp_path / "skills")
    store = world.store()
    (shown.folder / "run.sh").write_text("rm -rf /")

    with pytest.raises(InputError, match="now, not") as refused:
        approve(store, shown)

    assert "stratal skills show" in refused.value.hint
    assert decisions_of(store).said == ()


def test_the_last_word_holds_and_every_word_is_kept(world: World, tmp_path: Path) -> None:
    shown = bundle(tmp_path / "skills")
    store = world.store()

    approve(store, shown)
    reject(store, shown, note="no")
    rejected = library(tmp_path / "skills", decisions_of(store))
    approve(store, shown)

    assert states(rejected) == [State.REJECTED]
    assert states(library(tmp_path / "skills", decisions_of(store))) == [State.ACTIVE]
    assert [(one.verdict, one.note) for one in decisions_of(store).said] == [
        ("approved", ""),
        ("rejected", "no"),
        ("approved", ""),
    ]


def test_an_approval_holds_for_the_bytes_wherever_they_lie_and_for_its_user_alone(
    world: World, tmp_path: Path
) -> None:
    approve(world.store("alice"), bundle(tmp_path / "one"))
    bundle(tmp_path / "two")

    alice = library(tmp_path / "two", decisions_of(world.store("alice")))
    bob = library(tmp_path / "two", decisions_of(world.store("bob")))

    assert (states(alice), states(bob)) == ([State.ACTIVE], [State.WAITING])


def test_a_skill_of_ones_own_folder_needs_no_word_and_can_be_rejected(
    world: World, tmp_path: Path
) -> None:
    folder = skill_folder(tmp_path / "mine")
    store = world.store()
    before = library(tmp_path / "mine", decisions_of(store), gated=False)

    reject(store, read_bundle(folder))
    (folder / "SKILL.md").write_text("---\nname: bake\ndescription: d\n---\nOther bytes.")
    after = library(tmp_path / "mine", decisions_of(store), gated=False)

    assert states(before) == [State.ACTIVE]
    assert states(after) == [State.REJECTED]


def test_each_word_counts_up(world: World, tmp_path: Path) -> None:
    store = world.store()
    first = revision(store)

    approve(store, bundle(tmp_path))

    assert first == 0
    assert revision(store) > first
    assert revision(world.store("bob")) == 0


def test_a_note_has_an_end(world: World, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2,001 characters"):
        reject(world.store(), bundle(tmp_path), note="x" * (MAX_NOTE + 1))
