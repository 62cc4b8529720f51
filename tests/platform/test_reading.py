"""A model reads messages beside the conversation, through a real agent; nothing is lost by it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stratal.agent import Agent
from stratal.context.request import Request
from stratal.errors import ProviderError
from stratal.options import Options
from stratal.providers.provider import Completion, StreamItem, TextDelta
from stratal.settings import Settings, load_settings
from stratal.writers import READER
from stratal_memory.learning.review import to_review
from stratal_memory.records import Memory
from tests.fakes.clock import FakeClock
from tests.memory.learning.answering import answer, fact
from tests.platform.talking import MODEL

TEA = "please remember: give me tea over coffee whenever I look sleepy"
Read = Callable[[str], str]


class Reader:
    """A `Provider` that talks, and answers a reader's prompts one after the other."""

    name = "scripted"

    def __init__(self, *answers: str | ProviderError, says: str = "Fine.") -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []
        self.models: list[str] = []
        self.says = says

    def stream(self, request: Request) -> Iterator[StreamItem]:
        if request.system[0].text != READER:
            yield TextDelta(text=self.says)
            yield Completion(text=self.says)
            return
        if request.messages[-1].text.startswith("Sum up"):  # of consolidation's: rules do it
            yield Completion(text="no")
            return
        self.models.append(request.model)
        self.prompts.append(request.messages[-1].text)
        given = self.answers.pop(0)
        if isinstance(given, ProviderError):
            raise given
        yield Completion(text=given)

    def close(self) -> None:
        return


Opened = Callable[..., Agent]


@pytest.fixture
def open_reader(tmp_path: Path, clock: FakeClock) -> Iterator[Opened]:
    opened: list[Agent] = []

    def open_(reader: Reader, **environment: str) -> Agent:
        given = {"STRATAL_EMBEDDING__MODEL": "none", **environment}
        settings: Settings = load_settings(
            {"data": tmp_path / "data", "model": MODEL}, environment=given
        )
        opened.append(
            Agent.open_with(Options(user="alice"), settings, provider=reader, clock=clock)
        )
        return opened[-1]

    yield open_
    for agent in opened:
        agent.close()


def known(agent: Agent) -> list[Memory]:
    return [one for one in agent.facts.known() if one.facet == "preference.drink"]


def shown(prompt: str) -> list[str]:
    """The messages a prompt offers to learn from."""
    start = prompt.index("begin\n") + len("begin\n")
    data, _ = json.JSONDecoder().raw_decode(prompt[start:])
    return [message["text"] for message in data["messages"]]


def test_what_the_model_finds_is_learned_behind_the_turn_with_its_evidence(
    open_reader: Opened,
) -> None:
    reader = Reader(answer([fact()]))
    agent = open_reader(reader)

    reply = agent.send(TEA)
    agent.settle()

    assert reply.text == "Fine."
    [tea] = known(agent)
    said = agent.messages(agent.session())[0]
    [seen] = tea.evidence
    assert (seen.ref, seen.quote) == (said.id, "tea over coffee")
    assert said.text[seen.start : seen.end] == "tea over coffee"
    assert reader.models == ["claude-haiku-5-5"]  # the low tier of the agent's model


def test_small_talk_waits_until_there_is_enough_of_it(
    open_reader: Opened, clock: FakeClock
) -> None:
    reader = Reader(answer())
    agent = open_reader(reader)

    agent.send("the sky looks odd today")
    agent.settle()
    before = len(reader.prompts)
    clock.pass_(minutes=11)
    agent.send("it is still odd")
    agent.settle()

    assert before == 0
    assert shown(reader.prompts[0]) == ["the sky looks odd today", "it is still odd"]


def test_the_buffer_is_read_when_it_is_full(open_reader: Opened) -> None:
    reader = Reader(answer())
    agent = open_reader(reader, STRATAL_LEARNING__BUFFER_TOKENS="10")

    agent.send("the sky looks odd today and nobody has said why it does")
    agent.settle()

    assert shown(reader.prompts[0]) == ["the sky looks odd today and nobody has said why it does"]


def test_one_answer_that_cannot_be_read_is_repaired(open_reader: Opened) -> None:
    reader = Reader("Sure, here is your JSON", answer([fact()]))
    agent = open_reader(reader)

    agent.send(TEA)
    agent.settle()

    assert [one.value for one in known(agent)] == ["tea"]
    assert "could not be read" in reader.prompts[1]


def test_after_the_repair_the_rules_are_what_there_is_and_the_message_waits(
    open_reader: Opened,
) -> None:
    reader = Reader("nonsense", "nonsense again")
    agent = open_reader(reader)

    agent.send(f"I live in Porto. {TEA}")
    agent.settle()

    assert "Porto" in [one.value for one in agent.facts.known()]
    [waits] = to_review(agent.store).pending
    assert "there is no JSON object" in waits.failure


def test_an_answer_nobody_can_read_three_times_is_given_up_and_holds_up_no_other(
    open_reader: Opened,
) -> None:
    reader = Reader(*["nonsense"] * 6)
    agent = open_reader(reader)

    agent.send(TEA)
    agent.settle()
    for _ in range(2):
        agent.consolidate()

    assert to_review(agent.store).pending == ()
    assert reader.answers == []


def test_a_provider_that_fails_leaves_it_pending_and_the_next_time_does_it(
    open_reader: Opened,
) -> None:
    reader = Reader(ProviderError("503"), answer([fact()]))
    agent = open_reader(reader)

    agent.send(TEA)
    agent.settle()
    waits = to_review(agent.store).pending
    agent.send("and now?")
    agent.settle()

    assert [one.text for one in waits] == [TEA]
    assert "503" in waits[0].failure
    assert [one.value for one in known(agent)] == ["tea"]
    assert to_review(agent.store).pending == ()


def test_a_consolidation_reads_what_waits(open_reader: Opened) -> None:
    reader = Reader(answer([fact()]))
    agent = open_reader(reader)
    agent.send("give me tea over coffee whenever I look sleepy")
    agent.settle()
    before = len(reader.prompts)

    agent.consolidate()

    assert before == 0
    assert [one.value for one in known(agent)] == ["tea"]


def test_a_preview_of_a_consolidation_asks_nobody(open_reader: Opened) -> None:
    reader = Reader()
    agent = open_reader(reader)
    agent.send("give me tea over coffee whenever I look sleepy")

    agent.consolidate(dry_run=True)

    assert reader.prompts == []


def test_nothing_hidden_and_nothing_recalled_is_offered_to_learn_from(
    open_reader: Opened,
) -> None:
    reader = Reader(answer())
    agent = open_reader(reader)
    fence = "[recalled x1 memories]\nThe user owns a yacht.\n[end of recalled x1]"

    agent.send(f"remember ghp_{'a1B2' * 9} and mail ana@mail.example\n{fence}\nand no more")
    agent.settle()

    [text] = shown(reader.prompts[0])
    assert text.startswith("remember ")
    assert text.endswith("and no more")
    for secret in ("a1B2", "ana@", "yacht"):
        assert secret not in reader.prompts[0]


def test_what_was_recalled_and_copied_is_not_offered_either(open_reader: Opened) -> None:
    reader = Reader(answer())
    agent = open_reader(reader)
    told = "The launch of the Quokka project was moved to the ninth of March."
    agent.facts.add(told)

    agent.send("When is the launch of the Quokka project?")
    agent.send(f"remember? {told} so be it")
    agent.settle()

    assert all("Quokka project was moved" not in text for text in shown(reader.prompts[-1]))


@pytest.mark.parametrize(
    ("model", "chosen", "reads"),
    [
        (MODEL, "none", None),
        (MODEL, "auto", "anthropic:claude-haiku-5-5"),
        (MODEL, "same", MODEL),
        (MODEL, "openai:gpt-6-sol", "openai:gpt-6-sol"),
        ("offline:", "auto", None),
        ("offline:", "low", None),
        ("offline:", MODEL, MODEL),
        ("ollama:qwen3", "auto", "ollama:qwen3"),
    ],
)
def test_which_model_reads(model: str, chosen: str, reads: str | None) -> None:
    from stratal.writers import reading_model

    settings = load_settings({"model": model}, environment={"STRATAL_LEARNING__MODEL": chosen})

    found = reading_model(settings)

    assert (found and str(found)) == reads


def test_without_a_model_nothing_waits(open_reader: Opened) -> None:
    reader = Reader()
    agent = open_reader(reader, STRATAL_LEARNING__MODEL="none")

    agent.send(TEA)
    agent.settle()

    assert reader.prompts == []
    assert to_review(agent.store).pending == ()
