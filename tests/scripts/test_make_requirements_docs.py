"""The page of requirements: current, and nothing of the issue's areas left out."""

import re
from textwrap import dedent

import pytest

from scripts.make_requirements_docs import (
    TARGET,
    Named,
    Requirement,
    covering,
    faults,
    groups,
    named,
    page,
)

# What the context engine is about: nothing the four documents say of it may be without a test.
AREAS = {"window", "budget", "turns", "counting", "compression", "caching", "usage", "models"}
DOCUMENTS = ("O", "P", "C", "Z")
FOUND = covering()


def known() -> dict[str, Requirement]:
    return {tag: one for group in groups() for tag, one in group.tags.items()}


def found_in(source: str) -> list[tuple[str, str]]:
    return sorted(named(dedent(source), name="test_x.py"))


def test_the_page_of_requirements_is_current() -> None:
    assert TARGET.read_text(encoding="utf-8") == page(), "run scripts/make_requirements_docs.py"


def test_each_tag_has_a_test_or_a_reason_and_never_both() -> None:
    assert faults(FOUND) == []


def test_every_tag_of_the_documents_about_the_context_has_a_test() -> None:
    missing = [
        tag
        for group in groups()
        for tag, one in group.tags.items()
        if group.letters in DOCUMENTS and one.area in AREAS and tag not in FOUND
    ]

    assert missing == []


def test_the_lists_are_whole() -> None:
    sizes = {group.letters: len(group.tags) for group in groups()}

    assert sizes == {"O": 23, "P": 42, "C": 24, "Z": 28, "Os": 20, "Ps": 16, "Cs": 13, "Zs": 9}
    for group in groups():
        numbers = range(1, len(group.tags) + 1)
        assert list(group.tags) == [f"{group.letters}{number}" for number in numbers]


def test_what_is_said_fits_into_a_table() -> None:
    for tag, one in known().items():
        assert one.what, tag
        assert not re.search(r"[|\n]", one.what + one.reason), tag


def test_a_tag_is_named_in_a_test_or_above_it() -> None:
    source = """
        # covers O1
        @mark
        def test_a() -> None:
            # covers O2, Ps3
            assert True

        def test_b(  # covers Z4
            x: int,
        ) -> None:  # covers C5
            assert x

        TestAll = Machine.TestCase  # covers P6
    """

    assert found_in(source) == [
        ("C5", "test_b"), ("O1", "test_a"), ("O2", "test_a"), ("P6", "TestAll"),
        ("Ps3", "test_a"), ("Z4", "test_b"),
    ]  # fmt: skip


def test_a_tag_above_everything_is_named_by_the_whole_module() -> None:
    source = '''
        """A module."""
        # covers O1

        import os

        def test_a() -> None:
            assert os
    '''

    assert found_in(source) == [("O1", "")]


def test_tags_of_other_lists_are_passed_over() -> None:
    assert found_in("def test_a() -> None: ...  # covers M4; promise 5, O1") == [("O1", "test_a")]


@pytest.mark.parametrize(
    "source",
    [
        "def test_a() -> None:\n    # covers O1 O2\n    assert True",
        "def test_a() -> None:\n    # covers everything\n    assert True",
        "def test_a() -> None:\n    assert True\n\n\n# covers O1\nX = 1\n",
        "def helper() -> None:\n    # covers O1\n    assert True",
    ],
)
def test_a_comment_that_names_nothing_is_an_error_with_its_place(source: str) -> None:
    with pytest.raises(ValueError, match=r"test_x.py:\d"):
        found_in(source)


def test_text_that_is_no_comment_names_nothing() -> None:
    assert found_in('def test_a() -> None:\n    assert "# covers O1"\n') == []


def test_a_fault_names_its_tag() -> None:
    named_too = {**FOUND, "P42": [Named("test_x.py", "test_a")], "Q1": [Named("test_x.py", "")]}
    forgotten = {tag: places for tag, places in FOUND.items() if tag != "O12"}

    assert [fault.split()[0] for fault in faults(named_too)] == ["P42", "Q1"]
    assert faults(forgotten) == ["O12 is named by no test and has no reason"]


def test_a_test_is_linked_from_the_page() -> None:
    assert Named("platform/test_x.py", "test_a").link() == (
        "[test_x.py::test_a](../tests/platform/test_x.py)"
    )
