"""Steps 5 and 6 for a conversation: what its history says is read, and the request is built."""

from dataclasses import replace

from stratal.beside import answered_beside
from stratal.context.assembler import Assembled, Rendering, assemble
from stratal.context.caching import Caching, caching
from stratal.context.compression.results import shown
from stratal.context.compression.strategies import Size
from stratal.context.compression.triggers import Measure, mark_of
from stratal.context.history import Past
from stratal.context.sections import Parts
from stratal.conversation import Conversation
from stratal_memory.recall.recall import Recollection, recall
from stratal_memory.records import Message
from stratal_memory.truth import messages, summaries
from stratal_memory.truth.summaries import Cut


def assembled(
    desk: Conversation,
    parts: Parts,
    message: Message,
    *,
    turn: str = "",
    cut: Cut | None = None,
) -> Assembled:
    """The request for `message`, which is the first of `turn` when it is stored already.

    The history is read newest first and no further than it can fit; a `cut` goes before the
    stored one. Raises `ContextBudgetError`.
    """
    beside = answered_beside(desk, turn=turn)
    apart = {message.seq, *beside}
    with desk.store.read() as connection:
        behind = cut or summaries.current_cut(connection, desk.session.id)
        said = messages.of_turn(connection, turn) if turn else []
        before = messages.newest_turns(connection, desk.session.id, after=behind.after)
        past = Past(
            turns=(one for one in before if one[0].seq not in apart),
            aged=behind.aged,
            rules=desk.rules,
        )
        made = assemble(
            replace(parts, summary=behind.summary),
            past,
            message,
            tail=said[1:],
            budget=desk.budget,
            counter=desk.counter,
            rendering=_rendering(desk),
        )
    if made.moved is not None and any(row <= made.moved.after for row in beside):
        return replace(made, moved=None)  # the cut waits until the other turn has its answer
    return made


def recalled_for(desk: Conversation, text: str, *, nonce: str, said: str = "") -> Recollection:
    """What memory has to say to `text`, ranked, gated, capped and fenced with `nonce`.

    Nothing of it repeats what the history will say, nor the message `said` itself.
    """
    return recall(
        desk.store,
        text,
        settings=desk.recall,
        count=desk.counter.count,
        nonce=nonce,
        in_prompt=in_prompt(desk) | {said},
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
