"""Export, import, erase and lint as a person runs them, with their JSON and exit codes."""

import json
from pathlib import Path

from stratal.cli import lines as typed
from stratal.cli.shapes.moving import ErasePlan, EraseReceipt, Exported, ImportShape, MemoryHealth
from stratal_memory.erase import files
from tests.platform.cli.running import Run

CHAT = [
    {
        "uuid": "c1",
        "name": "Pets",
        "created_at": "2024-05-10T12:00:00Z",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "My dog is called Xanthippus.",
                "created_at": "2024-05-10T12:00:00Z",
            }
        ],
    }
]


def test_memory_moves_to_another_data_directory(stratal: Run, tmp_path: Path) -> None:
    stratal("memory", "add", "My bicycle is red")
    stratal("chat", "-m", "I live in Porto.")

    out = stratal("memory", "export", "mine.jsonl", "--json")
    into = stratal("memory", "import", "mine.jsonl", "--data", "other", "--json")
    again = stratal("memory", "import", "mine.jsonl", "--data", "other", "--json")

    exported = Exported.model_validate_json(out.out)
    assert exported.rows["message"] == 2
    assert (tmp_path / "mine.jsonl").stat().st_mode & 0o077 == 0
    report = ImportShape.model_validate_json(into.out)
    assert (into.code, report.refused, report.added) == (0, 0, exported.rows)
    assert again.json["added"] == {}
    found = stratal("memory", "search", "bicycle", "--data", "other", "--json").json["hits"]
    assert [hit["text"] for hit in found] == ["My bicycle is red"]
    piped = stratal("memory", "export", "--data", "other").out
    assert piped == (tmp_path / "mine.jsonl").read_text()


def test_an_import_tells_what_it_would_not_take(stratal: Run, tmp_path: Path) -> None:
    (tmp_path / "mem0.json").write_text(
        json.dumps(
            [
                {"id": "1", "memory": "Likes tea", "created_at": "2024-05-10", "user_id": "a"},
                {"id": "2", "memory": "Likes mud", "created_at": "2024-05-10", "user_id": "b"},
            ]
        )
    )

    ran = stratal("memory", "import", "mem0.json")

    assert ran.code == 3
    assert "of mem0's user 'b'" in ran.out
    assert "Likes tea" in stratal("memory", "list").out
    assert stratal("memory", "import", "missing.json").code == 1


def test_a_conversation_of_elsewhere_is_a_session_of_its_date(stratal: Run, tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text(json.dumps(CHAT))

    tried = stratal("memory", "import", "conversations.json", "--dry-run")
    assert "nothing was stored" in tried.err
    assert stratal("session", "list", "--json").json["sessions"] == []
    stratal("memory", "import", "conversations.json")

    (session,) = stratal("session", "list", "--json").json["sessions"]
    assert session["started"].startswith("2024-05-10")
    assert "Xanthippus" in stratal("memory", "list").out


def test_erasing_is_planned_asked_for_and_proved(stratal: Run, tmp_path: Path) -> None:
    stratal("chat", "-m", "My dog is called Xanthippus.", "--user", "alice")
    stratal("memory", "add", "My bicycle is red", "--user", "bob")

    planned = stratal("memory", "erase", "--user", "alice", "--dry-run")
    refused = stratal("memory", "erase", "--user", "alice", "--json")
    done = stratal("memory", "erase", "--user", "alice", "--yes", "--json")

    assert "of free disk" in planned.out
    assert (refused.code, "add --yes" in refused.out) == (2, True)
    receipt = EraseReceipt.model_validate_json(done.out)
    assert (done.code, receipt.clean, receipt.hits) == (0, True, ())
    assert receipt.counts["messages"] == 2
    everything = b"".join(
        path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()
    )
    assert b"Xanthippus" not in everything
    assert "bicycle" in stratal("memory", "list", "--user", "bob").out


def test_a_key_is_erased_and_an_unknown_one_is_told(stratal: Run) -> None:
    stratal("memory", "add", "My bicycle is red")
    key = stratal("memory", "list", "--json").json["memories"][0]["key"]

    gone = stratal("memory", "erase", "--key", key, "--yes")
    again = stratal("memory", "erase", "--key", key, "--yes")

    assert "no file holds any of it" in gone.out
    assert stratal("memory", "list", "--json").json["memories"] == []
    assert (again.code, "no memory" in again.err) == (1, True)


def test_what_still_says_it_is_listed_and_goes_too(stratal: Run) -> None:
    name = "Philomena Wackernagel"
    stratal("chat", "-m", f"My grandmother {name} lives in Quetzaltenango.")
    facts = stratal("memory", "list", "--json").json["memories"]
    [key] = [one["key"] for one in facts if one["facet"] == "family.grandmother"]
    others = {one["id"] for one in facts if one["form"] == "fact" and one["key"] != key}
    named = ("memory", "erase", "--key", key)

    planned = ErasePlan.model_validate_json(stratal(*named, "--dry-run", "--json").out)
    told = stratal(*named, "--dry-run").out
    stratal(*named, "--with-siblings", "--yes")

    assert {one.id for one in planned.left if one.kind == "fact"} == others
    assert "stays and still says it" in told
    assert stratal("memory", "list", "--json").json["memories"] == []


def test_a_file_that_is_not_there_is_told_once_with_a_hint(stratal: Run) -> None:
    ran = stratal("memory", "import", "/nonexistent", "--json")

    error = ran.json["error"]
    assert error["message"] == "/nonexistent can't be read: No such file or directory"
    assert "export" in error["hint"]


def test_one_fact_is_retracted_by_the_id_that_search_shows(stratal: Run) -> None:
    """Complaint 4 of MEMORY section 3: a forget command that needs ids nobody shows."""
    stratal("memory", "add", "My bicycle is red")
    shown = stratal("memory", "search", "bicycle").out
    id = next(word for word in shown.split() if word.startswith("mem_"))

    stratal("memory", "erase", "--key", id, "--yes")

    assert "bicycle" not in stratal("memory", "search", "bicycle", "--no-gate").out


def test_an_erase_that_names_nothing_is_a_usage_error(stratal: Run) -> None:
    for arguments in ((), ("--key", "a", "--source", "b"), ("--source", "b", "--with-siblings")):
        assert stratal("memory", "erase", *arguments, "--yes").code == 2
    assert "no erase was cut off" in stratal("memory", "erase", "--resume").err


def test_lint_ends_with_a_code_for_ci(stratal: Run, tmp_path: Path) -> None:
    stratal("memory", "add", "My bicycle is red")
    well = stratal("memory", "lint", "--json")
    (tmp_path / "data" / "erase.job").write_text("{}")

    ill = stratal("memory", "lint")

    assert (well.code, MemoryHealth.model_validate_json(well.out).findings) == (0, ())
    assert ill.code == 3
    assert "memory erase --resume" in ill.out


def test_files_of_a_user_are_erased_by_the_names_they_are_written_under(tmp_path: Path) -> None:
    for user in ("alice", "алиса@пример.рф", "a/../b", "x" * 200, "é" * 150):
        path = typed.history_file(tmp_path, user=user)
        assert path == tmp_path / files.TYPED / files.typed_name(user)
