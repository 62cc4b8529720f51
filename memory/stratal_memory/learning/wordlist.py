"""Lists of words as they are written in the rules."""


def words(text: str) -> frozenset[str]:
    """The words of `text`, apart at blanks.

    >>> sorted(words("tea coffee"))
    ['coffee', 'tea']
    """
    return frozenset(text.split())
