"""Steps 5 and 6 for a conversation: what its history says is read, and the request is built."""

from collections.abc import Iterator
from dataclasses import replace

from stratal.context.assembler import Assembled, Rendering, assemble
from stratal.context.caching import Caching, caching
from stratal.context.compression.results import shown
from stratal.context.compression.strategies import Size
from stratal.context.compression.triggers import Measure, mark_of
from stratal.context.history import Past
from stratal.context.sections import Parts
from stratal.context.validator import validate
from stratal.conversation import Conversation
from stratal.prompting import standing
from stratal_memory.learning.redaction import redact
from stratal_memory.recall.recall import recall
from stratal_memory.records import Message, Role
from stratal_memory.text import storable
from stratal_memory.truth import messages, summaries, turns


def assembled(desk: Conversation, parts: Parts, message: Message, *, turn: str = "") -> Assembled:
    """The request for `message`, which is the first of `turn` when it is stored already.

    The history is read newest first and no further than it can fit. Raises `ContextBudgetError`.
    """
    beside = {message.seq, *_answered_beside(desk, turn)}
    with desk.store.read() as connection:
        cut = summaries.current_cut(connection, desk.session.id)
        said = messages.of_turn(connection, turn) if turn else []
        before = messages.newest_turns(connection, desk.session.id, after=cut.after)
        past = Past(
            turns=(one for one in before if one[0].seq not in beside),
            aged=cut.aged,
            rules=desk.rules,
        )
        return assemble(
            replace(parts, summary=cut.summary),
            past,
            message,
            tail=said[1:],
            budget=desk.budget,
            counter=desk.counter,
            rendering=_rendering(desk),
        )


def in_prompt(desk: Conversation) -> frozenset[str]:
    """The ids of what the history will say anyway: as many of the newest messages as could fit."""
    found: list[tuple[Message, ...]] = []
    sizes: list[Size] = []
    left = desk.budget.input_target
    with desk.store.read() as connection:
        cut = summaries.current_cut(connection, desk.session.id)
        for turn in messages.newest_turns(connection, desk.session.id, after=cut.after):
            tokens = desk.counter.count_messages(shown(turn, desk.rules.results, aged=cut.aged))
            left -= tokens
            if left < 0:
                break
            found.append(turn)
            sizes.append(Size((tokens, len(turn))))
    shown_turns = found[: desk.rules.allowed(sizes)]
    return frozenset(message.id for turn in shown_turns for message in turn)


def preview(desk: Conversation, text: str) -> Assembled:
    """Steps 2 to 7 for a message that is not said: what would be sent. Nothing is stored."""
    message = Message(role=Role.USER, text=redact(storable(text)).text)
    found = recall(
        desk.store,
        message.text,
        settings=desk.recall,
        count=desk.counter.count,
        nonce="preview",
        in_prompt=in_prompt(desk),
    )
    made = assembled(desk, standing(desk, message.text, found, keep=False).parts, message)
    validate(made.request, provider=desk.provider.name)
    return made


def _answered_beside(desk: Conversation, turn: str) -> Iterator[int]:
    """The rows where other turns of the session begin that are answered right now."""
    with desk.store.read() as connection:
        for other in turns.open_turns(connection, desk.session.id):
            at_work = desk.store.database.is_at_work(owner=other.owner, turn=other.id)
            if at_work and other.id != turn:
                yield from (one.seq for one in messages.of_turn(connection, other.id)[:1])


def _rendering(desk: Conversation) -> Rendering:
    marked = caching(desk.provider.name) in (Caching.MARKS, Caching.POINTS) and desk.cache.marks
    return Rendering(
        model=desk.model.name,
        layout=desk.layout,
        cache_minimum=desk.info.cache_minimum if marked else None,
        cache_ttl=desk.cache.ttl,
        cache_key=desk.session.id if caching(desk.provider.name) is Caching.KEY else "",
        summarize_at=_summarize_at(desk),
    )


def _summarize_at(desk: Conversation) -> int:
    """The input tokens at which a summary is made; 0 where tokens do not decide."""
    triggers = desk.summary.triggers
    marks = [] if triggers.tokens is None else [triggers.tokens]
    if triggers.fraction is not None:
        marks.append(mark_of(triggers.fraction, desk.budget.effective))
    if not (desk.summary.enabled and marks and desk.summary.measure is Measure.FULL):
        return 0
    return max(1, min(marks) - desk.budget.output_reserve)
