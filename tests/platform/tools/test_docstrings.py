"""What a docstring says of a function and of its parameters."""

import pytest

from stratal.tools.docstrings import Described, described


def google(town: str, days: int) -> None:
    """Tell the weather.

    In words.

    Args:
        town (str): Where, as in
            an atlas.
        days: How many.

    Returns:
        A sentence.
    """


def rest(town: str, days: int) -> None:
    """Tell the weather.

    :param str town: Where, as in
        an atlas.
    :param days: How many.
    :type days: int
    :return: A sentence.
    """


def plain() -> None:
    """Say: hello.

    Note: it is loud.
    """


def silent() -> None:
    pass


PARAMETERS = {"town": "Where, as in an atlas.", "days": "How many."}


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (
            google,
            Described("Tell the weather.\n\nIn words.\n\nReturns:\n    A sentence.", PARAMETERS),
        ),
        (rest, Described("Tell the weather.\n\n:return: A sentence.", PARAMETERS)),
        (plain, Described("Say: hello.\n\nNote: it is loud.", {})),
        (silent, Described("", {})),
    ],
)
def test_parameters_are_told_apart_from_the_rest(function: object, found: Described) -> None:
    assert described(function) == found
