"""What a ranking is worth, beside the turns that hold the answer (RETRIEVAL, "Measures")."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

KS = (5, 10, 20)
SESSION_KS = (1, 3, 5, 10)
BUDGETS = (250, 500, 1_000, 2_000)  # tokens
DEPTH = 200  # turns of a ranking that count
CHARACTERS_A_TOKEN, HEADER = 4, 12  # what a turn costs in a prompt: its text, and 12 tokens
NOTHING_FITS = 16  # tokens; what is left of a budget then is not worth looking for
RESAMPLES = 2_000
INTERVALS = ("R@5", "R@10", "nDCG@10", "R@1000t")


class Said(NamedTuple):
    """What the measures must know of a turn."""

    session: str
    characters: int


def measures(
    ranking: Sequence[str], evidence: Collection[str], said: Mapping[str, Said]
) -> dict[str, float]:
    """Every measure of one question, by its name in RETRIEVAL; `evidence` is not empty.

    `ranking` is best first and holds no turn twice; `said` knows all turns of both.
    """
    wanted = set(evidence)
    gains = [turn in wanted for turn in ranking]
    found: dict[str, float] = {}
    for k in KS:
        hits = sum(gains[:k])
        found |= {
            f"R@{k}": hits / len(wanted),
            f"C@{k}": float(hits == len(wanted)),
            f"A@{k}": float(hits > 0),
        }
    found["nDCG@10"] = _ndcg(gains[:10], len(wanted))
    found["MRR"] = next((1 / place for place, gain in enumerate(gains, 1) if gain), 0.0)
    for budget in BUDGETS:
        found[f"R@{budget}t"] = _packed(ranking, wanted, said, budget) / len(wanted)
    return found | _of_sessions(ranking, wanted, said)


def _ndcg(gains: Sequence[bool], wanted: int) -> float:
    def discount(place: int) -> float:
        return 1 / math.log2(place + 2)

    best = sum(discount(place) for place in range(min(10, wanted)))
    return sum(discount(place) for place, gain in enumerate(gains) if gain) / best


def _packed(
    ranking: Sequence[str], wanted: Collection[str], said: Mapping[str, Said], budget: int
) -> int:
    """How many of `wanted` are in a prompt of `budget` tokens, filled greedily in rank order."""
    left, hits = float(budget), 0
    for turn in ranking:
        cost = said[turn].characters / CHARACTERS_A_TOKEN + HEADER
        if cost > left:
            continue
        left -= cost
        hits += turn in wanted
        if left < NOTHING_FITS:
            break
    return hits


def _of_sessions(
    ranking: Sequence[str], wanted: Collection[str], said: Mapping[str, Said]
) -> dict[str, float]:
    sessions = {said[turn].session for turn in wanted}
    ranked = list(dict.fromkeys(said[turn].session for turn in ranking))
    found = {f"sR@{k}": len(sessions & set(ranked[:k])) / len(sessions) for k in SESSION_KS}
    return found | {"sA@5": float(bool(sessions & set(ranked[:5])))}


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure, to four places; nothing of no rows."""
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in _names(rows)}


def _names(rows: Sequence[Mapping[str, float]]) -> list[str]:
    return list(rows[0]) if rows else []


def intervals(rows: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """The 95 % bootstrap interval of the main measures; the draw is the same every time."""
    random = np.random.default_rng(0)
    found: dict[str, tuple[float, float]] = {}
    for name in INTERVALS if rows else ():
        values = np.array([row[name] for row in rows])
        means = values[random.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        found[name] = (round(float(low), 4), round(float(high), 4))
    return found


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float | None:
    """How often the best score of an answerable question lies above that of an unanswerable one.

    A tie counts half. None when one of the two sides is empty.

    >>> auroc([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    if not answerable or not unanswerable:
        return None
    above = np.subtract.outer(np.asarray(answerable), np.asarray(unanswerable))
    return round(float(np.mean((above > 0) + 0.5 * (above == 0))), 4)


def latest_first(ranking: Sequence[str], *, updated: str, superseded: Collection[str]) -> bool:
    """Whether the latest statement is found, and above every one it superseded."""
    place = {turn: number for number, turn in enumerate(ranking)}
    if updated not in place:
        return False
    return all(place[updated] < place.get(old, len(place)) for old in superseded)
