"""A world in which turns with tools are taken: real history, nothing of a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from stratal_memory.records import Message, Role, Session, TurnState, new_id
from stratal_memory.store import Store
from stratal_memory.truth import messages as stored
from stratal_memory.truth import turns
from stratal_memory.truth.practised import Outcome
from stratal_memory.truth.procedures import StoredProcedure
from stratal_procedures import counting
from stratal_procedures.episode import episode
from stratal_procedures.learning import Learning
from stratal_procedures.scoring import THRESHOLDS
from stratal_procedures.settling import end_of
from tests.memory.worlds import begin
from tests.procedures.episodes import Step, messages


@dataclass
class Practice:
    """What the platform does after every turn, without the platform."""

    store: Store
    learning: Learning = field(init=False)

    def __post_init__(self) -> None:
        self.learning = Learning(store=self.store)

    def begin(self) -> Session:
        return begin(self.store)

    def take(self, session: Session, said: Sequence[Message]) -> str:
        """A finished turn with these messages; its id."""
        with self.store.write() as journal:
            turn = turns.start_turn(
                journal.connection, session, request_id=new_id("req"), model="m", at=journal.at
            )
            stored.append(journal.connection, turn, said, at=journal.at)
            turns.close_turn(
                journal.connection, turn.id, state=TurnState.DONE, at=journal.at, usage=""
            )
        return turn.id

    def work(
        self,
        request: str,
        steps: Sequence[Step],
        *,
        session: Session | None = None,
        results: Sequence[str] = (),
        failed: Sequence[int] = (),
        used: StoredProcedure | None = None,
    ) -> tuple[Session, str]:
        """A turn of tool calls, noted as the platform notes it."""
        session = session or self.begin()
        said = messages(request, steps, results=results, failed=failed)
        turn = self.take(session, said)
        self.settle(session, turn, said)
        outcome, why = end_of(said, stopped="")
        if used is not None:
            counting.put_in(self.store, turn, used, outcome=outcome, why=why)
            return session, turn
        done = episode(said, turn=turn, session=session.id, least=THRESHOLDS.calls)
        if not done.flaw:
            ok = None if outcome is Outcome.PENDING else False
            self.learning.note(done, ok=ok, why=why)
        return session, turn

    def reply(self, session: Session, text: str = "Thanks, now something else") -> list[str]:
        """The user's next message; the names of the drafts that came of what it ended."""
        said = [
            Message(role=Role.USER, text=text),
            Message(role=Role.ASSISTANT, text="Fine."),
        ]
        turn = self.take(session, said)
        return self.settle(session, turn, said)

    def settle(self, session: Session, turn: str, said: Sequence[Message]) -> list[str]:
        ended = counting.settle(self.store, session=session.id, turn=turn, said=said)
        drafts = [self.learning.draft(signature) for signature in ended]
        return [one.name for one in drafts if one is not None]

    def done(
        self,
        request: str,
        steps: Sequence[Step],
        *,
        results: Sequence[str] = (),
        answer: str = "Thanks, now something else",
        used: StoredProcedure | None = None,
    ) -> list[str]:
        """A turn in a conversation of its own, and what the user said after it."""
        session, _ = self.work(request, steps, results=results, used=used)
        return self.reply(session, answer)
