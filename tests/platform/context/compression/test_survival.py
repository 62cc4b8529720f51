import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratal.context.compression.survival import (
    MOST,
    anchors,
    fold,
    stands,
    survival_of,
    survived,
    with_pinned,
)
from stratal.context.turns import turns
from stratal_memory.records import Message
from tests.platform.context.making import assistant, histories, tool, user

TALK = [
    (user("We fly to Oslo on May 8. Always book with Anna Berg."), assistant("It costs $340.")),
    (user("The ticket is INV-1234."), assistant("I wrote it to src/trip.md. Which seat?")),
]


def test_each_thing_counts_once_and_twice_where_it_is_new_or_repeated() -> None:
    weights = {one.text: one.weight for one in anchors(TALK).named}

    assert weights == {
        "Oslo": 1,
        "May 8": 1,
        "Anna Berg": 1,
        "$340": 1,
        "INV-1234": 2,
        "src/trip.md": 2,
    }


def test_what_survives_is_counted_by_weight() -> None:
    result = survived(TALK, "They fly to Oslo, ticket INV-1234 in src/trip.md, for $340.")

    assert (result.kept, result.total) == (6, 8)
    assert result.share == 0.75
    assert result.enough
    assert result.lost == ("May 8", "Anna Berg")


def test_under_sixty_percent_is_not_enough() -> None:
    result = survived(TALK, "They fly to Oslo with INV-1234.")

    assert result.share == 3 / 8
    assert not result.enough


def test_rules_and_open_questions_are_owed_word_for_word() -> None:
    lost = survived(TALK, "They fly to Oslo.").lost_pinned

    assert lost == (
        "rule of the user: Always book with Anna Berg.",
        "open question of the assistant: Which seat?",
    )
    assert survived(TALK, with_pinned("They fly to Oslo.", lost)).lost_pinned == ()


def test_the_rules_of_the_earlier_summary_are_owed_too() -> None:
    earlier = "- rule of the user: Use tabs.\n- user: hello"

    assert anchors(TALK, previous=earlier).rules == ("Use tabs.", "Always book with Anna Berg.")


def test_a_question_somebody_replied_to_is_not_open() -> None:
    assert anchors([(user("Which seat?"), assistant("Mine."))]).questions == ()
    assert anchors([(user("Which seat?"),), (user("And when?"),)]).questions == (
        ("user", "Which seat?"),
        ("user", "And when?"),
    )


def test_a_tool_result_counts_only_where_somebody_speaks_of_it() -> None:
    turn = (user("look"), assistant("It says A-17.", "1"), tool("A-17 B-18 C-19", "1"))

    assert [one.text for one in anchors([turn]).named] == ["A-17"]


def test_a_pasted_log_counts_little() -> None:
    log = "\n".join(f"line with id X-{number}" for number in range(1_000))

    assert len(anchors([(user(log),)]).named) == MOST


@pytest.mark.parametrize(
    ("wanted", "summary"),
    [
        ("We need 5,000 tokens", "5000 tokens"),
        ("Ask for the Files", "about files"),
        ("It lasts 30 days", "a 30-day trial"),
        ("we saw ＢＢＣ today", "the bbc"),
    ],
)
def test_another_spelling_of_the_same_survives(wanted: str, summary: str) -> None:
    assert survived([(user(wanted),)], summary).share == 1


def test_part_of_a_longer_word_is_not_it() -> None:
    assert not stands("v1.2", "uses v1.20")
    assert not stands("abc123", "xabc123")
    assert stands("abc123", "xabc123 abc123.")
    assert stands("30", "还有30天")
    assert not stands("", "text")


def test_nothing_to_lose_is_all_kept() -> None:
    assert survived([], "").share == 1
    assert survived([(user("hello"),)], "").enough


def test_nothing_lost_appends_nothing() -> None:
    assert with_pinned("a summary", []) == "a summary"
    assert with_pinned("", ["rule of the user: B."]) == "- rule of the user: B."


@settings(deadline=None)
@given(histories())
def test_a_history_survives_in_itself(history: list[Message]) -> None:
    parts = turns(history) if history else []
    whole = "\n".join(message.text for message in history) + " look {}"

    assert survived(parts, whole).lost == ()


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_every_text_can_be_measured(text: str) -> None:
    result = survival_of(anchors([(user(text),)]), text)

    assert 0 <= result.share <= 1
    assert fold(fold(text)) is not None
