import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.injected import restates, strip_injected

FENCED = "Before\n[recalled k3-x memories]\n- The user likes tea.\n[end of recalled k3-x]\nAfter"


def test_a_fence_and_what_is_in_it_is_blanked_and_offsets_stay() -> None:
    stripped = strip_injected(FENCED)

    assert stripped.split() == ["Before", "After"]
    assert len(stripped) == len(FENCED)
    assert stripped.index("After") == FENCED.index("After")


def test_a_fence_without_its_own_end_runs_to_the_end_of_the_text() -> None:
    text = "Hi\n[recalled a memories]\nTea\n[end of recalled b]\nI live in Rome"

    assert strip_injected(text).split() == ["Hi"]


@pytest.mark.parametrize("before", ["  ", "> ", ">> ", "\t> "])
def test_a_fence_that_is_indented_quoted_or_in_other_capitals_is_one_too(before: str) -> None:
    quoted = FENCED.replace("[r", f"{before}[R").replace("- ", f"{before}- ")
    quoted = quoted.replace("[end of recalled k3-x]", f"{before}[END OF RECALLED K3-X] ")

    stripped = strip_injected(quoted)

    assert stripped.split() == ["Before", "After"]
    assert len(stripped) == len(quoted)


def test_a_copy_of_an_injected_text_is_blanked_only_when_it_is_long() -> None:
    long = "The user moved to Lisbon in May 2026 with two cats."

    assert strip_injected(f"So: {long} Right?", [long]).split() == ["So:", "Right?"]
    assert strip_injected("I like tea", ["tea"]) == "I like tea"


@given(st.lists(st.sampled_from(("[recalled a x]", "[end of recalled a]", "\n", "text", "\r\n"))))
def test_stripping_keeps_the_length_and_a_second_time_changes_nothing(pieces: list[str]) -> None:
    text = "".join(pieces)

    once = strip_injected(text)

    assert len(once) == len(text)
    assert strip_injected(once) == once


def test_a_hundred_thousand_open_fences_are_stripped() -> None:
    assert strip_injected("[recalled a x]\n" * 100_000).strip() == ""


@pytest.mark.parametrize(
    ("sentence", "index"),
    [
        ("The user likes green tea in the morning", 1),
        ("the user LIKES green tea in the morning!", 1),
        ("The user likes green tea", 1),
        ("The user likes black tea in the morning", None),
        ("tea", None),
        ("", None),
    ],
)
def test_a_restated_memory_is_recognised(sentence: str, index: int | None) -> None:
    known = ["The user has a dog.", "The user likes green tea in the morning."]

    assert restates(sentence, known) == index
