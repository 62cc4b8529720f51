"""Where skills are looked for, and the one that a message brings."""

import shutil
from pathlib import Path

import pytest

from stratal.providers.provider import Completion
from stratal.settings import Settings, load_settings
from stratal.skills import bundled, find_skill, open_library
from stratal_memory.records import Form, Role
from tests.platform.conftest import OpenAgent

MESSAGE = "Plan the weekly rota for next week"


def write_skill(folder: Path, name: str, *, steps: str = "1. Do it.", told: str = "") -> None:
    (folder / name).mkdir(parents=True)
    description = told or f"How to {name.replace('-', ' ')} in the bakery."
    (folder / name / "SKILL.md").write_text(
        f'---\nname: {name}\ndescription: {description}\ntriggers: ["{name.replace("-", " ")}"]\n'
        f"---\n\n{steps}\n"
    )


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `./skills` in the working directory is nobody's word."""
    monkeypatch.chdir(tmp_path)


def test_the_users_own_skill_goes_before_configured_ones_and_a_found_one_is_not_trusted(
    tmp_path: Path,
) -> None:
    data, configured = tmp_path / "data", tmp_path / "more"
    for folder, steps in (
        (data / "skills", "1. Mine."),
        (configured, "1. Configured."),
        (tmp_path / "skills", "1. Whoever wrote it."),
    ):
        write_skill(folder, "bake-bread", steps=steps)

    library = open_library(data, [configured])

    assert [found.origin for found in library.found] == ["user", "configured"]
    assert [skill.instructions().strip() for skill in library.skills] == ["1. Mine."]


def test_a_checkout_has_the_samples() -> None:
    assert (bundled("samples") / "handbook.md").is_file()
    assert (bundled("skills") / "plan-weekly-rota" / "SKILL.md").is_file()


def test_a_message_brings_the_skill_that_fits(open_agent: OpenAgent, settings: Settings) -> None:
    shutil.copytree(bundled("skills"), settings.data / "skills")
    agent = open_agent(script=[Completion(text="Let me see.")])

    reply = agent.send(MESSAGE)

    assert reply.procedure == "plan-weekly-rota"


def test_a_message_that_fits_no_skill_brings_none(
    open_agent: OpenAgent, settings: Settings
) -> None:
    shutil.copytree(bundled("skills"), settings.data / "skills")
    agent = open_agent(script=[Completion(text="A planet?")])

    assert agent.send("What is the orbital period of Zorblax?").procedure == ""


def test_without_an_embedding_model_triggers_still_match(
    open_agent: OpenAgent, settings: Settings
) -> None:
    write_skill(settings.data / "skills", "bake-bread")
    wordy = load_settings({"data": settings.data}, environment={"STRATAL_EMBEDDING__MODEL": "none"})
    agent = open_agent(script=[Completion(text="Let me see.")], with_settings=wordy)

    assert agent.send("How do I bake bread here?").procedure == "bake-bread"


@pytest.mark.parametrize("keep", [True, False])
def test_looking_without_keeping_finds_the_same_and_stores_nothing(
    open_agent: OpenAgent, settings: Settings, keep: bool
) -> None:
    shutil.copytree(bundled("skills"), settings.data / "skills")
    agent = open_agent()

    found = find_skill(
        agent.store, agent.library, "who works on which day next week", threshold=0.0, keep=keep
    )
    again = find_skill(
        agent.store, agent.library, "who works on which day next week", threshold=0.0
    )

    assert [(one.skill.name, round(one.score, 5)) for one in found.considered] == [
        (one.skill.name, round(one.score, 5)) for one in again.considered
    ]


def test_steps_that_are_too_long_become_a_pointer(
    open_agent: OpenAgent, settings: Settings
) -> None:
    write_skill(settings.data / "skills", "bake-bread", steps="1. Knead the dough.\n" * 500)
    agent = open_agent(script=[Completion(text="Let me see.")])

    reply = agent.send("bake bread")

    shown = "\n".join(m.text for m in reply.ledger.messages if m.role == Role.CONTEXT)
    assert reply.procedure == "bake-bread"
    assert "The steps are too long to stand here" in shown
    assert "Knead" not in shown


def test_a_cap_of_0_shows_no_procedure(open_agent: OpenAgent, settings: Settings) -> None:
    write_skill(settings.data / "skills", "bake-bread")
    none = settings.model_copy(
        update={"context": settings.context.model_copy(update={"procedure": 0})}
    )
    agent = open_agent(script=[Completion(text="Let me see.")], with_settings=none)

    assert agent.send("bake bread").procedure == ""


def test_the_descriptions_of_skills_are_kept_for_each_agent_once(
    open_agent: OpenAgent, settings: Settings
) -> None:
    write_skill(settings.data / "skills", "bake-bread")
    agent = open_agent(script=[Completion(text="1"), Completion(text="2")])

    agent.send("bake bread")
    agent.send("bake bread")

    assert len(agent.facts.known(forms=(Form.SKILL,))) == 1


def test_a_skill_that_can_not_be_read_is_said_and_stops_nothing(
    open_agent: OpenAgent, settings: Settings
) -> None:
    write_skill(settings.data / "skills", "bake-bread")
    (settings.data / "skills" / "broken").mkdir()
    (settings.data / "skills" / "broken" / "SKILL.md").write_text("no frontmatter")
    agent = open_agent(script=[Completion(text="Let me see.")])

    assert agent.send("bake bread").procedure == "bake-bread"
    assert [problem for problem in agent.library.problems if "broken" in str(problem)]
