"""Generated conversations sent through the real assembler as a session does, every request judged.

Run on its own by `make bench` over 100,000 of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from stratal.context.assembler import Assembled, Rendering, assemble
from stratal.context.budget import Budget
from stratal.context.history import Past
from stratal.context.validator import MEDIA, RULES, validate
from stratal.errors import ContextBudgetError, InvalidRequest
from stratal_memory.records import Message, Role
from tests.platform.context import referee
from tests.platform.context.generated import ENGLISH, Round, Said, conversation

MOST_MOVES = 2  # of the cut within one turn
# One provider of each set of rules: several have the same.
ASKED = tuple({(rules, MEDIA.get(name)): name for name, rules in RULES.items()}.values())
SHOWN = 5  # faults kept as text


@dataclass(slots=True)
class Tally:
    """What was found in some conversations; all counts but the first two should be 0."""

    histories: int = 0
    requests: int = 0
    refused: int = 0  # turns too large for their window: a typed error, nothing sent
    moves: int = 0
    overruns: int = 0
    misplaced: int = 0  # calls and results orphaned, doubled, reordered; turns not as said
    invalid: int = 0  # requests some provider refuses
    changed: int = 0  # stored messages that are not what they were
    restless: int = 0  # compressions that change nothing, or a third one in a turn
    wrongly_refused: int = 0
    worst_fill: float = 0.0  # of what the input may take
    examples: list[str] = field(default_factory=list[str])

    @property
    def faults(self) -> int:
        """Everything that should not be."""
        return (
            self.overruns
            + self.misplaced
            + self.invalid
            + self.changed
            + self.restless
            + self.wrongly_refused
        )

    def add(self, other: "Tally") -> None:
        """Count what another found too."""
        for name in ("histories", "requests", "refused", "moves", "overruns", "misplaced"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("invalid", "changed", "restless", "wrongly_refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.worst_fill = max(self.worst_fill, other.worst_fill)
        self.examples = (self.examples + other.examples)[:SHOWN]


class Driven:
    """One conversation: what is stored, where its cut stands, and what was found."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.found = Tally(histories=1)
        self.turns: list[list[Message]] = []
        self._after, self._aged, self._summary = 0, 0, ""
        self._row = 0
        self._stored: list[int] = []  # a fingerprint of each message when it was stored
        self._moves = 0

    def run(self) -> Tally:
        """What was found in the whole conversation."""
        for said in conversation(self.seed):
            self._turn(said)
        now = [_fingerprint(message) for turn in self.turns for message in turn]
        self.found.changed += sum(
            then != here for then, here in zip(self._stored, now, strict=True)
        )
        return self.found

    def _turn(self, said: Said) -> None:
        self.turns.append([])
        self._moves = 0
        self._store(said.message)
        budget = said.setup.budget
        for round in (*said.rounds, None):
            made = self._sent(said, budget)
            if made is None:
                return
            if said.overflows and budget is said.setup.budget:
                budget = replace(budget, max_input=max(1, made.ledger.used * 3 // 4))
                if self._sent(said, budget) is None:
                    return
            self._answered(said, round)

    def _answered(self, said: Said, round: Round | None) -> None:
        if round is not None:
            self._store(round.asked, *round.results)
        elif said.answer is not None:
            self._store(said.answer)

    def _store(self, *messages: Message) -> None:
        for message in messages:
            self._row += 1
            kept = replace(message, seq=self._row)
            self.turns[-1].append(kept)
            self._stored.append(_fingerprint(kept))

    def _sent(self, said: Said, budget: Budget) -> Assembled | None:
        """One request as the session makes it; None when it was refused."""
        try:
            made = self._assembled(said, budget)
            while made.moved is not None and self._moves < MOST_MOVES:
                self._moves += 1
                self._follow(made, budget)
                made = self._assembled(said, budget)
        except ContextBudgetError:
            self._refused(said, budget)
            return None
        self._judge(made, said, budget)
        return made

    def _assembled(self, said: Said, budget: Budget) -> Assembled:
        turn = self.turns[-1]
        setup = said.setup
        return assemble(
            replace(said.parts, summary=self._summary),
            Past(turns=self._shown(), aged=self._aged, rules=setup.rules),
            turn[0],
            tail=turn[1:],
            budget=budget,
            counter=setup.counter,
            rendering=Rendering(model="m", layout=setup.layout),
        )

    def _shown(self) -> Iterator[Sequence[Message]]:
        for turn in reversed(self.turns[:-1]):
            if turn[0].seq <= self._after:
                return
            yield turn

    def _follow(self, made: Assembled, budget: Budget) -> None:
        """The cut where it stands now; what it hides gets a summary, which takes room too."""
        moved = made.moved
        assert moved is not None
        self.found.moves += 1
        if moved.after <= self._after and moved.aged <= self._aged:
            self._tell("restless", f"the cut moved to where it was: {moved}")
        if moved.after > self._after:
            self._summary = ENGLISH[: budget.input_target // 3]
        self._after = max(self._after, moved.after)
        self._aged = max(self._aged, moved.aged)

    def _refused(self, said: Said, budget: Budget) -> None:
        self.found.refused += 1
        counter = said.setup.counter
        system = [Message(role=Role.SYSTEM, text=block.text) for block in said.parts.system]
        tokens = counter.count_tools(said.parts.tools)
        fixed = [*system, *self.turns[-1]]
        if not referee.rightly_refused(fixed, tokens=tokens, budget=budget, counter=counter):
            self._tell("wrongly_refused", "a turn that fits was refused")

    def _judge(self, made: Assembled, said: Said, budget: Budget) -> None:
        request, counter = made.request, said.setup.counter
        self.found.requests += 1
        over = referee.overrun(request, budget, counter)
        if over > 0:
            self._tell("overruns", f"{over} tokens over {budget}")
        self.found.worst_fill = max(self.found.worst_fill, made.ledger.used / budget.input_limit)
        for fault in referee.misplaced(request):
            self._tell("misplaced", fault)
        for fault in referee.misremembered(request, self.turns):
            self._tell("misplaced", fault)
        for provider in ASKED:
            try:
                validate(request, provider=provider)
            except InvalidRequest as error:
                self._tell("invalid", f"{provider}: {error}")

    def _tell(self, kind: str, fault: str) -> None:
        setattr(self.found, kind, getattr(self.found, kind) + 1)
        if len(self.found.examples) < SHOWN:
            where = f"seed {self.seed}, turn {len(self.turns)}"
            self.found.examples.append(f"{where}: {kind}: {fault[:300]}")


def drive(seeds: Sequence[int]) -> Tally:
    """What was found in the conversations of these seeds."""
    found = Tally()
    for seed in seeds:
        found.add(Driven(seed).run())
    return found


def _fingerprint(message: Message) -> int:
    return hash((message, message.seq))
