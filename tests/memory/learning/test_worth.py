from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stratal_memory.errors import InputError
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.worth import Verdict, worth
from stratal_memory.records import Trust

HOME = Found(
    text="The user lives in Lisbon.",
    facet="home",
    value="Lisbon",
    span=(0, 16),
    quote="I live in Lisbon",
    rule="identity.home",
)
SOON = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (HOME, Verdict.ACCEPT),
        (replace(HOME, facet="plan", value="trip", valid_from=SOON), Verdict.ACCEPT),
        (replace(HOME, facet="plan", value="trip"), Verdict.PROVISIONAL),
        (replace(HOME, facet="preference.drink", value="tea"), Verdict.ACCEPT),
        (replace(HOME, facet="preference", value="smell of rain"), Verdict.PROVISIONAL),
        (replace(HOME, facet="note", value="blue pot"), Verdict.PROVISIONAL),
        (replace(HOME, facet="note", value="blue pot", explicit=True), Verdict.ACCEPT),
        (replace(HOME, facet="note", value="it is this", explicit=True), Verdict.EPISODE),
        (replace(HOME, facet="", correction=True), Verdict.ACCEPT),
        (replace(HOME, value="…"), Verdict.EPISODE),
        (replace(HOME, text="Tea."), Verdict.EPISODE),
        (replace(HOME, text="x" * 501, explicit=True), Verdict.EPISODE),
    ],
)
def test_each_kind_of_candidate_has_its_verdict_with_a_reason(
    found: Found, verdict: Verdict
) -> None:
    judged = worth(found)

    assert judged.verdict is verdict
    assert judged.reason


def test_what_the_user_did_not_say_is_held_or_kept_apart_and_less_sure() -> None:
    held = worth(replace(HOME, explicit=True), trust=Trust.WEB)

    assert (held.verdict, held.confidence) == (Verdict.QUARANTINE, 0.4)
    said = worth(replace(HOME, explicit=True), trust=Trust.ASSISTANT)
    assert (said.verdict, said.confidence) == (Verdict.PROVISIONAL, 0.6)
    assert worth(HOME).confidence == 0.9


def test_evidence_that_is_not_in_the_message_is_refused() -> None:
    assert HOME.checked_against("I live in Lisbon!") is HOME
    with pytest.raises(InputError, match="are not 'I live in Lisbon'"):
        HOME.checked_against("I live in Madrid!")
