"""`stratal skills` and what was learned: its versions, its proof, and its history."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratal.cli.shapes.skills import (
    LearnedShape,
    SkillDecided,
    SkillHistory,
    SkillList,
    SkillShape,
    SkillShown,
    SkillTest,
)
from stratal_memory.truth.procedures import StoredProcedure
from stratal_procedures import counting, shelf
from tests.memory.worlds import World, opened
from tests.platform.cli.running import Run
from tests.procedures.folders import skill_folder
from tests.procedures.practising import Practice

GOODS = ("flour", "butter", "yeast")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = opened(tmp_path / "data")
    yield made
    made.close()


@pytest.fixture
def practice(world: World) -> Practice:
    return Practice(world.store("me"))


def order(practice: Practice, product: str, answer: str = "thanks", name: str = "") -> None:
    steps = [(tool, {"product": product}) for tool in ("find", "check", "note")]
    used = counting.in_use(practice.store, name) if name else None
    practice.done(f"Please order {product} for the shop", steps, answer=answer, used=used)


def learn(practice: Practice) -> StoredProcedure:
    for product in GOODS:
        order(practice, product)
    return shelf.list_drafts(practice.store)[-1]


def approved(practice: Practice) -> StoredProcedure:
    draft = learn(practice)
    return shelf.approve(practice.store, draft.key, draft.digest, note="fine")


def listed(stratal: Run) -> list[SkillShape]:
    found = SkillList.model_validate_json(stratal("skills", "list", "--json").out)
    return [one for one in found.skills if one.origin == "learned"]


def shown(stratal: Run, name: str) -> SkillShown:
    return SkillShown.model_validate_json(stratal("skills", "show", name, "--json").out)


def did(one: LearnedShape | None) -> tuple[int, int, int, int, str]:
    assert one is not None
    return one.uses, one.good, one.bad, one.needed, f"{one.bound:.2f}"


def test_probation_is_seen_in_the_list_and_where_it_is_shown(
    stratal: Run, practice: Practice
) -> None:
    name = approved(practice).name
    for _ in range(3):
        order(practice, "milk", name=name)

    [one] = listed(stratal)
    table = " ".join(stratal("skills", "list").out.split())

    assert "probation 3/5, bound 0.47" in table
    assert (one.state, did(one.learned)) == ("probation", (3, 3, 0, 5, "0.47"))
    assert "probation 3/5, bound 0.47" in stratal("skills", "show", name).out
    told = shown(stratal, name).skill
    assert (told.state, did(told.learned)) == ("probation", (3, 3, 0, 5, "0.47"))


def test_what_proved_itself_is_active_and_a_failure_is_told(
    stratal: Run, practice: Practice
) -> None:
    name = approved(practice).name
    for answer in ("thanks",) * 5 + ("no, wrong",):
        order(practice, "milk", answer, name)

    [one] = listed(stratal)

    assert (one.state, did(one.learned)[:3]) == ("active", (6, 5, 1))
    assert "active, 1 failed, bound 0.48" in stratal("skills", "show", name).out


def failed(practice: Practice, name: str) -> None:
    for _ in range(2):
        order(practice, "milk", "no, wrong", name)


def test_of_two_versions_the_list_names_both_and_each_is_shown_and_judged(
    stratal: Run, practice: Practice
) -> None:
    first = approved(practice)
    failed(practice, first.name)
    second = learn(practice)

    before = [(one.name, one.state, one.learned and one.learned.version) for one in listed(stratal)]
    table = stratal("skills", "list").out
    old = shown(stratal, f"{first.name}@1")
    done = stratal("skills", "reject", f"{first.name}@1", "--note", "never again", "--json")
    after = [(one.state, one.learned and one.learned.version) for one in listed(stratal)]

    assert before == [(first.name, "replaced", 1), (first.name, "draft", 2)]
    waits = f"1 waits for your word; read it first: stratal skills show {first.name}@2"
    assert waits in " ".join(table.split())
    assert (old.digest, old.skill.state) == (first.digest, "replaced")
    assert shown(stratal, first.name).digest == second.digest
    assert SkillDecided.model_validate_json(done.out).digest == first.digest
    assert after == [("rejected", 1), ("draft", 2)]


def test_a_version_that_is_not_there_is_told_with_those_that_are(
    stratal: Run, practice: Practice
) -> None:
    first = approved(practice)

    one = stratal("skills", "show", f"{first.name}@9")
    failed(practice, first.name)
    learn(practice)
    two = stratal("skills", "show", f"{first.key}@9")

    assert one.code == two.code == 1
    assert f"{first.name!r} has no version 9; there is: 1" in " ".join(one.err.split())
    assert f"{first.key!r} has no version 9; there are: 1, 2" in " ".join(two.err.split())


def test_the_digest_that_was_shown_of_an_older_version_approves_that_one(
    stratal: Run, practice: Practice
) -> None:
    first = approved(practice)
    failed(practice, first.name)
    learn(practice)

    digest = shown(stratal, f"{first.name}@1").digest
    done = stratal("skills", "approve", first.name, digest)

    assert done.code == 0
    assert [(one.state, one.learned and one.learned.version) for one in listed(stratal)] == [
        ("probation", 1),
        ("draft", 2),
    ]


def test_a_draft_that_waits_is_rejected_before_what_is_in_use(
    stratal: Run, practice: Practice
) -> None:
    first = approved(practice)
    shelf.edit(practice.store, first.key, f"{first.text}\nBe quick.\n")

    stratal("skills", "reject", first.name)
    between = {one.learned and one.learned.version: one.state for one in listed(stratal)}
    stratal("skills", "reject", first.name)

    assert between == {1: "probation", 2: "rejected"}
    assert {one.state for one in listed(stratal)} == {"rejected"}


def test_the_history_has_one_line_a_change_with_who_did_it(
    stratal: Run, practice: Practice
) -> None:
    first = approved(practice)
    failed(practice, first.name)
    learn(practice)

    told = SkillHistory.model_validate_json(stratal("skills", "history", "--json").out).events

    assert [(one.version, one.what, one.by) for one in told] == [
        (2, "drafted", "practice"),
        (1, "demoted", "practice"),
        (1, "approved", "me"),
        (1, "drafted", "practice"),
    ]
    assert "it failed" in told[1].note
    assert f"{first.name}@2" in " ".join(stratal("skills", "history", first.name).out.split())


def test_a_skill_out_of_use_that_a_trigger_would_have_brought_is_named(
    stratal: Run, practice: Practice, tmp_path: Path
) -> None:
    draft = learn(practice)
    skill_folder(tmp_path / "skills", "shopping", more="triggers: ['order .{0,20}for']")
    skill_folder(tmp_path / "skills", "other", more="triggers: ['xanadu']")
    started = "triggers: ['order']\ndisable-model-invocation: true"
    skill_folder(tmp_path / "skills", "by-hand", more=started)
    stratal("skills", "reject", draft.name)

    message = "Please order rye for the shop"
    told = SkillTest.model_validate_json(stratal("skills", "test", message, "--json").out)
    text = " ".join(stratal("skills", "test", message).out.split())

    assert told.match is None
    assert [(one.name, one.state) for one in told.out_of_use] == [
        ("shopping", "waiting"),
        (draft.name, "rejected"),
    ]
    assert "would have matched by a trigger: 'order rye for'" in text
    assert f"{draft.name} is rejected" in text
    assert stratal("skills", "test", "hello", "--json").json["out_of_use"] == []
