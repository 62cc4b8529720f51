"""What a run did so far: kept as it happens, told again when the run is taken up."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from stratal_memory.consolidation.holding import waiting_of
from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.report import (
    Change,
    Held,
    Report,
    State,
    Step,
    change_json,
    change_of,
    step_json,
    step_of,
)
from stratal_memory.consolidation.step import Plan
from stratal_memory.records import Cost
from stratal_memory.truth import runs
from stratal_memory.truth.journal import Journal


@dataclass(slots=True)
class Progress:
    """The account of one run by its steps, changes and what it held back."""

    night: Night
    over: dict[str, Step] = field(default_factory=dict[str, Step])  # by name, in order
    _put_off: dict[str, Step] = field(default_factory=dict[str, Step])
    _unwritten: list[Step] = field(default_factory=list[Step])
    _changes: list[Change] = field(default_factory=list[Change])
    _held: list[Held] = field(default_factory=list[Held])
    _spent_before: Cost = field(default=Cost())

    def __post_init__(self) -> None:
        """What earlier calls of the same run did."""
        night = self.night
        with night.read() as connection:
            steps = runs.steps_of(connection, night.run)
            self.over = {name: step_of(text) for name, text in steps.items()}
            self._changes = [change_of(text) for text in runs.changes_of(connection, night.run)]
            self._held = waiting_of(connection, night.run)
            kept = runs.find(connection, user=night.store.user, id=night.run)
        if kept and kept[0].report != "{}":
            self._spent_before = Report.from_json(kept[0].report).cost

    def note(self, step: Step) -> None:
        """A step that keeps its own account: each call tells it anew."""
        self._put_off[step.name] = step

    def keep(self, journal: Journal, made: list[Change]) -> None:
        """Note changes in the transaction that makes them, and the steps that ended before."""
        self._flush(journal)
        for ordinal, change in enumerate(made, len(self._changes) + 1):
            kept = change_json(change)
            runs.keep_change(journal.connection, self.night.run, kept, ordinal=ordinal)
        self._changes += made

    def held(self, one: Held | None) -> None:
        """Note what waits for a person now."""
        if one is not None:
            self._held.append(one)

    def end_step(self, name: str, plan: Plan) -> None:
        """The step is over: when the run is taken up again it is not planned anew."""
        self.over[name] = self._step(name, plan, note=plan.note)
        self._unwritten.append(self.over[name])
        self._put_off.pop(name, None)

    def put_off(self, name: str, plan: Plan, *, why: str) -> None:
        """The step can't go on now; a later call plans it anew."""
        self._put_off[name] = self._step(name, plan, note=f"put off: {why}")

    def waits_for(self, names: Sequence[str]) -> str:
        """The first of `names` that was put off; empty when none was."""
        return next((name for name in names if name in self._put_off), "")

    def _step(self, name: str, plan: Plan, *, note: str) -> Step:
        return Step(
            name=name,
            looked_at=plan.looked_at,
            changed=sum(change.step == name for change in self._changes),
            held=sum(one.change.step == name for one in self._held),
            how=plan.how,
            note=note,
            wake=plan.wake,
        )

    def _flush(self, journal: Journal) -> None:
        for step in self._unwritten:
            runs.keep_step(journal.connection, self.night.run, step.name, step_json(step))
        self._unwritten.clear()

    def report(self, state: State) -> Report:
        """All calls of the run together."""
        steps = {**self._put_off, **self.over}
        return Report(
            run=self.night.run,
            user=self.night.store.user,
            steps=tuple(steps.values()),
            changes=tuple(self._changes),
            held=tuple(self._held),
            cost=self._spent_before + self.night.asking.spent(),
            state=state,
        )

    def close(self, report: Report) -> None:
        """Keep the report; a run that is done needs its rows no more."""
        with self.night.commit() as journal:
            self._flush(journal)
            text = report.to_json()
            if report.state is State.DONE:
                wakes = [step.wake for step in self.over.values() if step.wake is not None]
                at = self.night.store.clock()
                runs.end(
                    journal.connection,
                    self.night.run,
                    report=text,
                    at=at,
                    wake=min(wakes, default=None),
                )
            else:
                runs.wait(journal.connection, self.night.run, state=report.state, report=text)
