"""What a turn leaves in the truth: its requests, answers and results, and how it ended."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from stratal.context.ledger import Ledger
from stratal.context.packing import pack
from stratal.conversation import Conversation
from stratal.providers.provider import Completion, Usage
from stratal.reply import USAGE
from stratal.tools.calls import distinct_calls, is_fit
from stratal.tools.memory import Reading
from stratal_memory.learning.redaction import redact
from stratal_memory.records import Message, Role, ToolCall, Trust, TurnState
from stratal_memory.text import storable
from stratal_memory.truth import ledgers, messages, recalls, sessions, turns
from stratal_memory.truth.turns import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A turn that has begun: its message is durable."""

    turn: Turn
    message: Message
    redacted: tuple[str, ...]


class Record:
    """One turn's rows. Nothing with a secret of known shape is written."""

    def __init__(self, desk: Conversation, turn: Turn) -> None:
        self._store = desk.store
        self._turn = turn

    def ledger(self, ledger: Ledger) -> None:
        """The account of the request that is about to be sent."""
        packed = pack(ledger)
        with self._store.write() as journal:
            ledgers.keep_ledger(journal.connection, self._turn.id, packed.json, packed.texts)

    def own_calls(self, completion: Completion) -> Completion:
        """The answer with calls as they run; they are stored so, but for secrets.

        Some servers count their calls anew in every answer; in a conversation an id names one
        call, so one that was used gets a new id, however much it looks as if drawn by chance.
        """
        if not completion.tool_calls:
            return completion
        with self._store.read() as connection:
            ids = [call.id for call in completion.tool_calls if is_fit(call.id)]
            used = messages.used_call_ids(connection, self._turn.session, ids)
        return replace(completion, tool_calls=distinct_calls(completion.tool_calls, used))

    def answer(self, completion: Completion, *, usage: Usage) -> None:
        """9: the answer is durable before a tool runs or the turn ends; without calls it ends.

        `usage` is that of the whole turn.
        """
        message = Message(
            role=Role.ASSISTANT,
            text=completion.text,
            tool_calls=completion.tool_calls,
            reasoning=completion.reasoning,
            opaque=completion.opaque,
        )
        with self._store.write() as journal:
            (kept,) = messages.append(
                journal.connection, self._turn, [_redacted(message)], at=journal.at
            )
            if completion.quotes_only:  # nothing new is in it: never learned, not even later
                messages.mark_remembered(journal.connection, [kept.id])
            if not completion.tool_calls:
                turns.close_turn(
                    journal.connection,
                    self._turn.id,
                    state=TurnState.DONE,
                    at=journal.at,
                    usage=USAGE.dump_json(usage).decode(),
                )

    def result(self, result: Message, reading: Reading) -> None:
        """A tool's result, with what the model has read by it."""
        with self._store.write() as journal:
            messages.append(journal.connection, self._turn, [_redacted(result)], at=journal.at)
            found = list(reading.found.items())
            recalls.keep_recalls(journal.connection, self._turn.id, found)
            sessions.lower_trust(journal.connection, self._turn.session, reading.trust)

    def unanswered(self) -> tuple[ToolCall, ...]:
        """The calls of the latest answer that have no result yet, in their order, as stored."""
        with self._store.read() as connection:
            said = messages.of_turn(connection, self._turn.id)
        answered: set[str] = set()
        for message in reversed(said):
            if message.role is not Role.TOOL:
                return tuple(call for call in message.tool_calls if call.id not in answered)
            answered.add(message.tool_call_id)
        return ()

    def abort(
        self, results: Iterable[Message], *, attempt: str, read: Trust = Trust.SYSTEM
    ) -> None:
        """The turn ends without an answer: what its calls came to, and what was written of one.

        `read` is the lowest trust of what the model has read, or would have by those calls.
        A turn that has its answer stays as it is.
        """
        with self._store.write() as journal:
            kept = [_redacted(result) for result in results]
            messages.append(journal.connection, self._turn, kept, at=journal.at)
            sessions.lower_trust(journal.connection, self._turn.session, read)
            turns.abort_turn(
                journal.connection,
                self._turn.id,
                at=journal.at,
                attempt=redact(storable(attempt)).text,
            )


def _redacted(message: Message) -> Message:
    """`message` fit for the disk: no secrets of known shape, whoever wrote them."""
    return replace(
        message,
        text=redact(storable(message.text)).text,
        tool_calls=tuple(_redacted_call(call) for call in message.tool_calls),
        reasoning=redact(storable(message.reasoning)).text,
        opaque="" if redact(message.opaque).kinds else message.opaque,  # signed: all or nothing
    )


def _redacted_call(call: ToolCall) -> ToolCall:
    return replace(call, arguments=redact(storable(call.arguments)).text)
