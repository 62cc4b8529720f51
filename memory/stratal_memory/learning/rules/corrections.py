"""Corrections that name no facet: "it's Alyce, not Alice"."""

import re
from collections.abc import Iterator
from dataclasses import replace

from stratal_memory.learning.rules.rule import Draft, cleaned
from stratal_memory.learning.rules.sentences import Clause

_ITS = re.compile(
    r"(?:it's|it is|that's|that should be|it should be|I meant)\s+(?P<value>[^,]{1,60}?),?\s+"
    r"not\s+(?P<old>[^,]{1,60})\Z",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"(?:it's|it is|that's)?\s*not\s+(?P<old>[^,]{1,60}?),?\s+"
    r"(?:but|it's)\s+(?P<value>[^,]{1,60})\Z",
    re.IGNORECASE,
)


_INSTEAD = re.compile(
    r"(?P<said>.{1,200}\s(?P<value>[^,.\s]+(?: [^,.\s]+)?)),?\s+(?:and )?not\s+"
    r"(?P<old>[^,.]{1,60})\Z",
    re.IGNORECASE,
)


def instead(clause: Clause) -> tuple[Clause, str] | None:
    """What a clause says without the value it takes back, and that value.

    "my sister is Ida, not Eva" says "my sister is Ida". None for any other clause.
    """
    match = _INSTEAD.match(clause.text)
    if match is None or not (_is_value(match["value"]) and _is_value(match["old"])):
        return None
    return replace(clause, text=match["said"], correction=True), cleaned(match["old"], clause)


def corrected(clause: Clause) -> Iterator[Draft]:
    """The new value and the one it replaces; the facet is that of whoever holds the old value.

    Only where both look like values: short, and with a capital or a digit in one of them.
    """
    match = _ITS.match(clause.text) or _NOT_BUT.match(clause.text)
    if match is None:
        return
    value, old = cleaned(match["value"], clause), cleaned(match["old"], clause)
    value = re.sub(r"\s+with an? \S+\Z", "", value)
    if not _is_value(value) or not _is_value(old):
        return
    yield Draft(
        facet="",
        value=value,
        text=f'The user corrected "{old}" to "{value}".',
        correction=True,
        instead_of=old,
    )


def _is_value(text: str) -> bool:
    words = text.split()
    return 0 < len(words) <= 3 and any(word[0].isupper() or word[0].isdigit() for word in words)
