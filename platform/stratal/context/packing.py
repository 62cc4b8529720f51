"""A ledger as it is stored: one short JSON text, and its long texts apart, each kept once.

What a conversation sends again and again costs a digest: system blocks, tools, remembered texts,
and the turns of the history, which go in runs. Where a run ends depends on its last turn alone, so
the same turns make the same runs wherever the history begins.

    {"packed": 1,                           and all fields that are not their default, but
     "sections": [[name, asked, granted, cap], ...],
     "candidates": [[memory*, tokens, score, similarity, verdict, reason], ...],
     "messages": [[lines*, tokens*], ...],  a run; tokens as numbers with blanks between them
     "cached": [index of a message, ...],
     "tools": specs*}

What has a * is text, JSON but for tokens. Any text may be `#` and its digest instead, outside and
in the JSON inside, no deeper.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from pydantic import JsonValue

from stratal.context.canonical import compact, sparse
from stratal.context.ledger import Considered, Ledger, Line, Section
from stratal_memory.records import Role
from stratal_memory.text import content_hash

FORM = 1
INLINE = 64  # characters; a shorter text costs less than its digest and a row
DIGEST = "#"  # what follows is a digest; a text that begins so is kept under its own
LAST_OF_RUN = "0"  # a turn whose digest ends so ends its run: one in sixteen does
COUNTED = frozenset({"tokens", "cached"})  # of a line; what calibration changes stands apart
APART = frozenset({"sections", "candidates", "messages", "tools"})
SECTION = tuple(one.name for one in fields(Section))
MEMORY = ("memory", "kind", "text", "source", "form", "date", "confidence", "scope")
SCORED = ("tokens", "score", "similarity", "verdict", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A ledger for the disk; `texts` are by their `content_hash`."""

    json: str
    texts: dict[str, str]


def pack(ledger: Ledger) -> Packed:
    """`ledger` without what a conversation repeats; `unpacking.unpack` gives it back equal."""
    texts: dict[str, str] = {}
    rest = sparse(ledger, without=APART)
    assert isinstance(rest, dict)
    packed: dict[str, JsonValue] = {
        "packed": FORM,
        **rest,
        "sections": [[getattr(one, name) for name in SECTION] for one in ledger.sections],
        "candidates": [_candidate(one, texts) for one in ledger.candidates],
        "messages": list(_runs(ledger.messages, texts)),
        "cached": [index for index, line in enumerate(ledger.messages) if line.cached],
        "tools": _kept(compact(sparse(ledger.tools)), texts),
    }
    return Packed(json=compact(packed), texts=texts)


def _kept(value: JsonValue, texts: dict[str, str]) -> JsonValue:
    """`value` with its long texts in `texts`, and their digests in their places."""
    if isinstance(value, str):
        if len(value) <= INLINE and not value.startswith(DIGEST):
            return value
        digest = content_hash(value)
        texts[digest] = value
        return DIGEST + digest
    if isinstance(value, list):
        return [_kept(one, texts) for one in value]
    if isinstance(value, dict):
        return {name: _kept(one, texts) for name, one in value.items()}
    return value


def _candidate(one: Considered, texts: dict[str, str]) -> JsonValue:
    """What the memory is, which it stays from turn to turn, and what became of it now."""
    values = {"confidence": one.parts.confidence, "scope": one.parts.scope}
    memory: JsonValue = [values[n] if n in values else getattr(one, n) for n in MEMORY]
    kept = _kept(compact(_kept(memory, texts)), texts)
    return [kept, one.tokens, one.score, one.parts.similarity, one.verdict.value, one.reason]


def _runs(lines: Sequence[Line], texts: dict[str, str]) -> Iterator[JsonValue]:
    """Every line once, in order: many turns of the history in one text, all else by itself."""
    waiting: list[_Group] = []
    for group in (_Group(some, texts) for some in _groups(lines)):
        waiting.append(group)
        if not group.said:
            yield from (_run([one], texts) for one in waiting)
            waiting.clear()
        elif group.ends_run:
            yield _run(waiting, texts)
            waiting.clear()
    yield from (_run([one], texts) for one in waiting)


class _Group:
    """One turn, or one line that nobody said."""

    def __init__(self, lines: Sequence[Line], texts: dict[str, str]) -> None:
        self.said = _is_said(lines[0])
        self.records = [_kept(sparse(line, without=COUNTED), texts) for line in lines]
        self.tokens = [line.tokens for line in lines]

    @property
    def ends_run(self) -> bool:
        """Whether the next turn begins another run; it depends on nothing but this turn."""
        return content_hash(compact(self.records)).endswith(LAST_OF_RUN)


def _groups(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The turns, and what stands between them: system blocks and context, one by one."""
    group: list[Line] = []
    for line in lines:
        goes_on = line.role is not Role.USER and _is_said(line)
        if group and not (goes_on and _is_said(group[0])):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _is_said(line: Line) -> bool:
    return line.role not in (Role.SYSTEM, Role.CONTEXT)


def _run(groups: Sequence[_Group], texts: dict[str, str]) -> JsonValue:
    lines = [record for group in groups for record in group.records]
    tokens = " ".join(str(count) for group in groups for count in group.tokens)
    return [_kept(compact(lines), texts), _kept(tokens, texts)]
