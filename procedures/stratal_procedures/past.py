"""Episodes as the history holds them: what was called, and what had been read by then."""

from collections.abc import Sequence
from dataclasses import dataclass

from stratal_memory.records import Role
from stratal_memory.store import Store
from stratal_memory.truth import messages, practised, turns
from stratal_memory.truth.practised import PractisedTurn
from stratal_procedures.episode import Episode, after, episode
from stratal_procedures.scoring import THRESHOLDS


@dataclass(frozen=True, slots=True)
class Past:
    """The episodes of one principal's agent, read anew from the messages."""

    store: Store
    aside: frozenset[str] = frozenset()  # tools that look something up for the model alone

    def bare(self, noted: Sequence[PractisedTurn]) -> list[Episode]:
        """The noted episodes without what was said and read before their turns."""
        with self.store.read() as connection:
            said = [(one, messages.of_turn(connection, one.turn)) for one in noted]
        return [
            episode(
                spoken,
                turn=one.turn,
                session=one.session,
                least=THRESHOLDS.calls,
                aside=self.aside,
            )
            for one, spoken in said
            if spoken
        ]

    def in_context(self, one: Episode) -> Episode:
        """`one` with what was said and read in its conversation before it.

        Untrusted is every result of a tool, and every recalled memory that a tool, a document or
        the web had said.
        """
        who = self.store.reach.principal
        with self.store.read() as connection:
            turn = turns.find_turn(connection, user=who.user, agent=who.agent, id=one.turn)
            began = turn.first_seq if turn else 0
            talk = messages.of_session(connection, one.session)
            recalled = practised.untrusted_recalled(connection, one.session)
        before = [message for message in talk if message.seq < began]
        return after(
            one,
            said=[message.text for message in before if message.role is Role.USER],
            read=[
                *recalled,
                *(message.text for message in before if message.role is Role.TOOL),
            ],
        )
