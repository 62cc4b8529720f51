"""An episode told by a model: title, gist, outcome, lessons, key facts: all from what was said."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from stratal_memory.consolidation.asking import NUMBER, asked
from stratal_memory.consolidation.night import Asking
from stratal_memory.consolidation.telling import Told
from stratal_memory.text import terms

SHOWN = 12_000  # characters of a segment: some 3,000 tokens
GROUNDED = 0.6  # share of the answer's words that the segment must hold: a gist rewords

_ASK = """\
Sum up one stretch of a conversation between a user and an assistant, for the assistant's own
memory. Answer with one JSON object:
{"title": up to 8 words, "gist": one to three sentences about what the user said and wanted,
"outcome": how it ended in one short sentence or "", "lessons": up to 2 short sentences or [],
"key_facts": up to 5 short statements about the user or []}
Use only what stands there; invent nothing; call the user "the user".
"""


class _Episode(BaseModel):
    """The answer."""

    model_config = ConfigDict(extra="ignore")

    title: str = Field(min_length=1, max_length=120)
    gist: str = Field(min_length=1, max_length=600)
    outcome: str = Field(default="", max_length=200)
    lessons: list[str] = Field(default_factory=list, max_length=4)
    key_facts: list[str] = Field(default_factory=list, max_length=10)


def tell_by_model(asking: Asking, lines: Sequence[str]) -> Told:
    """The episode of `lines`, one a message as `user: ...`.

    Raises `ModelAnswerError` when the answer says what nobody said, and `Paused`.
    """
    data = "\n".join(lines)[:SHOWN]
    answer = asked(asking, _ASK, data, _Episode, check=lambda made: _unfounded(made, data))
    facts = " ".join(_sentence(one) for one in answer.key_facts[:5])
    lessons = " ".join(_sentence(one) for one in answer.lessons[:2])
    parts = (
        _sentence(answer.title),
        _sentence(answer.gist),
        f"Outcome: {_sentence(answer.outcome)}" if answer.outcome else "",
        f"Lesson: {lessons}" if lessons else "",
        facts,
    )
    text = " ".join(part for part in parts if part)
    return Told(title=answer.title, text=text, how="model")


def _unfounded(made: _Episode, data: str) -> str:
    """What the answer says that the data does not; empty when nothing."""
    told = " ".join((made.gist, made.outcome, *made.lessons, *made.key_facts))
    numbers = [number for number in NUMBER.findall(told) if number.strip(".,:") not in data]
    if numbers:
        return f"the number {numbers[0]} does not stand in the conversation"
    said, known = set(terms(told)), set(terms(data))
    strange = said - known - {"user", "assistant"}
    if len(said) and len(strange) > (1 - GROUNDED) * len(said):
        return f"most of it was not said, as {', '.join(sorted(strange)[:5])}"
    return ""


def _sentence(text: str) -> str:
    bare = " ".join(text.split())
    return bare if bare.endswith((".", "!", "?")) or not bare else f"{bare}."
