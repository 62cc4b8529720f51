"""The way of a message, on real SQLite, with a scripted model."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.context.request import Request
from stratal.context.sections import SUMMARY_HEAD
from stratal.errors import (
    AccessDenied,
    ContextBudgetError,
    ContextOverflow,
    InputError,
    NotFound,
    ProviderUnavailable,
    TurnInProgress,
)
from stratal.options import Options
from stratal.providers.provider import Completion, StopReason, Usage
from stratal.reply import Told, ToolRan
from stratal.settings import Settings, load_settings
from stratal.tools.tool import tool
from stratal_memory.embedding.embedder import Embedder, Generation, Vectors
from stratal_memory.learning.gate import Fate
from stratal_memory.records import Form, Role, Scope, ScopeKind, Status, ToolCall
from stratal_memory.truth import access, archiving
from tests.fakes.clock import FakeClock
from tests.platform.conftest import OpenAgent


class Broken:
    """An embedder that fails on the rules' reading of texts with one word."""

    def __init__(self, inner: Embedder, *, word: str) -> None:
        self.inner, self.word = inner, word

    @property
    def generation(self) -> Generation:
        return self.inner.generation

    def embed(self, texts: Sequence[str]) -> Vectors:
        if len(texts) > 1 and any(self.word in text for text in texts):
            raise RuntimeError("the model gave up")
        return self.inner.embed(texts)


def called(name: str, arguments: str, id: str = "call-1") -> Completion:
    return Completion(
        text="",
        tool_calls=(ToolCall(id=id, name=name, arguments=arguments),),
        stop=StopReason.TOOLS,
        usage=Usage(input=10, output=5),
    )


def said(text: str) -> Completion:
    return Completion(text=text, usage=Usage(input=20, output=3))


def test_a_message_and_its_answer_become_history(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("Good morning.")])

    reply = agent.send("Hello")

    history = agent.messages(agent.session())
    assert reply.text == "Good morning."
    assert [(m.role, m.text) for m in history] == [
        (Role.USER, "Hello"),
        (Role.ASSISTANT, "Good morning."),
    ]


def test_the_answer_streams_in_pieces_before_the_reply(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("one two three four five six seven")])

    *pieces, _ = agent.stream("Count")

    told = [event.text for event in pieces if isinstance(event, Told)]
    assert "".join(told) == "one two three four five six seven"
    assert len(told) > 1


def test_a_tool_call_is_run_and_its_result_goes_back_to_the_model(open_agent: OpenAgent) -> None:
    agent = open_agent(
        script=[called("memory_save", '{"text": "The user plays the cello."}'), said("Noted.")]
    )

    events = list(agent.stream("Please keep what I told you"))

    ran = [event for event in events if isinstance(event, ToolRan)]
    assert [(event.name, event.failed) for event in ran] == [("memory_save", False)]
    assert "The user plays the cello." in [fact.text for fact in agent.facts.known()]
    roles = [message.role for message in agent.messages(agent.session())]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


@pytest.mark.parametrize(
    ("name", "arguments", "complaint"),
    [
        ("no_such_tool", "{}", "there is no tool"),
        ("memory_save", "{not json", "not a JSON object"),
        ("memory_save", '{"words": 1}', "the arguments don't fit"),
        ("memory_save", '{"text": ""}', "nothing to remember"),
    ],
)
def test_what_is_wrong_with_a_tool_call_is_told_to_the_model(
    open_agent: OpenAgent, name: str, arguments: str, complaint: str
) -> None:
    agent = open_agent(script=[called(name, arguments), said("I see.")])

    events = list(agent.stream("Try it"))

    (ran,) = [event for event in events if isinstance(event, ToolRan)]
    assert ran.failed
    assert complaint in ran.result


def test_a_server_that_counts_its_calls_anew_every_turn_is_understood(
    open_agent: OpenAgent,
) -> None:
    search = called("memory_search", '{"query": "tea"}', id="call_0")
    agent = open_agent(script=[search, said("One."), search, said("Two.")])
    agent.send("First")

    reply = agent.send("Second")

    calls = [call.id for m in agent.messages(agent.session()) for call in m.tool_calls]
    assert reply.text == "Two."
    assert len(set(calls)) == 2


def test_a_turn_stops_at_its_step_limit_with_words_that_say_so(
    open_agent: OpenAgent, settings: Settings
) -> None:
    endless = [called("memory_search", '{"query": "tea"}', id=f"c{i}") for i in range(8)]
    agent = open_agent(script=endless)

    reply = agent.send("Loop")

    assert "limit of 8" in reply.text
    assert agent.messages(agent.session())[-1].role is Role.ASSISTANT


def test_an_overflow_compresses_once_and_tries_again(open_agent: OpenAgent) -> None:
    overflow = ContextOverflow("prompt is too long")
    agent = open_agent(script=[said("1"), said("2"), overflow, said("after")])
    first = "We moved to Ghent in May. " * 40
    agent.send(first)
    agent.send("We like it there. " * 40)

    reply = agent.send("third")

    assert reply.text == "after"
    texts = [line.text for line in reply.ledger.messages]
    assert first.strip() not in texts
    assert any(text.startswith(SUMMARY_HEAD) and "Ghent" in text for text in texts)
    assert agent.messages(agent.session())[0].text == first  # history stays


def test_a_third_overflow_in_one_turn_is_raised(open_agent: OpenAgent) -> None:
    overflow = ContextOverflow("prompt is too long")
    agent = open_agent(script=[said("1"), said("2"), overflow, overflow, overflow])
    agent.send("first")
    agent.send("second")

    with pytest.raises(ContextOverflow):
        agent.send("third")


def test_a_failed_call_keeps_the_message_and_the_next_one_goes_through(
    open_agent: OpenAgent,
) -> None:
    agent = open_agent(script=[ProviderUnavailable("overloaded"), said("Here again.")])

    with pytest.raises(ProviderUnavailable):
        agent.send("Are you there?")
    reply = agent.send("And now?")

    assert reply.text == "Here again."
    assert [m.text for m in agent.messages(agent.session())] == [
        "Are you there?",
        "And now?",
        "Here again.",
    ]


def test_the_same_request_id_gives_the_same_answer_and_makes_one_turn(
    open_agent: OpenAgent,
) -> None:
    agent = open_agent(script=[said("Once.")])

    first = agent.send("Hello", request_id="r1")
    again = agent.send("Hello", request_id="r1")

    assert (again.text, again.turn, again.repeated) == ("Once.", first.turn, True)
    assert len(agent.messages(agent.session())) == 2


@pytest.mark.parametrize("fails", [False, True])
def test_a_request_id_of_another_message_is_refused_and_changes_nothing(
    open_agent: OpenAgent, *, fails: bool
) -> None:
    step = ProviderUnavailable("overloaded") if fails else said("Once.")
    agent = open_agent(script=[step, said("Later.")])
    with suppress(ProviderUnavailable):
        agent.send("Pay Ann", request_id="r1")
    before = agent.messages(agent.session())

    with pytest.raises(InputError, match="'r1' was another message") as refused:
        agent.send("Pay Bob", request_id="r1")

    assert "request id of its own" in refused.value.hint
    assert agent.messages(agent.session()) == before
    assert agent.send("Pay Ann", request_id="r1").text == ("Later." if fails else "Once.")


def test_the_same_secret_is_the_same_message_once_it_is_redacted(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("Once.")])
    text = "My key is sk-ant-api03-" + "A1b2C3d4" * 10

    agent.send(text, request_id="r1")

    assert agent.send(text, request_id="r1").repeated


def test_a_request_whose_words_were_archived_says_so(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("Once.")])
    agent.send("Hello", request_id="r1")
    with agent.store.write() as journal:
        archiving.clear(journal.connection, [agent.session().id])

    with pytest.raises(InputError, match="'r1' were archived"):
        agent.send("Hello", request_id="r1")


def test_a_turn_that_failed_goes_on_under_its_request_id(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[ProviderUnavailable("overloaded"), said("Done.")])
    with pytest.raises(ProviderUnavailable):
        agent.send("Hello", request_id="r1")

    reply = agent.send("Hello", request_id="r1")

    assert reply.text == "Done."
    assert [m.text for m in agent.messages(agent.session())] == ["Hello", "Done."]


def test_people_may_say_the_same_thing_twice(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("Yes."), said("Still yes.")])

    agent.send("Sure?")
    reply = agent.send("Sure?")

    assert reply.text == "Still yes."
    assert len(agent.messages(agent.session())) == 4


def test_giving_up_half_way_leaves_a_usable_conversation(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[said("a long answer in many pieces, word by word"), said("Fine.")])
    stream = agent.stream("Begin")
    next(stream)
    stream.close()  # what a cancelled `for` does

    reply = agent.send("Again")

    assert reply.text == "Fine."


def test_the_ledger_of_a_turn_is_kept_and_replays_to_the_same_request(
    open_agent: OpenAgent,
) -> None:
    agent = open_agent(script=[said("Hello.")])

    reply = agent.send("Hi")

    stored = agent.ledger(reply.turn)
    assert stored == reply.ledger
    assert stored.request().messages[-1].text == "Hi"


def test_somebody_elses_ledger_is_not_found(open_agent: OpenAgent) -> None:
    turn = open_agent("alice", script=[said("Hello.")]).send("Hi").turn
    bob = open_agent("bob", script=[])

    with pytest.raises(NotFound):
        bob.ledger(turn)


def test_a_fact_of_one_session_is_recalled_in_the_next(open_agent: OpenAgent) -> None:
    agent = open_agent()
    agent.send("My sister's name is Eva.")
    agent.start_session()

    reply = agent.send("What is my sister's name?")

    assert "Eva" in reply.text
    assert [c.quote for c in reply.citations if "Eva" in c.quote]


def test_bob_never_sees_what_alice_said(open_agent: OpenAgent) -> None:
    open_agent("alice").send("Remember that my locker code is in the blue notebook.")
    bob = open_agent("bob")

    reply = bob.send("Where is the locker code?")

    assert reply.ledger.candidates == ()
    assert "blue notebook" not in reply.text
    found = bob.search("locker code blue notebook", gate=False)
    assert {candidate.memory.scope.id for candidate in found} == {"bob"}


def test_a_nonsense_question_recalls_nothing(open_agent: OpenAgent) -> None:
    agent = open_agent()
    agent.send("Remember that my locker code is in the blue notebook.")
    agent.start_session()

    reply = agent.send("What is the orbital period of Zorblax?")

    assert reply.ledger.request().recalled == ()
    assert reply.text.startswith("I have nothing on that.")


def test_a_secret_in_a_message_never_reaches_the_disk(
    open_agent: OpenAgent, settings: Settings
) -> None:
    key = "sk-ant-api03-" + "A1b2C3d4" * 10
    agent = open_agent(script=[said("I can't use that.")])

    reply = agent.send(f"My key is {key}, remember that.")

    assert reply.redacted
    agent.close()
    on_disk = b"".join(p.read_bytes() for p in settings.data.rglob("*") if p.is_file())
    assert key.encode() not in on_disk


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_message_is_refused(open_agent: OpenAgent, text: str) -> None:
    with pytest.raises(InputError, match="empty"):
        open_agent().send(text)


@pytest.mark.parametrize("text", ["a\x00b", "lone \ud800 surrogate", "\u202eevil", "🥐" * 50])
def test_any_text_is_kept_and_answered(open_agent: OpenAgent, text: str) -> None:
    agent = open_agent(script=[said("Fine.")])

    assert agent.send(text).text == "Fine."
    assert len(agent.messages(agent.session())) == 2


def test_a_message_of_a_megabyte_is_kept_whole_and_refused_for_a_small_window(
    open_agent: OpenAgent, settings: Settings
) -> None:
    agent = open_agent(script=[said("Fine.")])
    text = "word " * 200_000

    with pytest.raises(ContextBudgetError, match="the window has"):
        agent.send(text)

    assert agent.messages(agent.session())[0].text == text


def test_a_megabyte_is_answered_when_the_window_is_large_enough(
    open_agent: OpenAgent, settings: Settings
) -> None:
    large = load_settings(
        {"data": settings.data},
        environment={
            "STRATAL_EMBEDDING__MODEL": "none",
            "STRATAL_CONTEXT__WINDOW": "2000000",
        },
    )
    agent = open_agent(script=[said("Fine.")], with_settings=large)

    assert agent.send("word " * 200_000).text == "Fine."


@pytest.mark.parametrize("user", ["anna@example.com", "Анна", "👩‍🍳", "o'brien"])
def test_any_name_can_be_a_user(open_agent: OpenAgent, user: str) -> None:
    agent = open_agent(user)
    agent.send("My name is Anna.")

    assert agent.facts.known()[0].scope.id == user


KILLED = """
import os, signal, sys
from pathlib import Path
from stratal.agent import Agent
from stratal.options import Options
from stratal.settings import load_settings

class Killed:
    name = "scripted"
    def stream(self, request):
        print("acknowledged", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        yield

settings = load_settings(
    {"data": Path(sys.argv[1])}, environment={"STRATAL_EMBEDDING__MODEL": "none"}
)
agent = Agent.open_with(Options(user="alice"), settings, provider=Killed())
agent.send("I moved to Porto in May 2026.", request_id="r1")
"""


def test_kill_9_between_message_and_answer_loses_nothing(
    tmp_path: Path, settings: Settings
) -> None:
    # promise 1
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(settings.data)],
        capture_output=True,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert b"acknowledged" in done.stdout

    with Agent.open_with(Options(user="alice"), settings) as agent:
        (session,) = agent.sessions()
        assert [m.text for m in agent.messages(session)] == ["I moved to Porto in May 2026."]
        reply = agent.send("I moved to Porto in May 2026.", request_id="r1")

        assert [fact.value for fact in agent.facts.known()] == ["Porto"]
        assert [m.role for m in agent.messages(session)] == [Role.USER, Role.ASSISTANT]
        assert reply.turn


def test_what_a_crash_left_out_of_memory_is_taken_in_later(
    open_agent: OpenAgent, settings: Settings
) -> None:
    agent = open_agent(script=[ProviderUnavailable("overloaded")])
    with pytest.raises(ProviderUnavailable):
        agent.send("My cat's name is Miso.")

    later = open_agent(script=[])

    assert [fact.value for fact in later.facts.known()] == ["Miso"]
    found = later.search("Miso", forms=(Form.MESSAGE,))
    assert [candidate.memory.text for candidate in found] == ["My cat's name is Miso."]


def test_a_request_that_is_being_answered_is_not_answered_a_second_time(
    open_agent: OpenAgent,
) -> None:
    other = open_agent(script=[said("never")])
    refused: list[TurnInProgress] = []

    def meanwhile(request: Request) -> Completion:
        with pytest.raises(TurnInProgress) as raised:
            other.send("Pay the bill", request_id="r1")
        refused.append(raised.value)
        return said("Paid.")

    agent = open_agent(script=[meanwhile])

    assert agent.send("Pay the bill", request_id="r1").text == "Paid."
    assert "request id" in refused[0].hint
    assert other.send("Pay the bill", request_id="r1").text == "Paid."
    assert len(agent.messages(agent.session())) == 2


def test_two_turns_of_one_conversation_at_once_are_never_mixed(open_agent: OpenAgent) -> None:
    other = open_agent(script=[said("Beside.")])

    def meanwhile(request: Request) -> Completion:
        other.send("In between")
        return said("First answer.")

    search = called("memory_search", '{"query": "tea"}')
    agent = open_agent(script=[search, meanwhile, said("Last.")])
    agent.send("First")

    reply = agent.send("Last?")

    texts = [line.text for line in reply.ledger.messages if line.role is not Role.SYSTEM]
    order = [texts.index(text) for text in ("First", "First answer.", "In between", "Beside.")]
    assert order == sorted(order)
    assert not any("interrupted" in text for text in texts)


def test_an_answer_survives_that_its_message_could_not_be_learned(
    open_agent: OpenAgent, settings: Settings, clock: FakeClock
) -> None:
    agent = open_agent(script=[said("Hello."), said("Again.")])
    agent.send("Warm up")
    embedder = agent.store.embedder
    assert embedder is not None
    broken = replace(agent.store, embedder=Broken(embedder, word="Sphinx"))
    agent = Agent(agent.options, settings=settings, store=broken, provider=agent.provider)

    told = "I saw the Sphinx of Giza, and I live in Cairo."
    reply = agent.send(told, request_id="r1")

    assert reply.text == "Again."
    assert "could not be taken into memory yet" in reply.learned[0].reason
    assert agent.send(told, request_id="r1").repeated
    later = open_agent(script=[])
    assert [fact.value for fact in later.facts.known()] == ["Cairo"]


def test_a_fact_that_was_held_is_confirmed_in_another_conversation(open_agent: OpenAgent) -> None:
    agent = open_agent()

    first = agent.send("I'm learning Rust.").learned
    agent.start_session()
    agent.send("I'm learning Rust.")

    assert [decision.fate for decision in first] == [Fate.HELD]
    assert [(f.status, f.support) for f in agent.facts.known()] == [(Status.ACTIVE, 2)]


def test_what_is_no_longer_true_is_told_as_that(open_agent: OpenAgent) -> None:
    agent = open_agent()
    agent.send("I live in Porto.")

    learned = agent.send("I no longer live in Porto.").learned

    assert [decision.fate for decision in learned] == [Fate.ENDED]
    assert agent.facts.known() == []


def test_what_a_tool_showed_is_not_learned_from_the_answer(
    open_agent: OpenAgent, tmp_path: Path
) -> None:
    rule = "Yeast orders over ninety kilos need two signatures from the board."
    (tmp_path / "rules.md").write_text(rule)
    agent = open_agent(
        script=[
            called("search_knowledge", '{"query": "yeast orders over ninety kilos"}'),
            said(rule),
        ]
    )
    agent.ingest(tmp_path / "rules.md")

    agent.send("Look it up")

    found = agent.search("yeast orders signatures", forms=(Form.MESSAGE,), gate=False)
    assert [c.memory.text for c in found if "signatures" in c.memory.text] == []


def test_a_secret_in_a_tool_result_or_an_answer_never_reaches_the_disk(
    open_agent: OpenAgent, settings: Settings
) -> None:
    key = "sk-ant-api03-" + "Z9y8X7w6" * 10

    def leak() -> str:
        """Something with a key in it."""
        return f"the key is {key}"

    options = Options(user="alice", tools=(tool(leak, writes=False),))
    agent = open_agent(script=[called("leak", "{}"), said(f"It is {key}.")], options=options)

    agent.send("What is the key?")

    agent.close()
    on_disk = b"".join(p.read_bytes() for p in settings.data.rglob("*") if p.is_file())
    assert key.encode() not in on_disk


def test_a_member_whose_grant_ends_reads_no_more(open_agent: OpenAgent) -> None:
    alice = open_agent(options=Options(user="alice", org="bakery"))
    org = Scope(ScopeKind.ORG, "bakery")
    with alice.store.write() as journal:
        access.grant(journal.connection, org, by="alice", to="bob", now=journal.at)
    bob = open_agent(options=Options(user="bob", org="bakery"))

    with alice.store.write() as journal:
        access.revoke(journal.connection, org, by="alice", user="bob")

    with pytest.raises(AccessDenied):
        bob.search("flour")
    with pytest.raises(AccessDenied):
        bob.send("Hello")


def test_offline_quotes_what_was_said_in_this_very_conversation(open_agent: OpenAgent) -> None:
    agent = open_agent()
    agent.send("Our sprint reviews are every second Thursday at 14:00.")

    reply = agent.send("When are the sprint reviews?")

    assert "every second Thursday" in reply.text
    assert "said earlier in this conversation" in reply.text
