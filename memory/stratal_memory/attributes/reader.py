"""Attributes read from vectors: softmax regressions over sentence embeddings, fitted elsewhere.

`scripts/fit_attributes.py` fits them on the lines of `data/attributes`, which were written without
sight of anything they are measured on. They belong to one embedding model; with another, or with
none, nothing is read.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stratal_memory.attributes.catalogue import ATTRIBUTES, Attribute
from stratal_memory.embedding.embedder import Generation, Vectors
from stratal_memory.text import STOP_WORDS, terms

WEIGHTS = Path(__file__).parents[1] / "assets" / "attributes.npz"
# Nineteen in twenty of the values that the lines give are nearer to their mean than 0.45; of other
# attributes' values the median is 0.23.
ALIKE = 0.27
WORD = re.compile(r"[^\W_]+(?:['’.&+-][^\W_]+)*")
_NAMED = re.compile(r"[A-ZÀ-ÞŁŚŽ\d]")
Head = tuple[Vectors, Vectors]  # (dimension, attributes + 1) and (attributes + 1,); last: none


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An attribute, and how sure it is, 0..1."""

    attribute: Attribute
    sure: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The weights: of what is told, of what is asked, and the mean vector told of each."""

    told: Head
    asked: Head
    middles: Vectors  # (attributes, dimension), of unit length
    values: Vectors  # (attributes, dimension), the mean vector of the values of each
    words: tuple[frozenset[str], ...]  # of each attribute, with which it is told

    def save(self, path: Path, *, model: str) -> None:
        """Write them in half precision, for vectors of `model`."""
        np.savez_compressed(
            path,
            model=np.array(model),
            names=np.array([one.name for one in ATTRIBUTES]),
            words=np.array([" ".join(sorted(some)) for some in self.words]),
            told=self.told[0].astype(np.float16),
            told_bias=self.told[1].astype(np.float16),
            asked=self.asked[0].astype(np.float16),
            asked_bias=self.asked[1].astype(np.float16),
            middles=self.middles.astype(np.float16),
            values=self.values.astype(np.float16),
        )


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads attributes from the vectors of one embedding model."""

    heads: Heads

    def told(self, rows: Vectors) -> NDArray[np.float32]:
        """How sure each attribute is told in each of `rows`: `(rows, attributes)`, 0..1."""
        return _shares(rows, self.heads.told)

    def best_told(self, row: Vectors) -> Reading:
        """The attribute that one line most likely tells of."""
        return _best(self.told(row.reshape(1, -1))[0])

    def asked(self, row: Vectors, *, most: int) -> list[Reading]:
        """The attributes that a question most likely asks for, the likeliest first."""
        shares = _shares(row.reshape(1, -1), self.heads.asked)[0]
        places = np.argsort(-shares)[:most].tolist()
        return [Reading(attribute=ATTRIBUTES[one], sure=float(shares[one])) for one in places]

    def residue(self, attribute: Attribute, text: str) -> str:
        """The row of words of `text` that `attribute` is not told with, empty where none is left.

        Most often the value: "Jens Holm" of "we rent from Jens Holm". Of several rows one with a
        name or a number, then the longest, then the last.
        """
        known = self.heads.words[ATTRIBUTES.index(attribute)]
        rows: list[list[str]] = [[]]
        for word in WORD.findall(text):
            plain = word.casefold()
            if plain in known or re.split(r"['’]", plain)[0] in STOP_WORDS:
                rows.append([])
            else:
                rows[-1].append(word)
        best = max(reversed(rows), key=lambda row: (any(map(_NAMED.match, row)), len(row)))
        return " ".join(best)

    def terms_of(self, attribute: Attribute) -> frozenset[str]:
        """The search terms of the words that `attribute` is told with."""
        return _terms(self.heads.words[ATTRIBUTES.index(attribute)])

    def is_value(self, attribute: Attribute, row: Vectors) -> bool:
        """Whether a word with the vector `row` is like the values of `attribute`."""
        return float(self.heads.values[ATTRIBUTES.index(attribute)] @ row) >= ALIKE

    def middle(self, attribute: Attribute) -> Vectors:
        """The mean vector of what is told of `attribute`: what is near it may tell of it."""
        return np.asarray(self.heads.middles[ATTRIBUTES.index(attribute)])


def reader_for(generation: Generation | None) -> Reader | None:
    """The reader of a model's vectors; None when there is none for it."""
    if generation is None:
        return None
    model, reader = _loaded()
    fits = generation.model == model and generation.dimension == len(reader.heads.told[0])
    return reader if fits else None


@cache
def _loaded() -> tuple[str, Reader]:
    with np.load(WEIGHTS) as kept:
        if tuple(kept["names"].tolist()) != tuple(one.name for one in ATTRIBUTES):
            raise RuntimeError(f"{WEIGHTS} is not of these attributes: fit it again")
        full = {
            name: kept[name].astype(np.float32)
            for name in ("told", "told_bias", "asked", "asked_bias", "middles", "values")
        }
        model = str(kept["model"])
        words = tuple(frozenset(str(some).split()) for some in kept["words"])
    heads = Heads(
        told=(full["told"], full["told_bias"]),
        asked=(full["asked"], full["asked_bias"]),
        middles=full["middles"],
        values=full["values"],
        words=words,
    )
    return model, Reader(heads)


@cache
def _terms(words: frozenset[str]) -> frozenset[str]:
    return frozenset(terms(" ".join(words)))


def _shares(rows: Vectors, head: Head) -> NDArray[np.float32]:
    weights, bias = head
    scores = rows @ weights + bias
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares[:, :-1])


def _best(shares: NDArray[np.float32]) -> Reading:
    place = int(shares.argmax())
    return Reading(attribute=ATTRIBUTES[place], sure=float(shares[place]))
