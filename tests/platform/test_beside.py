"""Turns of one conversation that go on at the same time, on real SQLite."""

from collections.abc import Callable

from stratal.agent import Agent
from stratal.beside import answered_beside
from stratal.compaction import Compacted, prepare
from stratal.context.request import Request
from stratal.providers.provider import Completion
from stratal_memory.records import Role
from stratal_memory.truth import summaries, turns
from stratal_memory.truth.summaries import Cut
from tests.platform.conftest import OpenTalker
from tests.platform.talking import Talker

SLOW = "In 1984 we lived in Slowtown."
AT_ONCE = {"STRATAL_SUMMARY__MODEL": "none", "STRATAL_SUMMARY__APPLY": "at_once"}
SMALL = {
    "STRATAL_SUMMARY__MODEL": "none",
    "STRATAL_CONTEXT__WINDOW": "6000",
    "STRATAL_CONTEXT__OUTPUT_RESERVE": "500",
    "STRATAL_CONTEXT__MIN_HISTORY": "500",
}


def said(number: int) -> str:
    return (
        f"In {1990 + number} we lived in City{number}. "
        + "It was quiet there and nothing happened. " * 20
    )


class Slow:
    """Answers at once, but does something else first where the message is the slow one."""

    def __init__(self) -> None:
        self.meanwhile: list[Callable[[], None]] = []

    def __call__(self, request: Request) -> Completion:
        if request.messages[-1].text == SLOW and self.meanwhile:
            self.meanwhile.pop()()
        return Completion(text="At last.")


def cut_of(agent: Agent) -> Cut:
    with agent.store.read() as connection:
        return summaries.current_cut(connection, agent.session().id)


def row_of(agent: Agent, text: str) -> int:
    (row,) = [one.seq for one in agent.messages(agent.session()) if one.text == text]
    return row


def beside(
    open_talker: OpenTalker,
    other: Agent,
    meanwhile: Callable[[], None],
    environment: dict[str, str] | None = None,
) -> Agent:
    """The agent that answered the slow message while something else happened."""
    slow = Slow()
    slow.meanwhile.append(meanwhile)
    agent = open_talker(Talker(slow), environment)
    assert agent.session().id == other.session().id
    assert agent.send(SLOW).text == "At last."
    return agent


def test_a_turn_that_is_answered_right_now_is_known_to_the_others_and_not_to_itself(
    open_talker: OpenTalker,
) -> None:
    other = open_talker(Talker())
    other.send(said(0))
    seen: list[tuple[int, ...]] = []

    def meanwhile() -> None:
        desk = other.conversation(other.session())
        with other.store.read() as connection:
            (own,) = turns.open_turns(connection, desk.session.id)
        seen.append(answered_beside(desk))
        seen.append(answered_beside(desk, turn=own.id))

    beside(open_talker, other, meanwhile)

    assert seen == [(row_of(other, SLOW),), ()]
    assert answered_beside(other.conversation(other.session())) == ()


def test_a_turn_that_a_crash_left_open_is_nobodys(open_talker: OpenTalker) -> None:
    agent = open_talker(Talker())
    session = agent.session()
    with agent.store.write() as journal:
        turns.start_turn(
            journal.connection,
            session,
            request_id="r1",
            model="m",
            owner="1:gone",
            at=journal.at,
        )

    assert answered_beside(agent.conversation(session)) == ()


def test_compacting_by_hand_ends_before_a_turn_that_is_being_answered(
    open_talker: OpenTalker,
) -> None:
    # covers C19
    talker = Talker()
    other = open_talker(talker, AT_ONCE)
    for number in range(6):
        other.send(said(number))
    done: list[Compacted] = []

    def meanwhile() -> None:
        for number in range(6, 12):
            other.send(said(number))
        done.append(other.compact())

    beside(open_talker, other, meanwhile)
    other.send("And now?")

    assert cut_of(other).after < row_of(other, SLOW)
    assert "Slowtown" not in done[0].summary
    spoken = [one.text for one in talker.requests[-1].messages]
    assert spoken[spoken.index(SLOW) + 1] == "At last."


def test_no_summary_ahead_covers_a_turn_that_is_being_answered(open_talker: OpenTalker) -> None:
    other = open_talker(Talker(), AT_ONCE)
    for number in range(3):
        other.send(said(number))
    made: list[str] = []

    def meanwhile() -> None:
        for number in range(3, 9):
            other.send(said(number))
        desk = other.conversation(other.session())
        ahead = prepare(desk, room=100, reason="a test")
        made.append(ahead.text if ahead else "")

    beside(open_talker, other, meanwhile)

    assert "City1" in made[0]  # the newest before it stays, as a rule keeps one turn
    assert "Slowtown" not in made[0]
    assert 0 < cut_of(other).after < row_of(other, SLOW)


def test_the_cut_waits_for_a_turn_beside_and_then_hides_it_with_its_answer(
    open_talker: OpenTalker,
) -> None:
    talker = Talker()
    other = open_talker(talker, SMALL)
    other.send(said(0))
    cuts: list[Cut] = []

    def meanwhile() -> None:
        for number in range(1, 14):  # far more than fits
            other.send(said(number))
            cuts.append(cut_of(other))

    agent = beside(open_talker, other, meanwhile, SMALL)
    other.send(said(14))

    row = row_of(agent, SLOW)
    assert all(cut.after < row for cut in cuts)
    assert cut_of(other).after >= row
    assert "Slowtown" in cut_of(other).summary
    hidden = [
        one.text
        for one in agent.messages(agent.session())
        if one.role is Role.USER and one.seq <= cut_of(other).after
    ]
    assert all(text.split(". ")[0] in cut_of(other).summary for text in hidden)
