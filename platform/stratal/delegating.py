"""A sub-agent's turn: the way of a message inside a conversation of its own."""

from collections.abc import Iterator
from dataclasses import replace

from stratal.context.request import Request
from stratal.conversation import Conversation
from stratal.errors import StratalError, TurnCancelled
from stratal.providers.provider import Completion, Provider, StreamItem, Usage
from stratal.reply import Finished, Reply
from stratal.spending import Limits, limit_reached
from stratal.tools.subagent import Answer, Task
from stratal.turn import take_turn
from stratal_memory.records import Role, Session, Trust, new_id
from stratal_memory.truth import messages, sessions

HEAD = (
    "[A task from the agent you work for, not from the person. Do it and answer with its result "
    "alone: nobody can be asked.]"
)
CANCELLED = "the sub-agent was cancelled"


def delegated(desk: Conversation, task: Task) -> Answer:
    """What a sub-agent of the turn at `desk` answers.

    It has the same memory, mode, model and gate, a conversation that no list shows and nothing is
    learned from, and no sub-agents of its own. What it has read begins with what the turn has
    read, so that it can do nothing that the turn could not. An error of its own is its answer, and
    so is a share that is used up, with what was written until then: both have `failed`.
    Raises `TurnCancelled`.
    """
    session = _begun(desk, task.trust)
    meter = Meter(desk.provider)
    try:
        reply = _taken(_desk(desk, session, meter, task), task)
        cut = _cut_off(desk, reply)
        text, failed = cut or reply.text, bool(cut)
    except TurnCancelled:
        raise
    except StratalError as error:
        text, failed = f"the sub-agent came to no answer: {error} {error.hint}".strip(), True
    with desk.store.read() as connection:
        trust = sessions.lowest_read(connection, session.id)
    return Answer(text=text, trust=trust, used=tuple(meter.used), failed=failed)


class Meter:
    """A provider that writes down what each answer took; who made it closes the real one."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.used: list[Usage] = []

    @property
    def name(self) -> str:
        """That of the real one."""
        return self._provider.name

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """As the real one does."""
        for item in self._provider.stream(request):
            if isinstance(item, Completion):
                self.used.append(item.usage)
            yield item

    def close(self) -> None:
        """Nothing: it is not ours."""


def _begun(desk: Conversation, trust: Trust) -> Session:
    """A new conversation inside that of the turn, in which as much was read."""
    who = desk.store.reach.principal
    with desk.store.write() as journal:
        session = sessions.start_session(
            journal.connection,
            user=who.user,
            agent=who.agent,
            at=journal.at,
            parent=desk.session.id,
        )
        sessions.lower_trust(journal.connection, session.id, trust)
    return session


def _desk(desk: Conversation, session: Session, meter: Meter, task: Task) -> Conversation:
    return replace(
        desk,
        store=desk.store.for_session(session.id),
        session=session,
        provider=meter,
        only=task.tools,
        limits=Limits(
            steps=task.share.steps,
            tokens=task.share.tokens,
            dollars=task.share.dollars,
        ),
    )


def _taken(desk: Conversation, task: Task) -> Reply:
    request_id = f"sub_{task.call.idempotency_key or new_id('req')}"
    events = take_turn(desk, f"{HEAD}\n\n{task.text}", request_id=request_id)
    for event in events:
        if isinstance(event, Finished):
            return event.reply
        if task.call.cancelled():
            events.close()
            raise TurnCancelled(CANCELLED)
    raise AssertionError("a turn ended without its last event")


def _cut_off(desk: Conversation, reply: Reply) -> str:
    """Why there is no answer, with all that was written instead; empty where there is one."""
    share = limit_reached(reply.text)
    if not share:
        return ""
    with desk.store.read() as connection:
        every = messages.of_turn(connection, reply.turn)[:-1]
    written = [one.text for one in every if one.role is Role.ASSISTANT and one.text.strip()]
    told = f"the sub-agent used up its share of {share} before it answered; it had written"
    return "\n".join([f"{told}:", *written]) if written else f"{told} nothing"
