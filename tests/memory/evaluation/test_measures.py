"""The numbers are what the reference evaluator gives for the same rankings (RETRIEVAL)."""

import pytest

from stratal_memory.evaluation.measures import (
    Said,
    auroc,
    intervals,
    latest_first,
    mean,
    measures,
)

# Turn i has 40 i characters, every third one a caption of 20 more; four turns are a session.
SAID = {f"t{i}": Said(f"s{i // 4}", 40 * i + (20 if i % 3 == 0 else 0)) for i in range(24)}
RANKED = [f"t{i}" for i in (7, 3, 20, 11, 2, 5, 13, 17, 23, 1, 9, 0)]


def test_one_ranking_is_measured_as_the_reference_does() -> None:
    found = measures(RANKED, ["t3", "t9", "t16"], SAID)

    third = pytest.approx(1 / 3)
    assert [found["R@5"], found["R@10"]] == [third] * 2
    assert found["R@20"] == pytest.approx(2 / 3)
    assert (found["C@20"], found["A@5"], found["MRR"]) == (0, 1, 0.5)
    assert found["nDCG@10"] == pytest.approx(0.2960819109658652)
    assert [found[f"R@{budget}t"] for budget in (250, 500, 1_000)] == [third] * 3
    assert found["R@2000t"] == pytest.approx(2 / 3)
    assert [found[f"sR@{k}"] for k in (1, 3, 5, 10)] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert found["sA@5"] == 1


def test_evidence_at_the_top_is_worth_everything() -> None:
    assert set(measures(RANKED, ["t7"], SAID).values()) == {1.0}


def test_an_empty_ranking_is_worth_nothing() -> None:
    assert set(measures([], ["t7"], SAID).values()) == {0.0}


def test_means_and_intervals_are_the_references() -> None:
    turned = [RANKED[i:] + RANKED[:i] for i in range(5) if i != 3]
    rows = [measures(ranked, ["t3", "t9"], SAID) for ranked in turned]

    assert mean(rows)["nDCG@10"] == 0.4359
    assert mean(rows)["R@1000t"] == 0.625
    assert intervals(rows) == {
        "R@5": (0.0, 0.5),
        "R@10": (0.5, 1.0),
        "nDCG@10": (0.2351, 0.6882),
        "R@1000t": (0.25, 1.0),
    }


def test_of_no_questions_there_is_no_mean() -> None:
    assert (mean([]), intervals([])) == ({}, {})


def test_auroc_counts_pairs_in_the_right_order_and_half_of_the_ties() -> None:
    assert auroc([0.9, 0.8], [0.1]) == 1
    assert auroc([0.1], [0.9]) == 0
    assert auroc([0.5], [0.5]) == 0.5
    assert auroc([], [0.5]) is auroc([0.5], []) is None


def test_the_latest_statement_must_be_found_and_be_above_what_it_superseded() -> None:
    assert latest_first(["new", "old"], updated="new", superseded={"old"})
    assert latest_first(["new"], updated="new", superseded={"old"})
    assert not latest_first(["old", "new"], updated="new", superseded={"old"})
    assert not latest_first(["old"], updated="new", superseded={"old"})
