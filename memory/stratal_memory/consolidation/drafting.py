"""One stretch of a conversation as an episode will tell it, and what else is learned from it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, select

from stratal_memory.consolidation.night import Night
from stratal_memory.consolidation.noticing import Kept, notice
from stratal_memory.consolidation.segments import Segment
from stratal_memory.consolidation.telling import Told, tell
from stratal_memory.consolidation.telling_model import tell_by_model
from stratal_memory.embedding.embedder import Vectors
from stratal_memory.learning.injected import strip_injected
from stratal_memory.learning.model_answer import ModelAnswerError
from stratal_memory.leaving_out import without_words
from stratal_memory.records import Form, Message, Role, Session
from stratal_memory.store import Store
from stratal_memory.truth import memories, sqlite
from stratal_memory.truth.forgotten import LeftOut
from stratal_memory.truth.memories import QUESTIONS
from stratal_memory.truth.schema import evidence
from stratal_memory.truth.schema import memories as table


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The episode of one segment, ready to be written."""

    segment: Segment
    told: Told
    left_out: LeftOut
    vector: Vectors | None = None
    failure: str = ""  # why a model could not tell it
    facts: tuple[Kept, ...] = ()  # what else is learned from it


def drafted(
    night: Night, session: Session, part: Segment, *, hidden: LeftOut, read: Collection[str]
) -> Draft | None:
    """A stretch told and embedded; None where nothing was said.

    What is `hidden` is left out. Of messages that were `read` before nothing more is learned.
    """
    with night.read() as connection:
        told = _tell(night.store, connection, part, hidden)
    if told is None:
        return None
    failure = ""
    if night.asking.model is not None:
        try:
            told = tell_by_model(night.asking, _lines(night.store, part, hidden))
        except ModelAnswerError as error:
            failure = str(error)
    [vector] = night.embed([told.text.partition(QUESTIONS)[0]])
    new = [one for one in part.said if one.id not in read and one.id not in hidden.words]
    facts = notice(night, session, new)
    return Draft(
        segment=part, told=told, left_out=hidden, vector=vector, failure=failure, facts=facts
    )


def _tell(store: Store, connection: Connection, part: Segment, hidden: LeftOut) -> Told | None:
    texts = [_text(store, message, hidden) for message in part.said]
    return tell(
        texts,
        rarity=lambda sentences: sqlite.rarity(connection, sentences),
        facts=_learned_from(connection, [one.id for one in part.said]),
    )


def _learned_from(connection: Connection, messages: Sequence[str]) -> list[str]:
    """The words in these messages that facts rest on: the key facts are among them."""
    fact = and_(table.c.id == evidence.c.memory, table.c.form == Form.FACT)
    found: list[str] = []
    for start in range(0, len(messages), memories.PAGE):
        page = evidence.c.ref.in_(messages[start : start + memories.PAGE])
        query = select(evidence.c.quote).where(page, fact)
        found += connection.execute(query).scalars()
    return found


def _lines(store: Store, part: Segment, hidden: LeftOut) -> list[str]:
    spoken = (one for one in part.messages if one.role in (Role.USER, Role.ASSISTANT))
    told = ((one.role, _text(store, one, hidden)) for one in spoken)
    return [f"{role}: {text}" for role, text in told if text.strip()]


def _text(store: Store, message: Message, hidden: LeftOut) -> str:
    """What may be told of a message: nothing private, nothing that was forgotten."""
    # The whole message: half of an e-mail address at the end of a sentence looks like none.
    text = store.private(strip_injected(message.text))
    return without_words(text, hidden.words.get(message.id, ()))
