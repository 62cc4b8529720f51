"""A text without the sentences that hold some words: pure."""

import re
from collections.abc import Sequence

from stratal_memory.text import sentences_of


def without_words(text: str, words: Sequence[str]) -> str:
    """`text` without each sentence that holds one of `words` or a part of it.

    >>> without_words("Hi! I live in Lisbon. It rains.", ["I live in Lisbon"])
    'Hi! It rains.'
    """
    gone = set(holding(text, words))
    if not gone:
        return text
    return " ".join(one for one in sentences_of(text) if one not in gone)


def holding(text: str, words: Sequence[str]) -> list[str]:
    """The sentences of `text` that touch any of `words`, or are a piece of them."""
    wanted = [folded for one in words if (folded := " ".join(one.split()))]
    said = sentences_of(text) if wanted else []
    joined = " ".join(said)
    spans = [match.span() for one in wanted for match in _whole(one).finditer(joined)]
    found: list[str] = []
    start = 0
    for sentence in said:
        end = start + len(sentence)
        touched = any(first < end and last > start for first, last in spans)
        if touched or any(sentence.casefold() in one.casefold() for one in wanted):
            found.append(sentence)
        start = end + 1
    return found


def _whole(words: str) -> re.Pattern[str]:
    """Whole words: tea is not in a teacher."""
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(words)}(?![A-Za-z0-9])", re.IGNORECASE)
