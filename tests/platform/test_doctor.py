"""The checks of `stratal doctor`, on directories that are well and on some that are not."""

import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from stratal import doctor, stores
from stratal.agent import Agent
from stratal.doctor import Check, examine
from stratal.settings import Settings, load_settings
from stratal.skill_source import user_folder
from stratal_memory.embedding.embedder import Generation
from stratal_memory.erase import job
from stratal_memory.erase.target import Target
from stratal_memory.scopes import Principal
from stratal_memory.truth import generations
from tests.platform.conftest import OpenAgent


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


@pytest.fixture
def wordy(settings: Settings) -> Settings:
    return load_settings({"data": settings.data}, environment={"STRATAL_EMBEDDING__MODEL": "none"})


def test_a_fresh_directory_is_well(open_agent: OpenAgent) -> None:
    checks = examine(open_agent())

    assert [check.name for check in checks if not check.ok] == []
    assert list(by_name(checks)) == [
        "database",
        "disk",
        "embedding model",
        "embedding backlog",
        "index",
        "full text",
        "skills",
        "model",
        "token counting",
    ]


def test_the_database_and_the_model_are_named(open_agent: OpenAgent, settings: Settings) -> None:
    checks = by_name(examine(open_agent()))

    assert str(settings.data) in checks["database"].detail
    assert "check: ok" in checks["database"].detail
    assert "no model is connected" in checks["model"].detail


def test_a_missing_embedding_model_is_a_warning_that_says_what_to_do(
    open_agent: OpenAgent, wordy: Settings
) -> None:
    agent = open_agent(with_settings=wordy)
    agent.send("Remember that the spare key is under the blue pot.")

    checks = by_name(examine(agent))

    model, backlog = checks["embedding model"], checks["embedding backlog"]
    assert (model.ok, model.warning) == (False, True)
    assert "stratal models pull" in model.hint
    assert (backlog.ok, backlog.warning) == (False, True)
    assert backlog.detail.startswith("2 memories wait")  # the fact and the message


def test_what_waits_for_a_model_is_embedded_by_looking(
    open_agent: OpenAgent, settings: Settings, wordy: Settings
) -> None:
    open_agent(with_settings=wordy).send("Remember that the spare key is under the blue pot.")

    checks = by_name(examine(open_agent(with_settings=settings)))

    assert checks["embedding backlog"].ok
    assert checks["index"].detail.startswith("2 of 2 vectors, 0 changes wait")


OWNER = """
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from stratal.agent import Agent
from stratal.options import Options
from stratal.doctor import examine
from stratal.settings import load_settings

settings = load_settings(
    {"data": Path(sys.argv[1])}, environment={"STRATAL_EMBEDDING__MODEL": "hash:384"}
)
with Agent.open_with(Options(user="alice"), settings) as agent:
    agent.send("Remember that the spare key is under the blue pot.")
    examine(agent)
    print("owned", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def owner_of_the_index(data: Path) -> Generator[None]:
    """Another process that keeps the index of `data` open, with two memories in it."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(data)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "owned\n"
    yield
    owner.communicate("done\n", timeout=30)


def test_an_index_that_was_lost_is_seen_and_made_anew(
    open_agent: OpenAgent, settings: Settings
) -> None:
    with owner_of_the_index(settings.data):
        pass
    (folder,) = [path for path in (settings.data / "chroma").iterdir() if path.is_dir()]
    shutil.rmtree(folder)
    agent = open_agent()

    seen = by_name(examine(agent))
    found = agent.search("spare key")
    mended = by_name(examine(agent, rebuild_index=True))

    assert not seen["index"].ok
    assert "--rebuild-index" in seen["index"].hint
    assert "blue pot" in found[0].memory.text
    assert mended["index rebuilt"].detail == "2 vectors"
    assert mended["index"].ok


def test_an_index_of_another_process_is_left_alone_and_that_is_said(
    open_agent: OpenAgent, settings: Settings
) -> None:
    with owner_of_the_index(settings.data):
        checks = by_name(examine(open_agent(), rebuild_index=True))

    assert not checks["index rebuilt"].ok
    assert "another process" in checks["index rebuilt"].detail
    assert "Stop the other" in checks["index rebuilt"].hint
    assert checks["index"].ok


def test_progress_of_a_rebuild_is_told(open_agent: OpenAgent) -> None:
    agent = open_agent()
    agent.send("Remember that the spare key is under the blue pot.")
    seen: list[tuple[int, int]] = []

    examine(agent, rebuild_index=True, on_progress=lambda done, total: seen.append((done, total)))

    assert seen[-1] == (2, 2)


def test_a_skill_that_can_not_be_read_is_said(open_agent: OpenAgent, settings: Settings) -> None:
    broken = user_folder(settings, "alice") / "broken"
    broken.mkdir(parents=True)
    (broken / "SKILL.md").write_text("no frontmatter")

    check = by_name(examine(open_agent()))["skills"]

    assert not check.ok
    assert "broken" in check.detail
    assert check.hint


def test_a_full_disk_is_said_before_writes_fail(
    open_agent: OpenAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    # patched: no test fills a disk
    monkeypatch.setattr(doctor, "LOW_SPACE", 2**60)

    check = by_name(examine(open_agent()))["disk"]

    assert (check.ok, check.hint) == (False, "Free some space: writes fail when the disk is full.")


@pytest.mark.parametrize(
    ("model", "guess"), [("anthropic:claude-sonnet-5-5", False), ("anthropic:claude-novel-9", True)]
)
def test_a_model_that_is_not_in_the_table_is_a_guess(
    settings: Settings, model: str, guess: bool
) -> None:
    keyed = load_settings(
        {"data": settings.data, "model": model},
        environment={"STRATAL_EMBEDDING__MODEL": "none", "ANTHROPIC_API_KEY": "sk-ant-test"},
    )

    with Agent.open("alice", settings=keyed) as agent:
        check = by_name(examine(agent))["model"]

    assert check.ok
    assert ("a guess" in check.detail) is guess
    assert "sk-ant-test" not in check.detail


@pytest.fixture
def other_model(settings: Settings) -> Settings:
    return load_settings(
        {"data": settings.data}, environment={"STRATAL_EMBEDDING__MODEL": "hash:96"}
    )


def remembering(agent: Agent, count: int) -> None:
    for number in range(count):
        agent.facts.add(f"The spare key number {number} is under the blue pot.")


def test_a_change_of_the_embedding_model_is_told_with_how_far_it_is(
    open_agent: OpenAgent, other_model: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    # patched: as many memories as one start embeds would be slow to write
    monkeypatch.setattr(stores, "OPENING", 1)
    monkeypatch.setattr(doctor, "SOME", 1)
    remembering(open_agent(), 4)
    agent = open_agent(with_settings=other_model)

    check = by_name(examine(agent))["embedding model"]
    finished = by_name(examine(agent, reembed=True))

    assert (check.ok, check.warning) == (False, True)
    assert check.detail == (
        "hash@1/384 serves until everything is embedded by hash@1/96; 2 of 4 done"
    )
    assert "--reembed" in check.hint
    assert finished["embedding model"].ok
    assert finished["embedding model"].detail == "hash@1/96"
    assert finished["embedding backlog"].detail == (
        "2 memories embedded now, 4 vectors of former models removed"
    )
    assert finished["index"].detail.startswith("4 of 4 vectors")


def test_progress_of_embedding_anew_counts_all_of_it(
    open_agent: OpenAgent, other_model: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "OPENING", 1)  # patched: see above
    remembering(open_agent(), 3)
    seen: list[tuple[int, int]] = []

    examine(
        open_agent(with_settings=other_model),
        reembed=True,
        on_progress=lambda done, total: seen.append((done, total)),
    )

    assert seen == [(3, 3)]


def test_a_model_that_is_gone_is_named(
    open_agent: OpenAgent, other_model: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "OPENING", 1)  # patched: see above
    monkeypatch.setattr(doctor, "SOME", 1)
    agent = open_agent()
    remembering(agent, 4)
    with agent.store.database.write() as connection:
        gone = Generation(model="gone", revision="1", dimension=384, setting="onnx:/no/such/model")
        generations.serve(connection, gone, number=agent.store.generation)

    check = by_name(examine(open_agent(with_settings=other_model)))["embedding model"]

    assert (check.ok, check.warning) == (False, True)
    assert check.detail == (
        "gone@1/384 is gone: hash@1/96 finds what it has embedded, words find the rest; 2 of 4 done"
    )


def test_an_erase_that_was_cut_off_is_told(open_agent: OpenAgent, settings: Settings) -> None:
    agent = open_agent()
    bob = Target.everything_of(Principal(user="bob"))
    job.Job(target=bob, done=["rows", "index"], texts=["my secret"]).save(settings.data)

    check = by_name(examine(agent))["erase"]

    assert not check.ok
    assert not check.warning
    assert "rows, index" in check.detail
    assert "memory erase --resume" in check.hint
    assert "bob" not in f"{check.detail} {check.hint}"
    assert "secret" not in f"{check.detail} {check.hint}"


def test_a_note_of_an_erase_that_can_not_be_read_is_told(
    open_agent: OpenAgent, settings: Settings
) -> None:
    agent = open_agent()
    (settings.data / job.FILE_NAME).write_text("{")

    check = by_name(examine(agent))["erase"]

    assert not check.ok
    assert "can't be read" in check.detail
    assert check.hint


def test_full_text_that_drifted_is_told_and_made_anew(open_agent: OpenAgent) -> None:
    agent = open_agent()
    agent.facts.add("The user plays the oboe.")
    with agent.store.write() as journal:
        journal.connection.execute(text("DELETE FROM full_text"))

    told = by_name(examine(agent))["full text"]
    mended = by_name(examine(agent, rebuild_index=True))["full text"]

    assert (told.ok, told.detail) == (False, "1 memories missing, 0 rows too many")
    assert "--rebuild-index" in told.hint
    assert mended.ok
    assert [hit.memory.text for hit in agent.search("oboe")] == ["The user plays the oboe."]
