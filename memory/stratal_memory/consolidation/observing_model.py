"""A model puts facts into one sentence, and says with quotes which of them it used."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from stratal_memory.consolidation.asking import NUMBER, asked
from stratal_memory.consolidation.night import Asking
from stratal_memory.text import terms

_ASK = """\
Put these facts about one user into one or two plain sentences that keep every name, number and
detail, for the assistant's own memory. Answer with one JSON object:
{"sentence": the text, "cites": the ids of the facts it tells, all of them}
Add nothing that does not stand there.
"""


class _Observation(BaseModel):
    """The answer."""

    model_config = ConfigDict(extra="ignore")

    sentence: str = Field(min_length=1, max_length=600)
    cites: list[str]


def observe_by_model(asking: Asking, facts: Sequence[str]) -> str:
    """The sentence; it cites each fact, keeps its words, and brings in few of its own.

    Raises `ModelAnswerError` when the answer can't be used, and `Paused`.
    """
    ids = [f"f{number}" for number in range(1, len(facts) + 1)]
    data = "\n".join(f"{id}: {text}" for id, text in zip(ids, facts, strict=True))

    def wrong(made: _Observation) -> str:
        if set(made.cites) != set(ids):
            return f"cites must be exactly {', '.join(ids)}"
        return _wrong(made.sentence, facts)

    return " ".join(asked(asking, _ASK, data, _Observation, check=wrong).sentence.split())


def _wrong(sentence: str, facts: Sequence[str]) -> str:
    said, known = set(terms(sentence)), set(terms(" ".join(facts)))
    shared = set.intersection(*(set(terms(fact)) for fact in facts))
    lost = [fact for fact in facts if not _tells(set(terms(fact)) - shared, said)]
    if lost:
        return f"it does not tell {lost[0]!r}"
    if len(said - known) * 3 > len(said):
        return f"it brings in {', '.join(sorted(said - known)[:5])}"
    strange = set(NUMBER.findall(sentence)) - set(NUMBER.findall(" ".join(facts)))
    return f"the number {min(strange)} is not among the facts" if strange else ""


def _tells(own: set[str], said: set[str]) -> bool:
    """Whether most of the words that are a fact's own are in the sentence."""
    return len(own & said) * 2 > len(own) or not own
