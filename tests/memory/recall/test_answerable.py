from dataclasses import replace

import pytest

from stratal_memory.recall.answerable import Evidence, about_speaker, evidence
from stratal_memory.recall.features import Features
from tests.memory.recall.making import asking, nothing, talked


def seen(question: str, *said: tuple[str, float], sums: tuple[float, ...] = ()) -> Evidence:
    """The evidence of lines with their speaker: 1 the one asked about, -1 the other."""
    asked = asking(question)
    near = talked(asked, *(text for text, _ in said))
    found: dict[int, Features] = {
        i: replace(nothing(), speaker=speaker) for i, (_, speaker) in enumerate(said, start=1)
    }
    return evidence(asked, near, found, dict(enumerate(sums or [5.0] * len(said), start=1)))


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("I sold my boat.", 1.0),
        ("Did you sell your boat?", -0.74),
        ("I know you sold it.", 0.13),
        ("The boat is sold.", 1.0),  # who names nobody speaks of own things
    ],
)
def test_a_line_is_about_who_says_it_or_about_who_is_addressed(text: str, about: float) -> None:
    assert about_speaker(text) == pytest.approx(about, abs=0.01)


def test_what_the_other_did_speaks_against_and_what_is_said_to_the_one_asked_for() -> None:
    question = "Where did Ida go by boat?"

    assert seen(question, ("Ida: I took the boat to Elba.", 1)).own == 1
    assert seen(question, ("Sam: I took the boat to Elba.", -1)).own == -1
    assert seen(question, ("Sam: How was your boat trip?", -1)).own > 0


def test_a_better_line_says_more_about_whom_it_is() -> None:
    lines = (("Ida: I like boats.", 1.0), ("Sam: I took the boat.", -1.0))

    assert seen("Where did Ida go by boat?", *lines, sums=(9, 5)).own > 0.9
    assert seen("Where did Ida go by boat?", *lines, sums=(5, 9)).own < -0.9


def test_words_that_only_the_other_said_speak_against() -> None:
    question = "Which boat did Ida paint?"  # boat, ida, paint

    other = seen(question, ("Ida: Fine.", 1), ("Sam: I did paint the boat.", -1))
    herself = seen(question, ("Ida: I did paint the boat.", 1), ("Sam: Fine.", -1))

    assert other.told < 0 < herself.told


def test_nobody_named_is_no_evidence_of_whom_a_line_is_about() -> None:
    found = seen("Where is the boat?", ("I sold the boat.", 0))

    assert (found.own, found.told) == (0, 0)


def test_a_detail_that_the_closest_lines_do_not_name_is_missing() -> None:
    fair = ("We went to the spring fair.", 0.0)

    assert seen("What was the atmosphere of the fair?", fair).missing == 0.5
    assert seen("What was the spring fair like?", fair).missing == 0
    assert seen("How many came to the market?", fair) == Evidence(
        own=0, told=0, detail=0, missing=0
    )


def test_only_the_closest_lines_can_name_a_detail() -> None:
    talk = [("The fair was fun.", 0.0)] * 3 + [("Such an atmosphere.", 0.0)]
    question = "What was the atmosphere of the fair?"

    assert seen(question, *talk, sums=(9, 9, 9, 1)).missing == 0.5
    assert seen(question, *talk, sums=(9, 9, 1, 9)).missing == 0
