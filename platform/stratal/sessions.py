"""The conversations of one user with one agent; nobody else's are ever found."""

from dataclasses import dataclass
from datetime import timedelta

from stratal.context.ledger import Ledger
from stratal.context.unpacking import unpack
from stratal.errors import NotFound
from stratal.providers.provider import Usage
from stratal.reply import USAGE
from stratal_memory.records import Message, Session
from stratal_memory.store import Store
from stratal_memory.truth import ledgers, messages, sessions, turns
from stratal_memory.truth.turns import Turn


@dataclass(frozen=True, slots=True)
class Sessions:
    """What was said to one agent, by conversation."""

    store: Store

    def all(self) -> list[Session]:
        """The conversations, latest first."""
        return self._find()

    def named(self, id: str) -> Session:
        """One conversation; `NotFound` when it is not one of this user and agent."""
        found = self._find(id)
        if not found:
            raise NotFound(f"no session {id!r} of yours", hint="`stratal session list` shows them.")
        return found[0]

    def fresh(self, *, idle: timedelta) -> Session | None:
        """The latest conversation, when something was said in it within `idle`."""
        since = self.store.clock() - idle
        return next((one for one in self._find() if one.last_active >= since), None)

    def of_request(self, request_id: str) -> Session | None:
        """Where the turn of an earlier request stands; None for a new request."""
        who = self.store.reach.principal
        with self.store.read() as connection:
            turn = turns.find_turn(
                connection, user=who.user, agent=who.agent, request_id=request_id
            )
        return None if turn is None else self.named(turn.session)

    def start(self) -> Session:
        """A new, empty conversation."""
        who = self.store.reach.principal
        with self.store.write() as journal:
            return sessions.start_session(
                journal.connection, user=who.user, agent=who.agent, at=journal.at
            )

    def unstarted(self) -> Session:
        """A conversation as it would begin now; nothing is stored."""
        who, now = self.store.reach.principal, self.store.clock()
        return Session(id="new", user=who.user, agent=who.agent, started=now, last_active=now)

    def messages(self, session: Session) -> list[Message]:
        """The messages of a conversation, oldest first; `NotFound` for somebody else's."""
        own = self.named(session.id)
        with self.store.read() as connection:
            return messages.of_session(connection, own.id)

    def ledger(self, turn: str) -> Ledger:
        """The stored ledger of a turn; `NotFound` when it is not one of this user and agent.

        Raises `InputError` when a text of it was erased.
        """
        found = self._turn(turn)
        with self.store.read() as connection:
            return unpack(
                found.ledger, lambda digests: ledgers.texts_of(connection, found.session, digests)
            )

    def usage(self, turn: str) -> Usage | None:
        """What the provider counted for a turn; None when it has no answer. Else as `ledger`."""
        found = self._turn(turn)
        return USAGE.validate_json(found.usage) if found.usage else None

    def _turn(self, id: str) -> Turn:
        who = self.store.reach.principal
        with self.store.read() as connection:
            found = turns.find_turn(connection, user=who.user, agent=who.agent, id=id)
        if found is None or not found.ledger:
            raise NotFound(
                f"no turn {id!r} with a ledger here",
                hint="`stratal chat -m ... --json` names the turn.",
            )
        return found

    def _find(self, id: str | None = None) -> list[Session]:
        who = self.store.reach.principal
        with self.store.read() as connection:
            return sessions.find_sessions(connection, user=who.user, agent=who.agent, id=id)
