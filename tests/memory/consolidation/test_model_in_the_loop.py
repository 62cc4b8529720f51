"""A model that is away, or answers nonsense, costs a run nothing but time."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from stratal_memory.consolidation import deriving, episodes
from stratal_memory.consolidation.night import Model
from stratal_memory.consolidation.pipeline import Limits, consolidate
from stratal_memory.consolidation.report import Report, State
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.errors import SpendCap, StratalError
from stratal_memory.records import Cost, Form
from stratal_memory.scopes import Principal
from stratal_memory.store import Store
from stratal_memory.tiers.semantic import Facts
from stratal_memory.truth import waiting
from stratal_memory.truth.database import Database
from stratal_memory.truth.schema import events
from tests.memory.consolidation.killing import build, state
from tests.memory.worlds import World, begin, say

Place = tuple[Path, datetime]
CALLS = 7  # of an undisturbed night: three messages read, three episodes told, one line of facts


class Outage(StratalError):
    """The provider is away."""


@dataclass
class Teller:
    """A model that answers well, but for the calls that `failing` names; each answer costs 10."""

    failing: Callable[[int], StratalError | None] = lambda call: None
    poisoned: str = ""  # a prompt that holds it is never answered well
    asked: int = 0
    answered: list[str] = field(default_factory=list[str])

    def complete(self, prompt: str) -> str:
        self.asked += 1
        error = self.failing(self.asked)
        if error is not None:
            raise error
        self.answered.append(prompt)
        if self.poisoned and self.poisoned in prompt:
            return "I would rather not."
        return _good(prompt)

    def spent(self) -> Cost:
        return Cost(calls=len(self.answered), input_tokens=10 * len(self.answered))


def _good(prompt: str) -> str:
    if prompt.startswith("Sum up one stretch"):
        said = _data(prompt).removeprefix("user: ")
        return json.dumps({"title": "A note", "gist": said})
    if prompt.startswith("Put these facts"):
        lines = dict(line.split(": ", 1) for line in _data(prompt).splitlines())
        return json.dumps({"sentence": " ".join(lines.values()), "cites": list(lines)})
    return '{"facts": []}'


def _data(prompt: str) -> str:
    found = re.search(r" begin\n(.*)\n\w+ end\n", prompt, re.DOTALL)
    assert found is not None
    return found[1]


@dataclass
class Trial:
    """A copy of the same data directory, in which it is always the same moment."""

    folder: Path
    night: datetime

    def call(self, model: Teller | None, *, items: int | None = None) -> Report:
        """One call of a run."""
        asked = Model(complete=model.complete, spent=model.spent) if model else None
        with Database.open(self.folder) as database:
            principal = Principal(user="alice", agent="main")
            store = Store.open(
                database, principal, embedder=HashEmbedder(), clock=lambda: self.night
            )
            report = consolidate(store, model=asked, limits=Limits(items=items))
            store.close()
        return report

    def until_done(self, model: Teller | None, *, items: int | None = None) -> list[Report]:
        """Calls until the run is over."""
        made = [self.call(model, items=items)]
        while made[-1].state is not State.DONE:
            made.append(self.call(model, items=items))
            assert len(made) < 100, "it never ends"
        return made

    def noted(self, *kinds: str) -> list[str]:
        with Database.open(self.folder) as database, database.read() as connection:
            here = events.c.kind.in_(kinds)
            return list(connection.execute(select(events.c.reason).where(here)).scalars())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("start")
    return folder, build(folder)


@pytest.fixture
def trial(place: Place, tmp_path: Path) -> Trial:
    start, night = place
    return Trial(Path(shutil.copytree(start, tmp_path / "data")), night)


@pytest.fixture(scope="module")
def undisturbed(place: Place, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Report]:
    """What a night leaves in which the model answers, and its report."""
    start, night = place
    folder = tmp_path_factory.mktemp("whole") / "data"
    whole = Trial(Path(shutil.copytree(start, folder)), night)
    [report] = whole.until_done(Teller())
    return state(folder), report


def test_the_undisturbed_night_asks_for_everything_that_a_model_betters(
    undisturbed: tuple[list[str], Report],
) -> None:
    _, report = undisturbed

    assert report.cost == Cost(calls=CALLS, input_tokens=10 * CALLS)
    by_model = {step.name for step in report.steps if step.how == "model"}
    assert by_model == {"pending", "episodes", "observations"}
    assert sum("A note" in change.after for change in report.changes) >= 3


@pytest.mark.parametrize("error", [Outage("503"), SpendCap("enough for today")], ids=type)
@pytest.mark.parametrize("call", range(1, CALLS + 1))
def test_an_outage_at_any_call_changes_nothing_in_the_end(
    trial: Trial, undisturbed: tuple[list[str], Report], call: int, error: StratalError
) -> None:
    teller = Teller(failing=lambda number: error if number == call else None)

    first, *more = trial.until_done(teller)

    assert first.state is State.PAUSED
    assert {one.run for one in more} == {first.run}
    assert state(trial.folder) == undisturbed[0]
    assert trial.noted(episodes.PARKED, deriving.PARKED, waiting.UNREADABLE) == []
    assert more[-1].cost == teller.spent() == undisturbed[1].cost


@pytest.mark.parametrize("nth", [2, 3, 4])
def test_a_model_that_is_away_again_and_again_is_waited_for(
    trial: Trial, undisturbed: tuple[list[str], Report], nth: int
) -> None:
    teller = Teller(failing=lambda number: Outage("503") if number % nth == 0 else None)

    made = trial.until_done(teller)

    assert len(made) > 2
    assert state(trial.folder) == undisturbed[0]
    assert made[-1].cost == teller.spent() == undisturbed[1].cost


@pytest.mark.parametrize("items", [1, 2, 3])
def test_slices_ask_no_more_than_a_whole_night(
    trial: Trial, undisturbed: tuple[list[str], Report], items: int
) -> None:
    teller = Teller()

    made = trial.until_done(teller, items=items)

    assert len(made) > 3
    assert state(trial.folder) == undisturbed[0]
    assert made[-1].cost == teller.spent() == undisturbed[1].cost


@pytest.mark.parametrize("poisoned", ["heron", "printer", "boat.", "stamps"])
def test_an_item_that_a_model_cannot_do_is_done_by_rules_and_blocks_no_other(
    place: Place,
    trial: Trial,
    tmp_path: Path,
    undisturbed: tuple[list[str], Report],
    poisoned: str,
) -> None:
    ruled = Trial(Path(shutil.copytree(place[0], tmp_path / "ruled")), place[1])
    [by_rules] = ruled.until_done(None)

    [report] = trial.until_done(Teller(poisoned=poisoned))

    whole = undisturbed[1]
    told, expected = _told(report), _told(whole)
    assert Counter(step for step, _ in told) == Counter(step for step, _ in expected)
    [(step, text)] = [one for one in told if one not in expected]
    assert (step, text) in _told(by_rules)
    [why] = trial.noted(episodes.PARKED, deriving.PARKED)
    assert why.startswith("told by the rules: the model's answer can't be used")


def _told(report: Report) -> list[tuple[str, str]]:
    """What a run told anew, but for what is made of it."""
    made = [(change.step, change.after) for change in report.changes]
    return [one for one in made if one[0] in ("episodes", "observations")]


def test_nonsense_throughout_leaves_what_the_rules_leave(
    place: Place, trial: Trial, tmp_path: Path
) -> None:
    ruled = Trial(Path(shutil.copytree(place[0], tmp_path / "ruled")), place[1])
    ruled.until_done(None)

    trial.until_done(Teller(poisoned="{"))

    assert state(trial.folder) == state(ruled.folder)


def test_a_conversation_longer_than_a_day_may_cost_is_gone_on_with(world: World) -> None:
    store = world.store()
    session = begin(store)
    for what in ("heron", "printer", "boat", "kettle"):
        say(store, session, f"I saw a {what}.")
        world.clock.pass_(hours=4)
    a_day = SpendCap("enough for today")
    teller = Teller(failing=lambda number: a_day if number % 3 == 0 else None)
    model = Model(complete=teller.complete, spent=teller.spent)

    calls = 0
    while consolidate(store, model=model).state is not State.DONE:
        calls += 1
        assert calls < 10, "it begins anew each day"

    told = [prompt for prompt in teller.answered if prompt.startswith("Sum up one stretch")]
    assert len(told) == 4
    found = Facts(store).known(forms=(Form.EPISODE,))
    assert len([one for one in found if not one.facet]) == 4  # and one of the day
