"""The few things the ranker weighs of a candidate, each a plain number with a reason."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from stratal_memory.recall.asking import asks, asks_of_assistant, asks_when
from stratal_memory.recall.calibration import SAME, Null
from stratal_memory.recall.lines import Line, Lines, Numbers, Places
from stratal_memory.recall.question import Question
from stratal_memory.recall.times import closeness
from stratal_memory.records import Form
from stratal_memory.text import terms

K1, B = 1.2, 0.75  # BM25; b = 0.4 helps short turns and costs long ones 5 to 9 points
WORDS_FOR_MEANING = 0.7  # how close a line that covers the question is taken to be
NEAR = 0.5  # what a neighbour's vector counts beside one's own
BEST_OF_SESSION = 3  # the lines by which a conversation is judged
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
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is weighed of one candidate."""

    meaning: float  # closeness of the line and, at half, its neighbours to the question, 0..1
    window: float  # BM25 of the line with two neighbours on each side, a share of the idf asked
    answer: float  # BM25 of the line with the one before it: the question it may answer
    words: float  # share of the question's idf that the line itself covers, 0..1
    session: float  # mean closeness of the best three lines of its conversation, 0..1
    speaker: float  # 1 the one asked about said it, -1 somebody else did, 0 nobody is named
    date: float  # closeness to the time asked about, 0..1
    tells_when: float  # 1 when a time is asked for and the line names one
    asks: float  # 1 when the line itself only asks
    length: float  # ln(1 + its terms), at most those of twelve: short lines say nothing
    assistant: float  # 1 when the assistant said it and the question is not about that


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
    sessions = _sessions(near.lines, _closeness(asked, near, everywhere, null=null, beside=0.0))
    columns = zip(
        seqs,
        _closeness(asked, near, here, null=null, beside=NEAR),
        _bm25(asked, near, near.window(here, before=2, after=2)).tolist(),
        _bm25(asked, near, near.window(here, before=1, after=0)).tolist(),
        _coverage(asked, near, here).tolist(),
        np.log1p(np.minimum(near.lengths[here], ENOUGH)).tolist(),
        strict=True,
    )
    of_words = _OfWords.of(asked, near.lines)
    return {
        seq: of_words.features(
            near.lines[near.place[seq]],
            meaning=meaning,
            window=window,
            answer=answer,
            words=words,
            session=sessions.get(near.lines[near.place[seq]].session, 0.0),
            length=length,
        )
        for seq, meaning, window, answer, words, length in columns
    }


@dataclass(frozen=True, slots=True)
class _OfWords:
    """What of the question is compared line by line."""

    asked: Question
    speakers: dict[str, float]
    wants_time: bool
    of_assistant: bool

    @classmethod
    def of(cls, asked: Question, lines: Collection[Line]) -> "_OfWords":
        return cls(
            asked, _speakers(asked, lines), asks_when(asked.text), asks_of_assistant(asked.text)
        )

    def features(
        self,
        line: Line,
        *,
        meaning: float,
        window: float,
        answer: float,
        words: float,
        session: float,
        length: float,
    ) -> Features:
        return Features(
            meaning=meaning,
            window=window,
            answer=answer,
            words=words,
            session=session,
            speaker=self.speakers.get(line.speaker, 0.0) if self.speakers else 0.0,
            date=closeness(line.at, self.asked.times) if self.asked.times else 0.0,
            tells_when=float(self.wants_time and _names_a_time(line.words)),
            asks=float(asks(line.text)),
            length=length,
            assistant=float(not line.by_user and not self.of_assistant),
        )


def _closeness(
    asked: Question, near: Lines, here: Places, *, null: Null | None, beside: float
) -> list[float]:
    """How close lines are in meaning, each with a share of its neighbours as one vector.

    The cosine is stretched so that unrelated pairs are 0 on average, whatever the embedder.
    """
    if asked.vector is None or null is None:
        return [WORDS_FOR_MEANING * share for share in _coverage(asked, near, here).tolist()]
    mean = near.rows[here]
    if beside:
        mean = mean + beside * (near.rows[near.before[here]] + near.rows[near.after[here]])
    length = np.maximum(np.linalg.norm(mean, axis=1), 1e-6)
    stretched = (mean @ asked.vector / length - null.mean) / (SAME - null.mean)
    return [float(close) for close in np.clip(stretched, 0, 1)]


def _bm25(asked: Question, near: Lines, windows: Places) -> Numbers:
    """BM25 of the lines of each window as one document, divided by the idf asked for."""
    if asked.terms.total <= 0:
        return np.zeros(len(windows))
    usual = max(1.0, float(near.lengths[:-1].mean()))
    lengths = near.lengths[windows].sum(axis=1) / (usual * (windows >= 0).sum(axis=1))
    counts = near.counts[windows].sum(axis=1)
    saturated = counts * (K1 + 1) / (counts + (K1 * (1 - B + B * lengths))[:, None])
    return np.asarray(saturated @ np.array(list(asked.terms.idf.values())) / asked.terms.total)


def _coverage(asked: Question, near: Lines, here: Places) -> Numbers:
    """The share of the idf asked for that each line covers itself."""
    if asked.terms.total <= 0:
        return np.zeros(len(here))
    idf = np.array(list(asked.terms.idf.values()))
    return np.asarray((near.counts[here] > 0) @ idf / asked.terms.total)


def _names_a_time(words: Sequence[str]) -> bool:
    return not _TIMES.isdisjoint(words) or any(_YEAR.fullmatch(word) for word in words)


def _sessions(lines: Sequence[Line], cosines: Sequence[float]) -> dict[str, float]:
    """How close the best lines of each conversation are to the question."""
    by_session: dict[str, list[float]] = defaultdict(list)
    for line, cosine in zip(lines, cosines, strict=False):  # the last cosine is nobody's
        if line.form is Form.MESSAGE:
            by_session[line.session].append(cosine)
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
