"""Each command's way through the real API, with its JSON shape and its picture."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stratal.cli.shapes import settling
from stratal.cli.shapes.knowledge import Ingested
from stratal.cli.shapes.memories import Hits
from stratal.cli.shapes.skills import SkillList
from stratal.context.ledger import Ledger
from stratal_memory.records import Form, Kind
from tests.platform.cli.running import Run

HANDBOOK = "# Handbook\n\n## Leave\n\nEverybody has 26 days of annual leave.\n"


@pytest.fixture
def handbook(tmp_path: Path) -> str:
    (tmp_path / "handbook.md").write_text(HANDBOOK)
    return "handbook.md"


def test_ingest_adds_once_and_then_leaves_alone(stratal: Run, handbook: str) -> None:
    first = stratal("ingest", handbook, "--json")
    second = stratal("ingest", handbook, "--json")

    Ingested.model_validate_json(first.out)
    assert [row["status"] for row in first.json["files"]] == ["added"]
    assert [row["status"] for row in second.json["files"]] == ["unchanged"]


def test_ingest_tells_why_a_file_was_refused_and_reads_the_others(
    stratal: Run, handbook: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.md").write_text("")

    ran = stratal("ingest", handbook, "empty.md", "missing.md")

    assert ran.code == 3
    assert "EmptyDocument" in ran.out
    assert "there is no 'missing.md'" in ran.out
    assert "1 added, 2 refused" in ran.out


def test_ingest_of_nothing_readable_fails(stratal: Run) -> None:
    assert stratal("ingest", "missing.md").code == 1


def test_ingest_takes_a_name_that_is_no_utf8(stratal: Run, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    (tmp_path / name).write_text(HANDBOOK)

    ran = stratal("ingest", name)

    assert ran.code == 0
    assert "1 added" in ran.out


def test_a_dry_run_stores_nothing(stratal: Run, handbook: str) -> None:
    ran = stratal("ingest", handbook, "--dry-run")

    assert ran.code == 0
    assert "dry run" in ran.err
    assert stratal("documents", "list", "--json").json == {"documents": []}


def test_a_document_is_listed_shown_and_removed(stratal: Run, handbook: str) -> None:
    stratal("ingest", handbook)
    [document] = stratal("documents", "list", "--json").json["documents"]

    assert "Handbook" in stratal("documents", "list").out
    assert "26 days" in stratal("documents", "show", document["id"], "--text").out
    assert "Leave" in stratal("documents", "show", document["id"], "--chunks").out
    assert "markdown" in stratal("documents", "show", document["id"]).out
    assert "removed" in stratal("documents", "remove", document["id"]).out
    assert "no documents yet" in stratal("documents", "list").out


def test_memory_is_added_found_shown_and_explained(stratal: Run) -> None:
    memory = stratal("memory", "add", "My bicycle is red", "--json").json["memory"]

    found = Hits.model_validate_json(stratal("memory", "search", "bicycle", "--json").out)
    assert [hit.id for hit in found.hits] == [memory["id"]]
    assert "relevant" in stratal("memory", "search", "bicycle", "--explain").out
    assert "added by hand" in stratal("memory", "list").out
    assert "“My bicycle is red”" in stratal("memory", "show", memory["key"]).out
    assert "memory.added" in stratal("memory", "why", memory["id"]).out


def test_the_gate_lets_nothing_irrelevant_through_unless_it_is_taken_away(stratal: Run) -> None:
    stratal("memory", "add", "My bicycle is red and stands in the cellar behind the boxes")

    gated = stratal("memory", "search", "orbital period of the red moon Zorblax", "--json")
    bare = stratal("memory", "search", "orbital period of the red moon Zorblax", "--no-gate")

    assert gated.json == {"hits": []}
    assert "out" in bare.out.split()


def test_a_secret_is_not_remembered(stratal: Run) -> None:
    ran = stratal("memory", "add", "my key is sk-ant-api03-" + "a1B2c3D4" * 10)

    assert ran.code == 1
    assert "secrets are not remembered" in ran.err


def test_a_kind_narrows_the_list(stratal: Run, handbook: str) -> None:
    stratal("ingest", handbook)
    stratal("memory", "add", "My bicycle is red")

    assert len(stratal("memory", "list", "--json").json["memories"]) == 1
    kinds = stratal("memory", "list", "--kind", "semantic", "--json").json["memories"]
    assert {memory["form"] for memory in kinds} == {"fact", "chunk"}


@pytest.mark.parametrize("name", [*Kind, *Form])
def test_a_kind_is_named_as_a_list_shows_it(stratal: Run, handbook: str, name: str) -> None:
    stratal("ingest", handbook)
    stratal("memory", "add", "My bicycle is red")

    found = stratal("memory", "list", "--kind", name, "--json").json["memories"]

    assert {name} >= {memory["form"] for memory in found} or name in tuple(Kind)
    assert bool(found) == (name in ("semantic", "fact", "chunk"))


def test_a_kind_that_is_none_is_answered_with_those_there_are(stratal: Run) -> None:
    ran = stratal("memory", "list", "--kind", "episodes")

    assert ran.code == 2
    assert all(f"'{name}'" in " ".join(ran.err.split()) for name in (*Kind, *Form))


def test_context_previews_without_storing(stratal: Run) -> None:
    stratal("memory", "add", "My bicycle is red")

    ran = stratal("context", "Is my bicycle red?", "--json")

    ledger = Ledger.from_json(ran.out)
    assert [one.text for one in ledger.candidates if one.verdict == "in"]
    assert stratal("session", "list", "--json").json == {"sessions": []}


def test_context_of_a_turn_is_what_was_sent(stratal: Run) -> None:
    answered = stratal("chat", "-m", "Is my bicycle red?", "--json").json

    ran = stratal("context", "--turn", answered["turn"], "--json")

    assert ran.json == answered["ledger"]


def test_context_draws_bar_sections_candidates_and_messages(stratal: Run) -> None:
    stratal("memory", "add", "My bicycle is red")

    ran = stratal("context", "Is my bicycle red?", "--messages")

    assert "PEAK" in ran.out
    assert "message" in ran.out
    assert "relevant" in ran.out
    assert "user, " in ran.out


def test_context_replays_the_request_of_a_turn(stratal: Run) -> None:
    stratal("memory", "add", "My bicycle is red")
    answered = stratal("chat", "-m", "Is my bicycle red?", "--json").json
    ledger = answered["ledger"]

    ran = stratal("context", "--turn", answered["turn"], "--request", "--json")

    assert ran.json["verified"]
    assert ran.json["digest"] == ledger["request_digest"]
    sent = ran.json["request"]
    texts = [one["text"] for one in (*sent["system"], *sent["messages"])]
    assert texts == [one["text"] for one in ledger["messages"]]
    told = stratal("context", "--turn", answered["turn"], "--request").out
    assert "the same bytes as were sent" in told
    assert "Is my bicycle red?" in told


def test_a_turn_that_is_not_what_was_sent_is_not_replayed(stratal: Run, tmp_path: Path) -> None:
    turn = stratal("chat", "-m", "Is my bicycle red?", "--json").json["turn"]
    with closing(sqlite3.connect(tmp_path / "data" / "stratal.db")) as connection:
        was, other = '"request_digest":"', '"request_digest":"0'
        connection.execute("UPDATE turns SET ledger = replace(ledger, ?, ?)", (was, other))
        connection.commit()

    ran = stratal("context", "--turn", turn, "--request")

    assert ran.code == 1
    assert "digest" in ran.err


@pytest.mark.parametrize("args", [(), ("a", "--turn", "turn_0")])
def test_context_wants_a_text_or_a_turn(stratal: Run, args: tuple[str, ...]) -> None:
    assert stratal("context", *args).code == 2


def test_context_of_an_unknown_turn_is_an_error(stratal: Run) -> None:
    assert stratal("context", "--turn", "turn_0").err.startswith("error: no turn 'turn_0'")


def test_consolidation_is_previewed_done_and_taken_back(stratal: Run) -> None:
    stratal("chat", "-m", "I'm allergic to kiwi.")

    preview = settling.Run.model_validate_json(stratal("consolidate", "--dry-run", "--json").out)
    done = settling.Run.model_validate_json(stratal("consolidate", "--json").out)
    undone = stratal("consolidate", "--undo", done.run, "--json").json

    assert preview.run == ""
    assert [change.after for change in preview.changes] == [c.after for c in done.changes]
    assert "Allergies: kiwi" in [change.after for change in done.changes]
    assert undone["run"] == done.run
    assert "was undone already" in stratal("consolidate", "--undo", done.run).err


def test_consolidation_for_everybody_reports_each(stratal: Run) -> None:
    stratal("chat", "--user", "alice", "-m", "I'm allergic to kiwi.")
    stratal("chat", "--user", "bob", "-m", "I'm allergic to nuts.")

    runs = stratal("consolidate", "--all-users", "--json").json["runs"]

    assert [run["user"] for run in runs] == ["alice", "bob"]


def test_undo_goes_with_nothing_else(stratal: Run) -> None:
    assert stratal("consolidate", "--undo", "run_0", "--dry-run").code == 2


def test_a_consolidation_is_drawn_as_a_diff(stratal: Run) -> None:
    stratal("chat", "-m", "I'm allergic to kiwi.")

    assert "Allergies: kiwi" in stratal("consolidate", "--dry-run").out
    assert "--undo run_" in stratal("consolidate").out
    assert "nothing has happened since the last run" in stratal("consolidate").out


def test_a_project_is_granted_used_and_revoked(stratal: Run) -> None:
    stratal("memory", "list", "--project", "bakery", "--user", "alice")

    granted = stratal("scope", "grant", "project:bakery", "bob", "--user", "alice", "--json").json
    seen = stratal("scope", "list", "--user", "bob", "--json").json["scopes"]
    revoked = stratal("scope", "revoke", "project:bakery", "bob", "--user", "alice", "--json").json
    again = stratal("scope", "revoke", "project:bakery", "bob", "--user", "alice")

    assert granted == {"scope": "project:bakery", "user": "bob", "allowed": True, "changed": True}
    assert seen == [{"scope": "project:bakery", "owner": "alice", "members": ["bob"]}]
    assert (revoked["allowed"], revoked["changed"]) == (False, True)
    assert again.out == "bob could not use project:bakery\n"


@pytest.mark.parametrize("scope", ["bakery", "project:", "team:x", "user:alice", "project:*"])
def test_what_is_no_scope_of_yours_can_not_be_granted(stratal: Run, scope: str) -> None:
    ran = stratal("scope", "grant", scope, "bob")

    assert ran.code == 1
    assert ran.err.startswith("error: ")
    assert "hint: " in ran.err


def test_a_conversation_is_listed_and_shown(stratal: Run) -> None:
    stratal("chat", "-m", "Hello there")
    [session] = stratal("session", "list", "--json").json["sessions"]

    assert session["messages"] == 2
    assert session["id"] in stratal("session", "list").out
    assert "Hello there" in stratal("session", "show", session["id"]).out


def test_a_conversation_of_somebody_else_is_not_shown(stratal: Run) -> None:
    session = stratal("chat", "-m", "Hello there", "--user", "alice", "--json").json["session"]

    assert "error: no session" in stratal("session", "show", session, "--user", "bob").err


@pytest.fixture
def skill(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "skills" / "order-flour"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: order-flour\ndescription: Order flour at the mill.\n"
        "triggers: ['order .{0,20}flour']\n---\nCall the mill.\n"
    )
    (tmp_path / "data" / "skills" / "bad").mkdir()
    (tmp_path / "data" / "skills" / "bad" / "SKILL.md").write_text("no header")


@pytest.mark.usefixtures("skill")
def test_skills_are_listed_with_what_is_wrong_with_the_others(stratal: Run) -> None:
    listed = SkillList.model_validate_json(stratal("skills", "list", "--json").out)

    assert [one.name for one in listed.skills] == ["order-flour", "write-skill"]
    assert len(listed.problems) == 1
    assert "Order flour at the mill." in stratal("skills", "list").out


@pytest.mark.usefixtures("skill")
def test_a_skill_is_shown_and_tried_on_a_message(stratal: Run) -> None:
    assert "Call the mill." in stratal("skills", "show", "order-flour").out
    assert "no trigger matched" in stratal("skills", "test", "hello").out
    tried = stratal("skills", "test", "order some flour", "--json").json
    assert tried["match"]["name"] == "order-flour"
    assert "there is no skill 'x'" in stratal("skills", "show", "x").err


def test_models_are_listed_with_and_without_the_word(stratal: Run) -> None:
    models = stratal("models", "--json").json["models"]

    assert models == stratal("models", "list", "--json").json["models"]
    assert {"anthropic", "openai", "offline"} <= {model["provider"] for model in models}
    assert "claude-sonnet-5-5" in stratal("models").out


def test_one_model_is_shown_by_its_name(stratal: Run) -> None:
    [model] = stratal("models", "anthropic:claude-sonnet-5-5", "--json").json["models"]
    [guess] = stratal("models", "show", "openai:something-new", "--json").json["models"]

    assert (model["window"], model["known"]) == (1_000_000, True)
    assert guess["known"] is False
    assert "was taken for openai:gpt-5" in stratal("models", "gpt-5").err
    assert stratal("models", "nope").code == 1


def test_settings_are_shown_with_where_they_were_set_and_without_keys(
    stratal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stratal.toml").write_text("[recall]\ntop_k = 3\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-hidden")

    ran = stratal("config", "show", "--json", "--user", "alice")

    origins = {row["name"]: (row["value"], row["origin"]) for row in ran.json["settings"]}
    assert origins["recall.top_k"] == (3, "stratal.toml")
    assert origins["user"] == ("alice", "the arguments")
    assert origins["embedding.model"] == ("none", "the environment")
    assert origins["context.min_history"] == (4_000, "the default")
    assert "hidden" not in ran.out
    assert "stratal.toml" in stratal("config", "show", "--origin").out
    assert "recall.top_k" in stratal("config", "show").out


def test_a_setting_that_does_not_exist_is_an_error_with_the_near_one(
    stratal: Run, tmp_path: Path
) -> None:
    (tmp_path / "stratal.toml").write_text("[recall]\ntop_kk = 3\n")

    ran = stratal("config", "show")

    assert ran.code == 1
    assert "hint: Did you mean recall.top_k?" in ran.err


def test_doctor_warns_of_a_missing_model_and_finds_nothing_wrong(stratal: Run) -> None:
    stratal("memory", "add", "My bicycle is red")

    ran = stratal("doctor", "--json")
    shown = stratal("doctor")

    checks = {check["name"]: check["ok"] for check in ran.json["checks"]}
    assert (ran.code, checks["embedding model"], checks["database"]) == (0, False, True)
    assert "stratal models pull" in shown.out


def test_doctor_fails_when_a_skill_can_not_be_read(stratal: Run, skill: None) -> None:
    ran = stratal("doctor")

    assert ran.code == 1
    assert "NO" in ran.out.split()


def test_doctor_rebuilds_the_index(stratal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAL_EMBEDDING__MODEL", "hash:384")
    stratal("memory", "add", "My bicycle is red")

    ran = stratal("doctor", "--rebuild-index", "--json")

    checks = {check["name"]: check["detail"] for check in ran.json["checks"]}
    assert checks["index rebuilt"] == "1 vectors"
    assert ran.code == 0


def test_a_job_is_listed_run_and_remembered(stratal: Run) -> None:
    stratal("chat", "-m", "I'm allergic to kiwi.")

    assert "consolidate" in stratal("jobs", "list").out
    done = stratal("jobs", "run", "consolidate", "--json")
    past = stratal("jobs", "history", "--all", "--json")

    assert done.code == 0
    assert [one["user"] for one in done.json["outcomes"]] == ["me"]
    assert len(past.json["runs"]) == 1
    assert past.json["runs"][0]["id"] in stratal("jobs", "history", "--all").out


def test_an_unknown_job_and_a_bad_schedule_are_errors(
    stratal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in ("run", "pause", "resume"):
        ran = stratal("jobs", word, "dream")
        assert (ran.code, "there is no job 'dream'" in ran.err) == (1, True)

    monkeypatch.setenv("STRATAL_JOBS__CONSOLIDATE", "at dawn")
    assert "jobs.consolidate is no cron schedule" in stratal("jobs", "list").err


def test_a_job_is_paused_and_resumed_for_all_or_for_one(stratal: Run) -> None:
    stratal("chat", "-m", "Hello there.", "--user", "bob")

    for_bob = stratal("jobs", "pause", "consolidate", "--user", "bob")
    again = stratal("jobs", "pause", "consolidate", "--user", "bob", "--json")
    bobs, everybodys = stratal("jobs", "list", "--user", "bob"), stratal("jobs", "list")
    for_all = stratal("jobs", "pause")
    stratal("jobs", "resume")
    end = stratal("jobs", "resume", "--user", "bob")

    assert "paused for bob" in for_bob.out
    assert (again.json["paused"], again.json["changed"]) == (True, False)
    assert "paused" in bobs.out
    assert "paused for bob" in everybodys.out
    assert "paused for everybody" in for_all.out
    assert "consolidate runs for bob" in end.out
    assert "paused" not in stratal("jobs", "list").out


def test_a_run_that_changed_nothing_is_folded_in_the_history(stratal: Run) -> None:
    stratal("chat", "-m", "I'm allergic to kiwi.")
    for _ in range(3):
        stratal("jobs", "run")

    folded, whole = stratal("jobs", "history"), stratal("jobs", "history", "--all")

    left_out = stratal("jobs", "history", "--json").json["empty"]
    assert left_out >= 2
    assert f"{left_out} more changed nothing: --all shows them" in folded.out
    assert "--all shows them" not in whole.out
    assert len(whole.out.splitlines()) > len(folded.out.splitlines())


def test_a_job_is_run_for_one_user_alone(stratal: Run) -> None:
    for user in ("alice", "bob"):
        stratal("chat", "-m", "I'm allergic to kiwi.", "--user", user)

    ran = stratal("jobs", "run", "--user", "bob", "--json")
    past = stratal("jobs", "history", "--all", "--user", "alice", "--json")

    assert [one["user"] for one in ran.json["outcomes"]] == ["bob"]
    assert past.json["outcomes"] == []


def test_a_damaged_database_is_an_error_that_says_what_to_do(stratal: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "stratal.db").write_bytes(b"this is no database at all" * 100)

    ran = stratal("memory", "list")

    assert ran.code == 1
    assert "hint: Keep the folder as it is" in ran.err
