"""The front door: sessions, sharing a directory, previews, and what opening refuses."""

import shutil
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select

from stratal import stores
from stratal.agent import Agent
from stratal.errors import (
    AccessDenied,
    InputError,
    MissingKey,
    NotFound,
    ProviderUnavailable,
    UnknownModel,
)
from stratal.options import Options
from stratal.providers.provider import Completion
from stratal.providers.scripted import Step
from stratal.settings import Settings, load_settings
from stratal.skill_source import user_folder
from stratal_memory.errors import DataDirectoryBusy
from stratal_memory.records import Form, Role
from stratal_memory.truth.tables import metadata
from tests.fakes.clock import FakeClock
from tests.platform.conftest import OpenAgent

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
SKILLS = Path(__file__).parents[2] / "data" / "skills"


def answers(*texts: str) -> list[Step]:
    return [Completion(text=text) for text in texts]


def rows(agent: Agent) -> dict[str, int]:
    """How many rows each table of the truth has."""
    with agent.store.read() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }


# Which conversation a message goes to.


@pytest.mark.parametrize(("minutes", "sessions"), [(59, 1), (61, 2)])
def test_the_latest_conversation_goes_on_unless_it_was_idle_for_an_hour(
    open_agent: OpenAgent, clock: FakeClock, minutes: int, sessions: int
) -> None:
    open_agent(script=answers("Hello.")).send("Hi")
    clock.pass_(minutes=minutes)

    later = open_agent(script=answers("Again."))
    later.send("Me again")

    assert len(later.sessions()) == sessions


def test_a_named_session_goes_on_however_old_it_is(open_agent: OpenAgent, clock: FakeClock) -> None:
    first = open_agent(script=answers("Hello.")).send("Hi").session
    clock.pass_(days=30)

    later = open_agent(script=answers("Again."), options=Options(user="alice", session=first))

    assert later.send("Me again").session == first


def test_a_new_session_is_begun_when_asked_for(open_agent: OpenAgent) -> None:
    first = open_agent(script=answers("Hello.")).send("Hi").session

    later = open_agent(script=answers("1", "2"), options=Options(user="alice", new_session=True))
    second, third = later.send("One").session, later.send("Two").session

    assert first != second
    assert second == third


def test_somebody_elses_session_is_not_found(open_agent: OpenAgent) -> None:
    hers = open_agent("alice", script=answers("Hello.")).send("Hi").session

    with pytest.raises(NotFound, match=hers):
        open_agent(options=Options(user="bob", session=hers)).send("Hi")


def test_a_session_with_another_agent_of_ones_own_is_not_found(open_agent: OpenAgent) -> None:
    cook = open_agent(script=answers("Hello."), options=Options(user="alice", agent="cook"))
    session = cook.send("Hi").session

    with pytest.raises(NotFound, match=session):
        open_agent(options=Options(user="alice", agent="main", session=session)).send("Hi")


def test_somebody_elses_messages_are_not_found(open_agent: OpenAgent) -> None:
    alice = open_agent("alice", script=answers("Hello."))
    alice.send("My secret plan")
    (hers,) = alice.sessions()

    with pytest.raises(NotFound):
        open_agent("bob").messages(hers)


def test_agents_of_one_user_have_their_own_conversations(open_agent: OpenAgent) -> None:
    open_agent(script=answers("Hello.")).send("Hi")

    cook = open_agent(options=Options(user="alice", agent="cook"))

    assert cook.sessions() == []


def test_a_cut_off_turn_goes_on_in_its_own_conversation(
    open_agent: OpenAgent, clock: FakeClock
) -> None:
    agent = open_agent(script=[*answers("One."), ProviderUnavailable("overloaded")])
    session = agent.send("First").session
    with pytest.raises(ProviderUnavailable):
        agent.send("Second", request_id="r2")
    clock.pass_(hours=5)

    later = open_agent(script=answers("Two."))
    reply = later.send("Second", request_id="r2")

    assert reply.session == session
    seen = [line.text for line in reply.ledger.messages if line.role != Role.CONTEXT]
    assert seen[-3:] == ["First", "One.", "Second"]
    assert len(later.sessions()) == 1


# Sharing a data directory.


def test_two_agents_of_a_process_share_the_database(open_agent: OpenAgent) -> None:
    alice, bob = open_agent("alice"), open_agent("bob")

    assert alice.store.database is bob.store.database


def test_closing_twice_takes_the_database_from_nobody(settings: Settings) -> None:
    alice = Agent.open_with(Options(user="alice"), settings)
    bob = Agent.open_with(Options(user="bob"), settings)

    alice.close()
    alice.close()

    assert bob.send("Hello").text
    bob.close()


def test_what_can_not_be_opened_leaves_nothing_open(
    open_agent: OpenAgent, settings: Settings
) -> None:
    alice = open_agent("alice", options=Options(user="alice", project="rocket"))

    with pytest.raises(AccessDenied):
        Agent.open_with(Options(user="bob", project="rocket"), settings)

    assert alice.store.database.users == 1


# Previews.


def test_a_preview_stores_nothing(open_agent: OpenAgent, settings: Settings) -> None:
    agent = open_agent(script=answers("Noted."))
    agent.send("My sister's name is Eva.")
    shutil.copytree(SKILLS, user_folder(settings, "alice"))  # found after the first turn
    before = rows(fresh := open_agent())

    ledger = fresh.preview("What is my sister's name?")

    assert rows(fresh) == before
    assert "Eva" in "".join(line.text for line in ledger.messages)


def test_a_preview_shows_the_skill_that_the_message_will_bring(
    open_agent: OpenAgent, settings: Settings
) -> None:
    shutil.copytree(SKILLS, user_folder(settings, "alice"))
    agent = open_agent(script=answers("Let me see."))
    message = "Plan the weekly rota for next week"

    ahead = agent.preview(message)
    sent = agent.send(message)

    assert sent.procedure == "plan-weekly-rota"
    assert any("rota" in line.text for line in ahead.messages if line.role == Role.CONTEXT)


def test_a_preview_is_what_the_message_then_sends(open_agent: OpenAgent) -> None:
    agent = open_agent(script=answers("Hello.", "Fine."))
    agent.send("Hi")

    ahead = agent.preview("How are you?")
    sent = agent.send("How are you?")

    assert [line.text for line in ahead.messages] == [line.text for line in sent.ledger.messages]


def test_a_preview_before_the_first_word_begins_no_conversation(open_agent: OpenAgent) -> None:
    agent = open_agent()

    agent.preview("Hello")

    assert agent.sessions() == []


# What else goes through the door.


def test_documents_given_to_an_agent_are_found_and_cited(open_agent: OpenAgent) -> None:
    agent = open_agent()

    report = agent.ingest(SAMPLES / "handbook.md")
    found = agent.search("annual leave days", forms=(Form.CHUNK,))
    reply = agent.send("How many days of annual leave do I get?")

    assert [row.path for row in report.files if row.error] == []
    assert "leave" in found[0].memory.text.lower()
    assert reply.citations


def test_documents_of_one_user_are_not_found_by_another(open_agent: OpenAgent) -> None:
    open_agent("alice").ingest(SAMPLES / "handbook.md")

    assert open_agent("bob").search("annual leave days", gate=False) == []


def test_a_consolidation_can_be_looked_at_made_and_taken_back(open_agent: OpenAgent) -> None:
    agent = open_agent()
    agent.send("My name is Anna.")

    ahead = agent.consolidate(dry_run=True)
    untouched = agent.profile.render()
    done = agent.consolidate()
    profile = agent.profile.render()
    agent.undo(done.run)

    assert (ahead.run, untouched) == ("", "")
    assert [change.after for change in ahead.changes] == [change.after for change in done.changes]
    assert "Anna" in profile
    assert agent.profile.render() == ""


def test_a_consolidation_of_somebody_else_can_not_be_taken_back(open_agent: OpenAgent) -> None:
    alice = open_agent("alice")
    alice.send("My name is Anna.")
    run = alice.consolidate().run

    with pytest.raises(NotFound, match=run):
        open_agent("bob").undo(run)


# What opening refuses.


def test_a_project_of_somebody_else_is_refused(open_agent: OpenAgent) -> None:
    open_agent(options=Options(user="alice", project="rocket"))

    with pytest.raises(AccessDenied, match="belongs to somebody else") as caught:
        open_agent(options=Options(user="bob", project="rocket"))

    assert "stratal scope grant" in caught.value.hint


def test_an_unknown_provider_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel) as caught:
        Agent.open("alice", model="mystery:model", data=tmp_path)

    assert "anthropic:" in caught.value.hint


@pytest.mark.parametrize(
    ("model", "variable"),
    [("anthropic:claude-sonnet-5-5", "ANTHROPIC_API_KEY"), ("openai:gpt-6-sol", "OPENAI_API_KEY")],
)
def test_a_missing_key_names_the_variable_to_set(tmp_path: Path, model: str, variable: str) -> None:
    with pytest.raises(MissingKey, match=variable) as caught:
        Agent.open("alice", model=model, data=tmp_path)

    assert f"Set {variable}" in caught.value.hint
    assert not list(tmp_path.glob("*.db"))


def test_model_and_data_go_before_given_settings(settings: Settings, tmp_path: Path) -> None:
    keyed = settings.model_copy(update={"anthropic_key": SecretStr("sk-ant-test")})

    with Agent.open(
        "alice", model="anthropic:claude-haiku-4-5", data=str(tmp_path / "other"), settings=keyed
    ) as agent:
        assert str(agent.model) == "anthropic:claude-haiku-4-5"
        assert agent.store.database.folder == tmp_path / "other"


def test_a_message_over_the_limit_is_refused_before_anything_is_stored(
    open_agent: OpenAgent, settings: Settings
) -> None:
    short = settings.model_copy(
        update={"turn": settings.turn.model_copy(update={"longest_message": 10})}
    )
    agent = open_agent(script=answers("Fine."), with_settings=short)

    with pytest.raises(InputError, match="11 characters, 10 are allowed") as caught:
        agent.send("a" * 11)

    assert "stratal ingest" in caught.value.hint
    assert agent.sessions() == []
    assert agent.send("a" * 10).text == "Fine."


# Without an embedding model.


def test_an_agent_without_a_model_searches_words_and_embeds_once_one_is_there(
    open_agent: OpenAgent, settings: Settings
) -> None:
    wordy = load_settings({"data": settings.data}, environment={"STRATAL_EMBEDDING__MODEL": "none"})
    agent = open_agent(with_settings=wordy)
    agent.send("Remember that the spare key is under the blue pot.")
    by_words = agent.search("spare key")
    without = rows(agent)["vectors"]
    agent.close()

    later = open_agent(with_settings=settings)
    later.consolidate()

    assert "blue pot" in by_words[0].memory.text
    assert without == 0
    assert rows(later)["vectors"] > 0
    assert "blue pot" in later.search("spare key")[0].memory.text


def test_an_agent_opens_while_somebody_writes_for_long(
    open_agent: OpenAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> int:
        raise DataDirectoryBusy("locked", holders=())

    monkeypatch.setattr(stores, "embed_backlog", busy)  # patched: the real wait is ten seconds

    assert open_agent().facts.known() == []
