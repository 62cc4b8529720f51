"""The tool that gives a task away: what the sub-agent may take, and what is read of its answer."""

import json
from decimal import Decimal

import pytest

from stratal.errors import InputError
from stratal.providers.prices import Prices
from stratal.providers.provider import Usage
from stratal.tools.memory import Reading
from stratal.tools.subagent import LONGEST, Answer, Purse, Share, Task, subagent_tools
from stratal.tools.tool import Invocation, Tool
from stratal_memory.records import Trust

CALL = Usage(input=90, output=10)


class Asked:
    """Answers each task alike and keeps what it was asked."""

    def __init__(self, *, calls: int = 1, trust: Trust = Trust.USER, failed: bool = False) -> None:
        self.tasks: list[Task] = []
        self._answer = Answer(text="Forty-two.", trust=trust, used=(CALL,) * calls, failed=failed)

    def __call__(self, task: Task) -> Answer:
        self.tasks.append(task)
        return self._answer


def purse(*, steps: int = 8, tokens: int = 10_000) -> Purse:
    return Purse(steps=steps, tokens=tokens)


def delegating(asked: Asked, *, of: Purse | None = None, reading: Reading | None = None) -> Tool:
    (made,) = subagent_tools(
        asked,
        purse=of or purse(),
        reading=reading or Reading(),
        names=["look", "memory_search"],
    )
    return made


def run(made: Tool, **arguments: object) -> str:
    return made.run(json.dumps({"task": "Count the loaves", **arguments}), Invocation(id="c1"))


def test_a_sub_agent_gets_half_of_what_is_left() -> None:
    asked, left = Asked(calls=3), purse()
    made = delegating(asked, of=left)

    shares = [run(made) and asked.tasks[-1].share for _ in range(2)]

    assert shares == [Share(steps=4, tokens=5_000), Share(steps=2, tokens=4_850)]
    assert (left.steps, left.tokens, left.spent) == (2, 9_400, [CALL] * 6)


def test_it_gets_half_of_the_dollars_that_the_turn_and_its_siblings_left() -> None:
    prices = Prices(input=Decimal(1_000), output=Decimal(1_000))  # $0.10 a call
    asked, left = Asked(calls=2), Purse(steps=8, tokens=10_000, dollars=Decimal(1), prices=prices)
    made = delegating(asked, of=left)

    left.bill(CALL)
    shares = [run(made) and asked.tasks[-1].share.dollars for _ in range(2)]
    for _ in range(5):
        left.bill(CALL)

    assert shares == [Decimal("0.45"), Decimal("0.35")]
    assert left.dollars == 0
    with pytest.raises(InputError, match="used up their share"):
        run(made)
    assert left.spent == [CALL] * 4


def test_without_prices_dollars_bind_nobody() -> None:
    left = Purse(steps=8, tokens=10_000, dollars=Decimal(1))

    run(delegating(Asked(calls=7), of=left))

    assert left.dollars == Decimal(1)


@pytest.mark.parametrize("left", [purse(steps=0), purse(tokens=1)])
def test_one_that_could_make_no_call_is_not_begun(left: Purse) -> None:
    asked = Asked()

    with pytest.raises(InputError, match="used up their share"):
        run(delegating(asked, of=left))

    assert asked.tasks == []


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_however_many_are_asked_they_take_no_more_than_the_purse(steps: int) -> None:
    asked = Asked()
    made = delegating(asked, of=purse(steps=steps))

    for _ in range(steps):
        run(made)
    with pytest.raises(InputError, match="used up"):
        run(made)

    assert len(asked.tasks) == steps
    assert all(task.share.steps >= 1 for task in asked.tasks)


def test_it_begins_with_what_was_read_and_its_answer_is_read_as_a_tools() -> None:
    reading, asked = Reading(), Asked(trust=Trust.USER)

    run(delegating(asked, reading=reading))
    assert reading.trust is Trust.TOOL
    run(delegating(asked, reading=reading))

    assert [task.trust for task in asked.tasks] == [Trust.ASSISTANT, Trust.TOOL]


def test_what_it_read_is_read_by_who_asked() -> None:
    reading = Reading()

    run(delegating(Asked(trust=Trust.WEB), reading=reading))

    assert reading.trust is Trust.WEB


def test_it_gets_the_tools_that_are_named_and_no_others() -> None:
    asked = Asked()
    made = delegating(asked)

    run(made)
    run(made, tools=[])
    run(made, tools=["look"])

    assert [task.tools for task in asked.tasks] == [None, None, frozenset({"look"})]
    for names in (["delegate"], ["look", "send_money"]):
        with pytest.raises(InputError, match=f"no tool {names[-1]} to give"):
            run(made, tools=names)


@pytest.mark.parametrize("task", ["", " \n", "x" * (LONGEST + 1)])
def test_no_task_and_too_long_a_task_are_told(task: str) -> None:
    asked = Asked()

    with pytest.raises(InputError):
        run(delegating(asked), task=task)

    assert asked.tasks == []


def test_one_that_fails_is_a_failed_call_and_paid_for() -> None:
    left = purse()

    with pytest.raises(InputError, match="Forty-two"):
        run(delegating(Asked(failed=True), of=left))

    assert left.spent == [CALL]


def test_it_runs_alone_and_its_tools_are_guarded_inside() -> None:
    made = delegating(Asked())

    assert (made.writes, made.guarded, made.effect.value) == (False, True, "local")
