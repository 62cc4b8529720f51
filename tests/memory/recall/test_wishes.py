import pytest

from stratal_memory.recall.wishes import is_preference, is_rule


@pytest.mark.parametrize(
    "text",
    [
        "Always write dates as day, month, year when I ask about deadlines.",
        "Never suggest anything with nuts.",
        "please always name your sources",
        "From now on answer in Dutch.",
        "Give me metric units whenever I ask for a recipe.",
    ],
)
def test_a_standing_order_is_known_by_how_it_is_put(text: str) -> None:
    assert is_rule(text)


@pytest.mark.parametrize(
    "text", ["I always forget my keys.", "I asked her twice.", "She never calls.", "", "\ud800"]
)
def test_what_somebody_always_does_is_no_order(text: str) -> None:
    assert not is_rule(text)


@pytest.mark.parametrize(
    ("text", "preference"),
    [
        ("I prefer trains to planes.", True),
        ("I'd rather walk.", True),
        ("I really don't like liver.", True),
        ("I've chosen to stay with the old bank.", True),
        ("The train was late.", False),
        ("It looks like rain.", False),
        ("", False),
    ],
)
def test_a_preference_is_what_one_likes_better_or_does_not_want(
    text: str, preference: bool
) -> None:
    assert is_preference(text) is preference
