"""`stratal skills` as a person uses it."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.cli.shapes.skills import (
    SkillDecided,
    SkillExported,
    SkillHistory,
    SkillList,
    SkillsAdded,
    SkillShown,
    SkillTest,
)
from stratal.options import Options
from tests.fakes.clock import FakeClock
from tests.platform.cli.running import Run
from tests.platform.ordering import TOOLS, order_and_leave, works
from tests.platform.talking import Talker, configured
from tests.procedures.folders import bundle, skill_folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A skill of the working directory, with a reference and a script."""
    return bundle(tmp_path / ".claude" / "skills").folder


class Answering:
    """A person at the keyboard who says one thing."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return -1

    def readline(self, limit: int = -1) -> str:
        return f"{self.answer}\n"


def digest_of(stratal: Run, name: str) -> str:
    return SkillShown.model_validate_json(stratal("skills", "show", name, "--json").out).digest


def states(stratal: Run) -> dict[str, str]:
    listed = SkillList.model_validate_json(stratal("skills", "list", "--json").out)
    return {skill.name: skill.state for skill in listed.skills}


@pytest.mark.usefixtures("project")
def test_a_found_skill_waits_and_the_list_says_what_to_do(stratal: Run) -> None:
    listed = stratal("skills", "list")

    assert "waits for approval" in listed.out
    assert "1 waits for your word; read it first: stratal skills show bake" in listed.out
    assert "they wait for approval: bake" in stratal("skills", "test", "bake").out


@pytest.mark.usefixtures("project")
def test_all_of_it_is_shown_with_the_command_that_approves_it(stratal: Run) -> None:
    shown = stratal("skills", "show", "bake").out

    for text in ("Do it.", "The guide.", "echo hi", "--- references/guide.md (10 bytes"):
        assert text in shown
    assert f"stratal skills approve bake {digest_of(stratal, 'bake')}" in shown


def test_what_does_not_print_is_seen(stratal: Run, tmp_path: Path) -> None:
    skill_folder(tmp_path / "skills", text="Do\u202e it.\u200b\x1b[2J")

    assert r"Do\u202e it.\u200b\x1b[2J" in stratal("skills", "show", "bake").out


def test_the_digest_that_was_shown_approves_and_another_does_not(
    stratal: Run, project: Path
) -> None:
    shown = digest_of(stratal, "bake")
    (project / "run.sh").write_text("rm -rf /")

    refused = stratal("skills", "approve", "bake", shown)
    before = states(stratal)["bake"]
    done = stratal("skills", "approve", "bake", digest_of(stratal, "bake"), "--json")
    after = states(stratal)["bake"]
    (project / "run.sh").write_text("echo hi")

    assert refused.code == 1
    assert "is not the digest of what 'bake' holds now" in refused.err
    assert "stratal skills show bake" in refused.err
    assert SkillDecided.model_validate_json(done.out).verdict == "approved"
    assert (before, after, states(stratal)["bake"]) == ("waiting", "active", "changed")


@pytest.mark.usefixtures("project")
def test_nothing_is_approved_unseen(stratal: Run) -> None:
    for extra in ((), ("--json",)):
        refused = stratal("skills", "approve", "bake", *extra)
        assert refused.code == 1
        assert "nothing is approved unseen" in refused.out + refused.err
    assert states(stratal)["bake"] == "waiting"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("answer", "state"), [("y", "active"), ("n", "waiting"), ("", "waiting")])
def test_a_person_at_the_keyboard_is_shown_everything_and_asked(
    stratal: Run, monkeypatch: pytest.MonkeyPatch, answer: str, state: str
) -> None:
    monkeypatch.setattr(sys, "stdin", Answering(answer))

    asked = stratal("skills", "approve", "bake", "--note", "read it")

    assert "echo hi" in asked.out
    assert states(stratal)["bake"] == state


@pytest.mark.usefixtures("project")
def test_every_word_is_in_the_history(stratal: Run) -> None:
    stratal("skills", "approve", "bake", digest_of(stratal, "bake"), "--note", "fine")
    stratal("skills", "reject", "bake", "--note", "not any more")

    found = SkillHistory.model_validate_json(stratal("skills", "history", "--json").out)
    table = stratal("skills", "history", "bake").out

    assert [(one.what, one.by, one.note) for one in found.events] == [
        ("rejected", "me", "not any more"),
        ("approved", "me", "fine"),
    ]
    assert "not any more" in table
    assert states(stratal)["bake"] == "rejected"
    assert "stratal skills approve bake" in stratal("skills", "show", "bake").out


@pytest.mark.usefixtures("project")
def test_a_history_is_empty_for_a_skill_that_is_there_and_an_error_for_no_skill(
    stratal: Run,
) -> None:
    empty = stratal("skills", "history", "bake")
    unknown = stratal("skills", "history", "other")
    shown = stratal("skills", "show", "other")

    assert (empty.code, "nothing was said" in empty.out) == (0, True)
    assert (unknown.code, unknown.err) == (1, shown.err)
    assert "other" in unknown.err


def test_what_needs_no_word_says_so(stratal: Run) -> None:
    refused = stratal("skills", "approve", "write-skill", "0" * 64)

    assert refused.code == 1
    assert "needs no approval: it is active" in refused.err


def test_a_skill_is_added_once_and_replaced_when_that_is_said(stratal: Run, tmp_path: Path) -> None:
    folder = skill_folder(tmp_path / "from", text="Old.")
    added = stratal("skills", "add", str(folder), "--json")
    (folder / "SKILL.md").write_text("---\nname: bake\ndescription: d\n---\nNew.")

    refused = stratal("skills", "add", str(folder))
    replaced = stratal("skills", "add", str(folder), "--replace")

    [one] = SkillsAdded.model_validate_json(added.out).added
    assert (one.name, one.replaced, one.folder) == (
        "bake",
        False,
        tmp_path / "data" / "skills" / "bake",
    )
    assert "already" in refused.err
    assert "--replace" in refused.err
    assert "replaced bake: 1 file" in replaced.out
    assert "New." in stratal("skills", "show", "bake").out
    assert "added from" in stratal("skills", "history", "bake").out


def test_of_a_folder_of_skills_the_good_ones_are_added_and_the_others_told(
    stratal: Run, tmp_path: Path
) -> None:
    skill_folder(tmp_path / "from", "good")
    skill_folder(tmp_path / "from", "bad", more="enabled: perhaps")

    ran = stratal("skills", "add", "from")

    assert ran.code == 1
    assert "added good" in ran.out
    assert "'perhaps' is neither true nor false" in ran.out
    assert states(stratal) == {"good": "active", "write-skill": "active"}
    assert stratal("skills", "add", "from/bad").code == 1
    assert "no file or folder" in stratal("skills", "add", "gone").err


def test_an_added_skill_that_was_rejected_is_used_again(stratal: Run, tmp_path: Path) -> None:
    folder = skill_folder(tmp_path / "from")
    stratal("skills", "add", str(folder))
    stratal("skills", "reject", "bake")
    rejected = states(stratal)["bake"]
    stratal("skills", "add", str(folder), "--replace")

    assert (rejected, states(stratal)["bake"]) == ("rejected", "active")


@pytest.mark.usefixtures("project")
def test_a_skill_is_exported_and_added_elsewhere(stratal: Run, tmp_path: Path) -> None:
    ran = stratal("skills", "export", "bake", "out", "--json")

    assert SkillExported.model_validate_json(ran.out).folder == Path("out/bake")
    assert (tmp_path / "out" / "bake" / "references" / "guide.md").read_text() == "The guide."
    assert "there already" in stratal("skills", "export", "bake", "out").err


def test_a_tried_message_shows_the_threshold_and_every_candidate(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAL_EMBEDDING__MODEL", "hash:384")
    skill_folder(tmp_path / "data" / "skills", more="triggers: ['bake .{0,20}bread']")

    by_words = SkillTest.model_validate_json(
        stratal("skills", "test", "Please BAKE some bread", "--json").out
    )
    by_meaning = stratal("skills", "test", "how to bake").out
    monkeypatch.setenv("STRATAL_SKILLS__MATCH", "false")
    off = stratal("skills", "test", "bake bread").out

    assert by_words.match is not None
    assert (by_words.match.name, by_words.match.score) == ("bake", 1.0)
    assert by_words.match.why == "a trigger matched 'BAKE some bread'"
    assert [one.name for one in by_words.candidates] == ["bake", "write-skill"]
    assert "similarity" in by_meaning
    assert "0.45" in by_meaning
    assert "skills.match is off" in off


def test_a_skill_without_a_model_to_compare_says_what_to_do(stratal: Run) -> None:
    assert "stratal models pull" in stratal("skills", "test", "hello").out


def test_another_user_decides_for_themselves(stratal: Run, project: Path) -> None:
    stratal("skills", "approve", "bake", digest_of(stratal, "bake"))

    bobs = stratal("skills", "list", "--user", "bob", "--json")

    found = SkillList.model_validate_json(bobs.out)
    assert {one.name: one.state for one in found.skills}["bake"] == "waiting"


def test_what_one_user_adds_no_other_has_and_none_overwrites(stratal: Run, tmp_path: Path) -> None:
    # covers Os18
    hers = skill_folder(tmp_path / "hers", text="Hers.", more="triggers: ['bake .{0,20}bread']")
    his = skill_folder(tmp_path / "his", text="His.")
    stratal("skills", "add", str(hers), "--user", "alice")

    before = stratal("skills", "show", "bake", "--user", "bob")
    tested = stratal("skills", "test", "bake bread", "--user", "bob", "--json")
    stratal("skills", "add", str(his), "--replace", "--user", "bob")

    assert "there is no skill 'bake'" in before.err
    assert SkillTest.model_validate_json(tested.out).match is None
    assert "Hers." in stratal("skills", "show", "bake", "--user", "alice").out
    assert "His." in stratal("skills", "show", "bake", "--user", "bob").out
    assert "there is no skill 'bake'" in stratal("skills", "show", "bake").err


def test_a_skill_may_be_named_by_its_folder(stratal: Run, project: Path, tmp_path: Path) -> None:
    skill_folder(tmp_path / "data" / "skills", text="Mine.")

    assert "Mine." in stratal("skills", "show", "bake").out
    assert "echo hi" in stratal("skills", "show", ".claude/skills/bake").out


def ordered_long_ago(data: Path) -> None:
    """The user did the same three times, and nothing was said after it."""
    options, clock = Options(user="me", tools=TOOLS), FakeClock(datetime(2025, 5, 4, tzinfo=UTC))
    with Agent.open_with(options, configured(data), provider=Talker(works), clock=clock) as agent:
        order_and_leave(agent)


def test_the_list_settles_what_silence_ended_and_shows_the_draft_that_waits(
    stratal: Run, tmp_path: Path
) -> None:
    ordered_long_ago(tmp_path / "data")

    listed = stratal("skills", "list")

    [name] = [name for name, state in states(stratal).items() if state == "draft"]
    assert f"1 waits for your word; read it first: stratal skills show {name}" in listed.out
    tested = SkillTest.model_validate_json(stratal("skills", "test", "order it", "--json").out)
    assert tested.waiting == (name,)


def test_the_list_drafts_nothing_where_learning_is_off(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered_long_ago(tmp_path / "data")
    monkeypatch.setenv("STRATAL_SKILLS__LEARN", "false")

    assert "draft" not in states(stratal).values()
