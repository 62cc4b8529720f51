"""Three phrasings of a task are one bucket, and two tasks with the same tools are two."""

import random
from collections.abc import Sequence

import pytest

from stratal_procedures.signature import Bucket, likeness, nearest, steps_json
from tests.procedures.episodes import OTHER_TASKS, TASKS, Step, Task, made


def bucketed(tasks: Sequence[Task], *, seed: int) -> list[list[str]]:
    """The names of the tasks in each bucket, when the episodes come in some order."""
    every = [
        (task.name, made(request, steps, turn=f"{task.name}_{number}"))
        for task in tasks
        for number, (request, steps) in enumerate(task.turns)
    ]
    random.Random(seed).shuffle(every)
    buckets: list[Bucket] = []
    names: list[list[str]] = []
    for name, episode in every:
        near = nearest(episode, buckets)
        place = int(near) if near else len(buckets)
        if not near:
            buckets.append(Bucket(signature=str(place), episodes=()))
            names.append([])
        held = buckets[place].episodes
        buckets[place] = Bucket(signature=str(place), episodes=(*held, episode))
        names[place].append(name)
    return names


def test_there_are_thirty_episodes_of_eight_tasks() -> None:
    for tasks in (TASKS, OTHER_TASKS):
        assert (len(tasks), sum(len(task.turns) for task in tasks)) == (8, 30)


@pytest.mark.parametrize("seed", range(10))
def test_every_task_is_one_bucket_in_whatever_order_its_episodes_come(seed: int) -> None:
    found = bucketed(TASKS, seed=seed)

    assert sorted(set(names).pop() for names in found if len(set(names)) == 1) == sorted(
        task.name for task in TASKS
    )
    assert [len(set(names)) for names in found] == [1] * 8


@pytest.mark.parametrize("seed", range(10))
def test_no_bucket_of_tasks_nobody_looked_at_holds_two(seed: int) -> None:
    """Held out: written after the numbers were chosen, and never used to choose them."""
    found = bucketed(OTHER_TASKS, seed=seed)

    assert [names for names in found if len(set(names)) > 1] == []
    assert sum(len(names) >= 3 for names in found) >= 6  # enough for a draft


def test_other_tools_are_another_task_whatever_was_said() -> None:
    steps: tuple[Step, ...] = (("a", {"x": "1"}), ("b", {}), ("c", {}))
    one = made("Do the weekly thing", steps)
    other = made("Do the weekly thing", (*steps, ("d", {})))

    assert likeness(one, one) > 0.9
    assert likeness(one, other) == 0


def test_arguments_of_another_type_are_another_task() -> None:
    one = made("Do it", (("a", {"x": "1"}), ("b", {}), ("c", {})))
    other = made("Do it", (("a", {"x": [1]}), ("b", {}), ("c", {})))

    assert likeness(one, other) == 0


def test_likeness_is_the_same_both_ways() -> None:
    every = [made(request, steps) for task in TASKS for request, steps in task.turns]

    for one in every[::3]:
        for other in every[::2]:
            assert likeness(one, other) == pytest.approx(likeness(other, one))
            assert 0 <= likeness(one, other) <= 1


def test_no_value_is_kept_with_the_signature() -> None:
    episode = made("Pay it", (("a", {"iban": "SECRET"}), ("b", {"n": 1}), ("c", {"f": True})))

    assert steps_json(episode) == (
        '[{"tool": "a", "arguments": {"iban": "text"}, "failures": 0},'
        ' {"tool": "b", "arguments": {"n": "number"}, "failures": 0},'
        ' {"tool": "c", "arguments": {"f": "flag"}, "failures": 0}]'
    )
