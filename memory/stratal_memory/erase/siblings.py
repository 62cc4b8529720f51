"""What stays beside an erased memory and still says it: other facts, episodes, messages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from stratal_memory.erase.doomed import Doomed, Span, add_spans, pages, within
from stratal_memory.erase.quoting import blank
from stratal_memory.erase.target import Target, What
from stratal_memory.erase.traces import SHORTEST
from stratal_memory.records import Form
from stratal_memory.truth.schema import evidence, memories, messages, sessions

NAME = 4  # characters of the shortest name that is looked for
MESSAGE = "message"
Pattern = re.Pattern[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """A row that stays, or would: `kind` is the form of a memory, or `message`."""

    kind: str
    id: str


def add_siblings(connection: Connection, target: Target, doomed: Doomed) -> None:
    """Let what still says it go too: memories whole, and of messages the words themselves."""
    known = known_by(connection, doomed)
    if known is None:
        return
    for one in still_said(connection, target, doomed):
        if one.kind != MESSAGE:
            doomed.memories.add(one.id)
            continue
        said = connection.execute(select(messages.c.text).where(messages.c.id == one.id)).scalar()
        found = [match.span() for match in known.finditer(said or "")]
        doomed.spans.setdefault(one.id, []).extend(found)
    add_spans(connection, doomed)


def still_said(connection: Connection, target: Target, doomed: Doomed) -> list[Sibling]:
    """What stays of the user's memory and says what goes, by kind and id; of one memory only.

    Facts that were drawn from the same words, and all that holds a name or a long value of what
    goes, or its text.
    """
    if target.what is not What.KEY:
        return []
    found = {Sibling(kind=Form.FACT, id=id) for id in _drawn_alike(connection, doomed)}
    known = known_by(connection, doomed)
    if known is not None:
        found |= set(_memories(connection, target, doomed, known))
        found |= set(_messages(connection, target, doomed, known))
    return sorted(found, key=lambda one: (one.kind, one.id))


def staying(connection: Connection, left: Sequence[Sibling], known: Pattern) -> list[Sibling]:
    """Those of `left` that are there after an erase; of messages those that say it still."""
    found: list[Sibling] = []
    for one in left:
        table = messages if one.kind == MESSAGE else memories
        said = connection.execute(select(table.c.text).where(table.c.id == one.id)).scalar()
        if said is not None and (one.kind != MESSAGE or (known and known.search(said))):
            found.append(one)
    return found


def known_by(connection: Connection, doomed: Doomed) -> Pattern:
    """What tells what goes: names, values and texts; None when all of it is too short."""
    told: set[str] = set()
    for page in pages(doomed.memories):
        where = memories.c.id.in_(page) & (memories.c.form == Form.FACT)
        for row in connection.execute(select(memories.c.text, memories.c.value).where(where)):
            told |= {text.strip(" .!?") for text in row}
    wanted = sorted((one for one in told if _tells(one)), key=lambda one: (-len(one), one))
    words = "|".join(r"\s+".join(map(re.escape, one.split())) for one in wanted)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if wanted else None


def _tells(text: str) -> bool:
    return len(text) >= SHORTEST or (len(text) >= NAME and text[0].isupper())


def _drawn_alike(connection: Connection, doomed: Doomed) -> Iterator[str]:
    """Facts that stay and rest on words that go."""
    query = select(evidence, memories.c.id).join(memories, memories.c.id == evidence.c.memory)
    for page in pages(doomed.spans):
        where = evidence.c.ref.in_(page) & (memories.c.form == Form.FACT)
        for row in connection.execute(query.where(where)):
            spans = doomed.spans[row.ref]
            if row.id not in doomed.memories and _overlaps(spans, start=row.start, end=row.end):
                yield row.id


def _overlaps(spans: list[Span], *, start: int, end: int) -> bool:
    return any(start < last and first < end for first, last in spans)


def _memories(
    connection: Connection, target: Target, doomed: Doomed, known: re.Pattern[str]
) -> Iterator[Sibling]:
    """Memories that stay and hold it; the lines of the profile and of talk follow the rest."""
    columns = select(memories.c.id, memories.c.form, memories.c.text)
    forms = (Form.FACT, Form.OBSERVATION, Form.EPISODE, Form.CHUNK)
    where = within(target) & memories.c.form.in_(forms)
    found = connection.execute(columns.where(where).execution_options(yield_per=1_000))
    for row in found:
        if row.id not in doomed.memories and known.search(row.text):
            yield Sibling(kind=row.form, id=row.id)


def _messages(
    connection: Connection, target: Target, doomed: Doomed, known: re.Pattern[str]
) -> Iterator[Sibling]:
    """Messages of the user that hold it still when the words it was drawn from are gone."""
    mine = select(sessions.c.id).where(sessions.c.user == target.principal.user)
    columns = select(messages.c.id, messages.c.text)
    found = connection.execute(
        columns.where(messages.c.session.in_(mine)).execution_options(yield_per=1_000)
    )
    for row in found:
        if row.id in doomed.messages or not known.search(row.text):
            continue
        if known.search(blank(row.text, doomed.spans.get(row.id, []))):
            yield Sibling(kind=MESSAGE, id=row.id)
