"""How well the words of a document's passage answer a question."""

import numpy as np

from stratal_memory.recall.lines import Lines, Numbers
from stratal_memory.recall.question import Question
from stratal_memory.records import Form

# BM25 as it is usually set: what a word counts for saturates, long passages count less.
SATURATION, BY_LENGTH = 1.2, 0.75
# Chosen on the development set of documents, of 1,000 tokens retrieved: coverage alone finds 0.82
# of the answers, BM25 beside it 0.87, and weights between these found the same.
COVERED, MOST = 0.4, 0.98
DENSE = 0.6  # how far meaning alone lifts a passage: all of a document is about its subject


def saturated(asked: Question, near: Lines) -> Numbers:
    """Of each line of `near` the share of the question's idf it holds by BM25, 0..1, `(n + 1,)`.

    The length it is measured by is the mean of the passages among them.
    """
    total = asked.terms.total
    long = [
        length
        for line, length in zip(near.lines, near.lengths.tolist(), strict=False)
        if line.form is Form.CHUNK
    ]
    if total <= 0 or not long:
        return np.zeros(len(near.lengths))
    mean = max(1.0, sum(long) / len(long))
    held = SATURATION * (1 - BY_LENGTH + BY_LENGTH * near.lengths / mean)
    counts = near.counts / (near.counts + held[:, None])
    return np.asarray(counts @ np.array(list(asked.terms.idf.values())) / total)


def fitting(*, dense: float, coverage: float, words: float) -> float:
    """The similarity of a passage, 0..1: its meaning and its words as independent evidence.

    `dense` is its stretched cosine, `coverage` and `words` the shares of the question's idf that
    are there at all, and by BM25.

    >>> round(fitting(dense=0.7, coverage=0.8, words=0.4), 2)
    0.84
    """
    there = min(MOST, words + COVERED * coverage)
    return 1 - (1 - DENSE * dense) * (1 - there)
