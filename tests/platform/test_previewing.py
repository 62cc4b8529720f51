"""What would be sent, on real SQLite: the same as a turn sends, and nothing is stored."""

from stratal.agent import Agent
from stratal.context.ledger import Ledger
from stratal.context.sections import SUMMARY_HEAD
from stratal_memory.records import Summary
from stratal_memory.truth import summaries
from stratal_memory.truth.summaries import Cut
from tests.platform.conftest import OpenTalker
from tests.platform.talking import Talker

# A turn takes some 300 tokens: the eleventh does not fit.
SMALL = {
    "STRATAL_CONTEXT__WINDOW": "6000",
    "STRATAL_CONTEXT__OUTPUT_RESERVE": "500",
    "STRATAL_CONTEXT__MIN_HISTORY": "500",
    "STRATAL_SUMMARY__MODEL": "none",
    "STRATAL_SUMMARY__TRIGGER_FRACTION": "none",
}
CUTS = 11


def said(number: int) -> str:
    return (
        f"In {1990 + number} we lived in City{number}. "
        + "It was quiet there and nothing happened. " * 20
    )


def stored(agent: Agent) -> tuple[Cut, Summary | None]:
    with agent.store.read() as connection:
        session = agent.session().id
        return (
            summaries.current_cut(connection, session),
            summaries.newest_summary(connection, session),
        )


def summary_in(ledger: Ledger) -> str:
    found = [line.text for line in ledger.messages if SUMMARY_HEAD in line.text]
    return found[0] if found else ""


def test_a_preview_shows_the_cut_and_the_summary_that_would_be_sent_and_stores_neither(
    open_talker: OpenTalker,
) -> None:
    # covers C20
    agent = open_talker(Talker(), SMALL)
    for number in range(CUTS - 1):
        agent.send(said(number))
    before = agent.messages(agent.session())

    shown = agent.preview(said(CUTS - 1))

    assert stored(agent) == (Cut(), None)
    assert agent.messages(agent.session()) == before
    assert "City0" in summary_in(shown)
    sent = agent.send(said(CUTS - 1)).ledger
    assert stored(agent)[0].after > 0
    assert [line.text for line in shown.messages] == [line.text for line in sent.messages]
    assert shown.used == sent.used


def test_a_preview_of_the_first_message_begins_no_conversation(open_talker: OpenTalker) -> None:
    agent = open_talker(Talker(), SMALL)

    shown = agent.preview("Hello")

    assert summary_in(shown) == ""
    assert agent.sessions() == []
