from datetime import UTC, datetime, timedelta

import pytest

from stratal_memory.recall.times import closeness, stretches

NOW = datetime(2024, 3, 1, 12, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}T12:00+00:00")


def test_a_question_without_a_time_is_close_to_nothing() -> None:
    assert stretches("Who plays the oboe?", NOW) == ()
    assert closeness(NOW, ()) == 0


def test_what_was_said_inside_the_time_asked_about_is_closest() -> None:
    asked = stretches("What did she adopt in April 2022?", NOW)

    inside, soon, later, before = (
        closeness(day(at), asked) for at in ("2022-04-10", "2022-05-03", "2022-08-01", "2022-03-20")
    )

    assert inside == pytest.approx(0.7)
    assert inside > soon > before > later


def test_a_day_says_more_than_a_month_and_a_month_more_than_a_year() -> None:
    at = day("2022-04-10")
    closest = [
        closeness(at, stretches(f"What happened {when}?", NOW))
        for when in ("on 10 April 2022", "in April 2022", "in 2022")
    ]

    assert closest == sorted(closest, reverse=True)
    assert len(set(closest)) == 3


def test_a_month_without_its_year_is_that_month_of_any_year() -> None:
    asked = stretches("What did he cook in June?", NOW)

    assert closeness(day("2021-06-15"), asked) == closeness(day("2023-06-15"), asked) == 0.7


def test_last_may_is_the_one_before_now() -> None:
    asked = stretches("What happened last May?", NOW)

    assert closeness(day("2023-05-20"), asked) == 0.7
    assert closeness(day("2021-05-20"), asked) < 0.01


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("two weeks before 15 July 2023", "2023-07-01"),
        ("a week after 15 July 2023", "2023-07-22"),
        ("3 days before the 15 July 2023", "2023-07-12"),
    ],
)
def test_a_time_before_or_after_a_day_is_that_far_from_it(words: str, told: str) -> None:
    asked = stretches(f"What did they do {words}?", NOW)

    assert closeness(day(told), asked) == 1
    assert closeness(day(told) + timedelta(days=30), asked) < 0.5
