"""What the rules learn from 814 hand-written dialogues; the goals are those of the issue."""

import pytest

from scripts.measure_gate import (
    AT,
    HALVES,
    Dialogue,
    Expected,
    dialogues,
    learned,
    matches,
    measured,
    score,
)
from stratal_memory.learning.candidates import Found

SILENT = [one for half in HALVES for one in dialogues(half) if not one.expect]


def test_the_halves_are_large_varied_and_share_nothing() -> None:
    said = {half: {one.turns for one in dialogues(half)} for half in HALVES}

    assert all(len(one) >= 200 for one in said.values())
    assert not said["development"] & said["held-out"]
    assert len(SILENT) >= 220
    assert len({one.category for half in HALVES for one in dialogues(half)}) >= 35


def test_the_goals_hold_on_the_half_nothing_was_tuned_on() -> None:
    # Measured on 21 November 2026: precision 0.950, recall 0.887; the floor is the goal itself.
    tally = measured("held-out")["all"]

    assert tally.precision >= 0.95
    assert tally.recall >= 0.85


def test_the_development_half_stays_as_good_as_it_was() -> None:
    # Measured on 21 November 2026: precision 0.996, recall 0.864; half of it is hard on purpose.
    tally = measured("development")["all"]

    assert tally.precision >= 0.98
    assert tally.recall >= 0.85


def test_chit_chat_yields_next_to_nothing() -> None:
    heard = [one.id for one in SILENT if learned(one)]

    assert len(heard) <= 3, heard  # of more than 220


def _found(facet: str, value: str, text: str, *, retracts: bool = False) -> Found:
    return Found(
        text=text, value=value, span=(0, 1), quote="I", rule="test", facet=facet, retracts=retracts
    )


@pytest.mark.parametrize(
    ("found", "expected", "agrees"),
    [
        (_found("home", "Porto", "The user lives in Porto."), ("home", "Porto"), True),
        (_found("home", "Porto", "The user lives in Porto."), ("home", "Lisbon"), False),
        (_found("origin", "Porto", "The user is from Porto."), ("home", "Porto"), False),
        (_found("hobby", "hiking", "The user likes hiking."), ("preference", "hiking"), True),
        (_found("family.sister", "Ana", "A sister Ana."), ("family.brother", "Ana"), False),
        (_found("people.boss", "Ana", "A boss Ana."), ("people.boss", "Ana"), True),
        (_found("home", "Porto", "It ended.", retracts=True), ("home", "Porto"), False),
        (
            _found("home", "Porto beside many other unwanted words here", "The user."),
            ("home", "Porto"),
            False,
        ),
    ],
)
def test_the_rule_of_what_counts_as_found(
    found: Found, expected: tuple[str, str], agrees: bool
) -> None:
    facet, value = expected

    assert matches(found, Expected(facets=(facet,), value=value), AT) is agrees


def test_what_is_found_and_not_expected_costs_precision_and_what_is_missed_recall() -> None:
    dialogue = Dialogue(
        id="x",
        category="x",
        turns=(("user", "I live in Porto."),),
        at=AT,
        expect=(Expected(facets=("name",), value="Ana"),),
    )

    tally = score(dialogue)

    assert (tally.precision, tally.recall) == (0.0, 0.0)
