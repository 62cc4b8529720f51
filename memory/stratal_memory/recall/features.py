"""The few things the ranker weighs of a candidate, each a plain number with a reason."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stratal_memory.index.line import Line
from stratal_memory.recall.asking import asks_for_advice, asks_of_assistant, asks_when
from stratal_memory.recall.calibration import SAME, Null
from stratal_memory.recall.lines import Lines, Numbers, Places
from stratal_memory.recall.question import Question
from stratal_memory.recall.times import closeness
from stratal_memory.recall.updates import asks_for_a_number, says_changed
from stratal_memory.recall.wishes import is_preference, is_rule
from stratal_memory.records import Form
from stratal_memory.text import terms

FADING, REACHING = 0.7, 3  # a word counts this much less with each line between, up to so many
WORDS_FOR_MEANING = 0.7  # how close a line that covers the question is taken to be
NEAR = 0.5  # what a neighbour's vector counts beside one's own
BEST_OF_SESSION = 3  # the lines by which a conversation is judged
MOST_PAIRS = 3
ENOUGH = 15  # terms from which a line is no longer short
_WORD = re.compile(r"[^\W\d_][\w-]*")
# Terms by which a text says when: what an answer to "when" has.
_TIMES = frozenset(
    terms(
        "yesterday today tonight tomorrow last next ago recently week month year weekend morning"
        " summer spring fall winter monday tuesday wednesday thursday friday saturday sunday"
        " january february march april may june july august september october november december"
        " since soon"
    )
)
YEAR = 4  # digits
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is weighed of one candidate."""

    meaning: float  # closeness of the line and, at half, its neighbours to the question, 0..1
    words: float  # share of the question's idf that is there or nearby, less with each line, 0..1
    pairs: float  # how many two words that are one after the other in the question are so here
    session: float  # closeness and words of the best three lines of its conversation, 0..1
    speaker: float  # 1 the one asked about said it, -1 somebody else did, 0 nobody is named
    date: float  # closeness to the time asked about, 0..1
    tells_when: float  # 1 when a time is asked for and the line names one
    length: float  # ln(1 + its terms), at most those of fifteen: short lines say nothing
    assistant: float  # 1 when the assistant said it and the question is not about that
    wish: float  # 1 for a standing order, and for a preference where advice is asked for
    changed: float  # 1 when a number is asked for and the line says that something changed


def features(
    asked: Question, near: Lines, seqs: Sequence[int], *, null: Null | None
) -> dict[int, Features]:
    """The features of the candidates `seqs`, all of them in `near`, by row number.

    `near` holds their neighbours too. Without vectors the words stand in for the meaning.
    """
    if not seqs:
        return {}
    here = np.array([near.place[seq] for seq in seqs], dtype=np.intp)
    everywhere = np.arange(len(near.lines) + 1)
    alone = _closeness(asked, near, everywhere, null=null, beside=0.0)
    sessions = _sessions(near.lines, (alone + coverage(asked, near, everywhere)) / 2)
    columns = zip(
        seqs,
        _closeness(asked, near, here, null=null, beside=NEAR).tolist(),
        _nearby(asked, near, here).tolist(),
        np.log1p(np.minimum(near.lengths[here], ENOUGH)).tolist(),
        strict=True,
    )
    of_words = _OfWords.of(asked, near.lines)
    return {
        seq: of_words.features(
            near.lines[near.place[seq]],
            meaning=meaning,
            words=words,
            session=sessions.get(near.lines[near.place[seq]].session, 0.0),
            length=length,
        )
        for seq, meaning, words, length in columns
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfWords:
    """What of the question is compared line by line."""

    asked: Question
    speakers: dict[str, float]
    pairs: tuple[str, ...]
    wants_time: bool
    wants_number: bool
    wants_advice: bool
    of_assistant: bool

    @classmethod
    def of(cls, asked: Question, lines: Collection[Line]) -> "_OfWords":
        return cls(
            asked=asked,
            speakers=_speakers(asked, lines),
            pairs=tuple({f" {one} {other} " for one, other in pairwise(terms(asked.text))}),
            wants_time=asks_when(asked.text),
            wants_number=asks_for_a_number(asked.text),
            wants_advice=asks_for_advice(asked.text),
            of_assistant=asks_of_assistant(asked.text),
        )

    def features(
        self,
        line: Line,
        *,
        meaning: float,
        words: float,
        session: float,
        length: float,
    ) -> Features:
        return Features(
            meaning=meaning,
            words=words,
            pairs=self._pairs(line),
            session=session,
            speaker=self.speakers.get(line.speaker, 0.0) if self.speakers else 0.0,
            date=closeness(line.at, self.asked.times) if self.asked.times else 0.0,
            tells_when=float(self.wants_time and _names_a_time(line.words)),
            length=length,
            assistant=float(not line.by_user and not self.of_assistant),
            wish=float(line.by_user and self._wish(line.text)),
            changed=float(self.wants_number and line.by_user and says_changed(line.text)),
        )

    def _pairs(self, line: Line) -> float:
        """How many there are; very frequent words count here as well: "step by step"."""
        said = f" {' '.join(line.words)} "
        return float(min(MOST_PAIRS, sum([pair in said for pair in self.pairs])))

    def _wish(self, text: str) -> bool:
        if self.speakers:
            return False
        return is_rule(text) or (self.wants_advice and is_preference(text))


def _closeness(
    asked: Question, near: Lines, here: Places, *, null: Null | None, beside: float
) -> Numbers:
    """How close lines are in meaning, each with a share of its neighbours as one vector.

    The cosine is stretched so that unrelated pairs are 0 on average, whatever the embedder.
    """
    if asked.vector is None or null is None:
        return WORDS_FOR_MEANING * coverage(asked, near, here)
    mean = near.rows[here]
    if beside:
        mean = mean + beside * (near.rows[near.before[here]] + near.rows[near.after[here]])
    length = np.maximum(np.linalg.norm(mean, axis=1), 1e-6)
    stretched = (mean @ asked.vector / length - null.mean) / (SAME - null.mean)
    return np.asarray(np.clip(stretched, 0, 1))


def coverage(asked: Question, near: Lines, here: Places) -> Numbers:
    """The share of the idf asked for that each line covers itself."""
    return _share(asked, near.counts[here] > 0)


def _nearby(asked: Question, near: Lines, here: Places) -> Numbers:
    """The share of the idf asked for that is in each line or near it, less the further away."""
    held = (near.counts > 0).astype(np.float64)
    best, before, after = held[here], here, here
    for step in range(1, REACHING + 1):
        before, after = near.before[before], near.after[after]
        best = np.maximum(best, FADING**step * np.maximum(held[before], held[after]))
    return _share(asked, best)


def _share(asked: Question, held: NDArray[np.generic]) -> Numbers:
    if asked.terms.total <= 0:
        return np.zeros(len(held))
    return np.asarray(held @ np.array(list(asked.terms.idf.values())) / asked.terms.total)


def _names_a_time(words: Sequence[str]) -> bool:
    return not _TIMES.isdisjoint(words) or any(
        len(word) == YEAR and _YEAR.fullmatch(word) for word in words
    )


def _sessions(lines: Sequence[Line], values: Numbers) -> dict[str, float]:
    """How close the best lines of each conversation are to the question."""
    by_session: dict[str, list[float]] = defaultdict(list)
    for line, value in zip(lines, values.tolist(), strict=False):  # the last is nobody's
        if line.form is Form.MESSAGE:
            by_session[line.session].append(value)
    return {
        session: sum(sorted(found)[-BEST_OF_SESSION:]) / min(len(found), BEST_OF_SESSION)
        for session, found in by_session.items()
    }


def _speakers(asked: Question, lines: Collection[Line]) -> dict[str, float]:
    """1 for the speaker the question is about, -1 for the others; empty unless it names one."""
    names = {line.speaker for line in lines} - {""}
    words = set(_WORD.findall(asked.text.casefold()))
    named = {name for name in names if not words.isdisjoint(name.split())}
    if len(names) < 2 or len(named) != 1:
        return {}
    return {name: 1.0 if name in named else -1.0 for name in names}
