"""The ladder of a summary: a model, the extractive one, and at last a note."""

from collections.abc import Sequence
from dataclasses import replace

from stratal.context.compression.earlier import earlier_named
from stratal.context.compression.extractive import extract, pinned_that_fit
from stratal.context.compression.note import note
from stratal.context.compression.statements import OUTCOME, ends
from stratal.context.compression.survival import (
    ENOUGH,
    Anchors,
    Survival,
    anchors,
    survival_of,
    with_pinned,
)
from stratal.summarizing.asking import Asking
from stratal.summarizing.job import Complete, Count, Job, Made, Method
from stratal_memory.learning.redaction import redact
from stratal_memory.records import Message, Role
from stratal_memory.text import storable

# Of what the earlier summary named: the room stays the same while more is told, so less than
# `ENOUGH` must do; but a model that drops the earlier summary altogether is refused.
EARLIER_ENOUGH = 0.3


def summarize(job: Job, *, complete: Complete | None, count: Count) -> Made:
    """A summary of `job.turns` that takes the place of the earlier one; nothing is raised.

    At most `job.limit` tokens and fewer than its source has. A model's summary is taken when at
    least 60 % of the names, numbers, identifiers and paths survive; rules and open questions it
    left out are added word for word. Else the extractive summary is taken, and where nothing can
    be said shorter, a note that messages were dropped (Cs7, P26). Secrets are redacted on the
    way in and out. What a model writes is data: it is never acted on here.
    """
    clean = _clean(job)
    wanted = anchors(clean.turns, previous=clean.previous)
    tried: list[str] = []
    if not job.messages:
        return _unchanged(clean, wanted, count)
    limit = min(job.limit, _source(job, count) - 1)
    text, method = "", Method.MODEL
    if complete:
        whole = replace(job, previous=clean.previous, limit=limit)
        text = _by_model(whole, wanted, complete, count, tried)
    if not text:
        method = Method.EXTRACTIVE
        text = _by_rules(replace(clean, limit=limit), count, tried)
    if not text:
        method = Method.NOTE
        text = _by_note(clean, wanted, count, tried)
    survival = survival_of(wanted, text)
    return Made(text=text, method=method, survival=survival, tried=tuple(tried))


def _clean(job: Job) -> Job:
    """The job without secrets and with both ends only of very long texts."""
    turns = tuple(tuple(_clean_message(message) for message in turn) for turn in job.turns)
    return replace(job, turns=turns, previous=_redacted(job.previous))


def _clean_message(message: Message) -> Message:
    # Of a result only the beginning is ever shown.
    text = message.text[: 4 * OUTCOME] if message.role == Role.TOOL else ends(message.text)
    calls = (
        replace(call, arguments=_redacted(ends(call.arguments))) for call in message.tool_calls
    )
    return replace(message, text=_redacted(text), tool_calls=tuple(calls))


def _redacted(text: str) -> str:
    return redact(storable(text)).text


def _source(job: Job, count: Count) -> int:
    """Tokens of what the summary stands for, the earlier summary included."""
    texts = [job.previous]
    for turn in job.turns:
        for message in turn:
            texts += (ends(message.text), *(call.arguments for call in message.tool_calls))
    return sum(count(text) for text in texts if text)


def _unchanged(job: Job, wanted: Anchors, count: Count) -> Made:
    """The earlier summary, which nothing is added to; shortened where the limit is smaller now."""
    text = job.previous
    if count(text) > job.limit:
        text = extract((), previous=text, count=count, limit=job.limit)
    return Made(text=text, method=Method.EXTRACTIVE, survival=survival_of(wanted, text))


def _by_model(job: Job, wanted: Anchors, complete: Complete, count: Count, tried: list[str]) -> str:
    """The model's summary with the rules and questions it lost; empty when it is refused."""
    pinned = pinned_that_fit(wanted, count=count, limit=job.limit)
    asking = Asking(
        complete=complete,
        count=count,
        window=job.window,
        limit=job.limit - sum(count(f"- {line}") + 1 for line in pinned),
        named=_heaviest(wanted),
        rules=wanted.rules,
        tried=tried,
    )
    if asking.limit <= 0:
        tried.append(f"model: no room for an answer in {job.limit:,} tokens")
        return ""
    text = asking.summary(job.turns, previous=job.previous)
    if not text:
        return ""
    lost = survival_of(wanted, text).lost_pinned
    text = with_pinned(text, [line for line in pinned if line in lost])
    wrong = _wrong(text, job, wanted, count)
    if wrong:
        tried.append(f"model: {wrong}")
    return "" if wrong else text


def _heaviest(wanted: Anchors) -> list[str]:
    order = sorted(wanted.named, key=lambda one: (-one.weight, -one.last))
    return [one.text for one in order]


def _wrong(text: str, job: Job, wanted: Anchors, count: Count) -> str:
    """Why a model's summary is refused; empty when it holds."""
    if count(text) > job.limit:
        return f"{count(text):,} tokens with the rules it left out, at most {job.limit:,} may be"
    now = survival_of(wanted, text)
    if not now.enough:
        return f"only {_part(now)} of what it stands for survived, {ENOUGH:.0%} are needed"
    told = Anchors(named=earlier_named(job.previous), rules=(), questions=())
    earlier = survival_of(told, text)
    if earlier.share < EARLIER_ENOUGH:
        return (
            f"only {_part(earlier)} of the earlier summary survived, "
            f"{EARLIER_ENOUGH:.0%} are needed"
        )
    return ""


def _part(survival: Survival) -> str:
    return f"{survival.share:.0%} ({survival.kept} of {survival.total})"


def _by_rules(job: Job, count: Count, tried: list[str]) -> str:
    text = extract(job.turns, previous=job.previous, count=count, limit=job.limit)
    if not text:
        tried.append(f"extractive: nothing fits {max(0, job.limit):,} tokens")
    return text


def _by_note(job: Job, wanted: Anchors, count: Count, tried: list[str]) -> str:
    """The earlier summary, the note after a blank line (Ps3), then the rules; what fits of it."""
    said = note(job.messages)
    for text in _noted(job, wanted, said, count):
        if count(text) <= job.limit:
            return text
    tried.append(f"note: it does not fit {job.limit:,} tokens")
    return ""


def _noted(job: Job, wanted: Anchors, said: str, count: Count) -> Sequence[str]:
    """The fullest first."""
    lost = survival_of(wanted, job.previous).lost_pinned
    room = job.limit - count(said) - 2
    shorter = extract((), previous=job.previous, count=count, limit=room)
    bodies = [f"{before}\n\n{said}" if before else said for before in (job.previous, shorter)]
    return [with_pinned(bodies[0], lost), *bodies, said]
