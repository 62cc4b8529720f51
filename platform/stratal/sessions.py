"""The conversations of one user with one agent; nobody else's are ever found."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from stratal.context.ledger import Ledger
from stratal.context.repair import INTERRUPTED
from stratal.context.unpacking import unpack
from stratal.errors import NotFound
from stratal.providers.provider import Usage
from stratal.reply import USAGE
from stratal_memory.records import Message, Role, Session, ToolCall, TurnState
from stratal_memory.store import Store
from stratal_memory.truth import ledgers, messages, sessions, turns
from stratal_memory.truth.turns import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A message without an answer, which its request id goes on with, and the calls made for it."""

    request_id: str
    text: str
    done: tuple[ToolCall, ...] = ()
    failed: tuple[ToolCall, ...] = ()  # or never begun
    unknown: tuple[ToolCall, ...] = ()  # they may have had their effect


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

    def unfinished(self, session: Session) -> Unfinished | None:
        """The last message of a conversation, when it has no answer and nobody works on one.

        Else the newest that a crash cut off: nobody has heard of it yet. None when there is none;
        `NotFound` for somebody else's conversation.
        """
        own = self.named(session.id)
        with self.store.read() as connection:
            last = turns.last_turn(connection, own.id)
            later = [] if last is None or last.state is TurnState.DONE else [last]
            cut_off = sorted(turns.open_turns(connection, own.id), key=lambda one: one.first_seq)
            for turn in (*later, *reversed(cut_off)):
                if turn.state is TurnState.ABORTED or not self._is_at_work(turn):
                    return _unfinished(turn, messages.of_turn(connection, turn.id))
        return None

    def _is_at_work(self, turn: Turn) -> bool:
        return self.store.database.is_at_work(owner=turn.owner, turn=turn.id)

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


def _unfinished(turn: Turn, said: Sequence[Message]) -> Unfinished:
    results = {one.tool_call_id: one for one in said if one.role is Role.TOOL}
    calls = [(call, results.get(call.id)) for one in said for call in one.tool_calls]
    unknown = [
        call for call, result in calls if result is None or result.text.startswith(INTERRUPTED)
    ]
    known = [(call, result) for call, result in calls if result and call not in unknown]
    return Unfinished(
        request_id=turn.request_id,
        text=said[0].text,
        done=tuple(call for call, result in known if not result.tool_failed),
        failed=tuple(call for call, result in known if result.tool_failed),
        unknown=tuple(unknown),
    )
