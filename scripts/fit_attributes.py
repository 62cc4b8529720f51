"""Fit the reader of attributes (`stratal_memory.attributes`) on the lines of `data/attributes`.

    PYTHONPATH=. .venv/bin/python scripts/fit_attributes.py [--check]

With `--check` every fifth template is left out, and what is read of those is printed by threshold:
nothing is written. The embedding model must be on this machine. It takes some minutes.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scripts.attribute_lines import Line, lines, values
from stratal.engines import embedder_of
from stratal.settings import load_settings
from stratal_memory.attributes.catalogue import ATTRIBUTES
from stratal_memory.attributes.reader import WEIGHTS, WORD, Heads

Array = NDArray[np.float32]
STEPS, RATE = 300, 0.05
RIDGE = 1e-3  # by trial with --check
COMMON = 4  # attributes that a word is told with, from which it is no value of any
TOLD_TOO = 0.3  # weight of what is told, for the head of what is asked: they share their words
SCALE = 8.0  # unit vectors are short for a softmax
PLACES = {one.name: place for place, one in enumerate(ATTRIBUTES)}
NONE = len(ATTRIBUTES)


def fitted(vectors: Array, labels: NDArray[np.intp], weights: Array) -> tuple[Array, Array]:
    """Weights `(dimension, attributes + 1)` and biases of a softmax regression, by Adam."""
    x = (vectors * SCALE).astype(np.float64)
    goal = np.eye(NONE + 1)[labels]
    share = (weights / weights.sum())[:, None]
    w, b = np.zeros((x.shape[1], NONE + 1)), np.zeros(NONE + 1)
    first, second = [np.zeros_like(w), np.zeros_like(b)], [np.zeros_like(w), np.zeros_like(b)]
    for step in range(1, STEPS + 1):
        wrong = (_softmax(x @ w + b) - goal) * share
        slopes = (x.T @ wrong + RIDGE * w, wrong.sum(axis=0))
        for i, (value, slope) in enumerate(zip((w, b), slopes, strict=True)):
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope**2
            mean, spread = first[i] / (1 - 0.9**step), second[i] / (1 - 0.999**step)
            value -= RATE * mean / (np.sqrt(spread) + 1e-8)
    return (w * SCALE).astype(np.float32), b.astype(np.float32)


def _softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def head(kind: str, given: Sequence[Line], vectors: Array) -> tuple[Array, Array]:
    """The head for what is told (`says`) or asked (`asks`)."""
    too = kind == "asks"
    some = [i for i, one in enumerate(given) if one.kind == kind or (too and one.attribute)]
    labels = np.array([PLACES.get(given[i].attribute, NONE) for i in some])
    weights = np.array(
        [given[i].weight * (1 if given[i].kind == kind else TOLD_TOO) for i in some],
        dtype=np.float32,
    )
    return fitted(vectors[some], labels, weights)


def middles(given: Sequence[Line], vectors: Array) -> Array:
    """The mean direction of what is told of each attribute, `(attributes, dimension)`."""
    rows = np.zeros((NONE, vectors.shape[1]), dtype=np.float32)
    for place, attribute in enumerate(ATTRIBUTES):
        own = [i for i, one in enumerate(given) if one.attribute == attribute.name
               and one.kind == "says"]  # fmt: skip
        mean = vectors[own].mean(axis=0)
        rows[place] = mean / np.linalg.norm(mean)
    return rows


def values_of(embed: Callable[[Sequence[str]], Array]) -> Array:
    """The mean direction of the values of each attribute, `(attributes, dimension)`."""
    means = [embed(some).mean(axis=0) for some in values().values()]
    return np.stack([one / np.linalg.norm(one) for one in means])


def heads(given: Sequence[Line], vectors: Array, values: Array) -> Heads:
    """All that the reader needs."""
    return Heads(
        told=head("says", given, vectors),
        asked=head("asks", given, vectors),
        middles=middles(given, vectors),
        values=values,
        words=_words(given),
    )


def _words(given: Sequence[Line]) -> tuple[frozenset[str], ...]:
    """The words that lines about each attribute have beside its values, and those of many."""
    own: dict[str, set[str]] = {one.name: set() for one in ATTRIBUTES}
    for one in given:
        if one.attribute and one.kind == "says":
            own[one.attribute].update(word.casefold() for word in WORD.findall(one.frame))
    held = Counter(word for words in own.values() for word in words)
    common = {word for word, count in held.items() if count >= COMMON}
    return tuple(frozenset(words | common) for words in own.values())


def check(given: Sequence[Line], vectors: Array) -> None:
    """Print what is read of lines whose template was not learned from."""
    for kind in ("says", "asks"):
        found: list[tuple[float, bool, bool]] = []
        for fold in range(5):
            out = np.array([one.fold == fold for one in given])
            weights, bias = head(
                kind, [one for one, o in zip(given, out, strict=True) if not o], vectors[~out]
            )
            tested = [i for i, one in enumerate(given) if out[i] and one.kind == kind]
            p = _softmax((vectors[tested] @ weights + bias).astype(np.float64))
            for i, row in zip(tested, p, strict=True):
                best = int(row[:NONE].argmax())
                truth = PLACES.get(given[i].attribute, NONE)
                found.append((float(row[best]), best == truth, truth != NONE))
        print(kind, len(found), "lines")
        for least in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
            read = [right for p, right, _ in found if p >= least]
            there = sum(known for _, _, known in found)
            print(f"  p >= {least}: precision {np.mean(read):.3f}  recall {sum(read) / there:.3f}")


def main() -> None:
    """Fit, or check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    wanted = parser.parse_args()
    given = lines()
    settings = load_settings(
        {"data": Path("/tmp/stratal-fit"), "model": "offline:"}, environment={}
    )
    embedder = embedder_of(settings)
    assert embedder is not None, "the embedding model is needed"
    vectors = embedder.embed([one.text for one in given])
    if wanted.check:
        check(given, vectors)
        return
    heads(given, vectors, values_of(embedder.embed)).save(WEIGHTS, model=embedder.generation.model)
    print(f"{WEIGHTS}: {len(ATTRIBUTES)} attributes from {len(given)} lines")


if __name__ == "__main__":
    main()
