"""What assembling reads of a stored history: no more than can fit, however long it is."""

from dataclasses import replace
from sqlite3 import Connection

from sqlalchemy import event

from stratal.assembling import assembled
from stratal.context.budget import Budget
from stratal.context.request import SystemBlock
from stratal.context.sections import Parts
from stratal.conversation import Conversation
from stratal_memory.records import Message, Role
from tests.platform.conftest import OpenAgent
from tests.platform.long_talk import long_talk

PARTS = Parts(system=(SystemBlock(text="You are brief."),))
BUDGET = Budget(window=9_000, output_reserve=1_000)
STEP = 20  # instructions of SQLite's machine


class Work:
    """What SQLite does from now on: statements, and steps of its virtual machine."""

    def __init__(self, desk: Conversation) -> None:
        self.statements = self.steps = 0
        engine = desk.store.database.engine
        event.listen(engine, "before_cursor_execute", self._statement)
        event.listen(engine, "checkout", self._watched)

    def _statement(self, *_: object) -> None:
        self.statements += 1

    def _watched(self, raw: Connection, *_: object) -> None:
        raw.set_progress_handler(self._step, STEP)

    def _step(self) -> int:
        self.steps += 1
        return 0


def work(desk: Conversation) -> tuple[int, int, int]:
    """Messages sent, statements and steps of one assembling."""
    desk = replace(desk, budget=BUDGET)
    done = Work(desk)
    made = assembled(desk, PARTS, Message(role=Role.USER, text="And today?"))
    return len(made.request.messages), done.statements, done.steps


def test_twenty_thousand_turns_cost_what_two_hundred_do(open_agent: OpenAgent) -> None:
    agent = open_agent(script=[])
    short, long = long_talk(agent, turns=200), long_talk(agent, turns=20_000)

    sent, statements, steps = work(short)
    many, more_statements, more_steps = work(long)

    assert sent == many > 100
    assert statements == more_statements
    assert steps > 50
    assert more_steps <= 1.5 * steps
