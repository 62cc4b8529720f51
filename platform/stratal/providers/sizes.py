"""The numbers in a provider's refusal of a request that is too long.

The wordings are those of the corpus in tests/platform/providers; a number of another meaning (an
error code, characters, bytes) matches none of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBER = r"(\d[\d,]{0,14})"
_LIMITS = (
    r"> ?{} maximum",
    r"\d \+ \d+ > {}",
    r"maximum (?:context|prompt|model) length(?: is| of|:) {}",
    r"with {} maximum context length",
    r"context length (?:of (?:only )?)?{}",
    r"context size \({} tokens",
    r"configured limit of {}",
    r"max input tokens: {}",
    r"tokens allowed \({}",
    r"limit:? {}, requested",
    r"must be <= {}",
    r"less than {} tokens",
    r"exceeds the limit of {}",
    r"max size: {} tokens",
    r"model token limit: {}",
    r"input length should be \[\d+, {}\]",
    r"in the prompt cannot exceed {}",
    r"while limit is {}",
)
# Only numbers that are the input alone: what was asked for the answer is not in them.
_SENT = (
    r"too long: {}",
    r"limit: {} \+ \d",
    r"resulted in {} tokens",
    r"\({} (?:in the messages|of text input)",
    r"request has {} input tokens",
    r"\((?:total )?length {}\)",
    r"request \({} tokens\)",
    r"input token count(?:: | \(){}",
    r"contains {} tokens",
    r"given: {}",
    r"token count of {}",
    r"keep the first {} tokens",
    r"in the prompt cannot exceed [\d,]+ - received {}",
    r"current length is {}",
)


def _patterns(wordings: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    made = (wording.replace("{}", _NUMBER) for wording in wordings)
    return tuple(re.compile(one, re.IGNORECASE) for one in made)


_LIMIT_PATTERNS, _SENT_PATTERNS = _patterns(_LIMITS), _patterns(_SENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What a refusal says in tokens; 0 where it names no number."""

    sent: int = 0  # the input, as the provider counted it
    limit: int = 0  # of the input, or of input and answer together


def named_sizes(message: str) -> Sizes:
    """The sizes that the message of an overflow names.

    >>> named_sizes("prompt is too long: 208310 tokens > 200000 maximum")
    Sizes(sent=208310, limit=200000)
    """
    return Sizes(sent=_first(_SENT_PATTERNS, message), limit=_first(_LIMIT_PATTERNS, message))


def _first(patterns: Sequence[re.Pattern[str]], message: str) -> int:
    found = (pattern.search(message) for pattern in patterns)
    return next((int(one[1].replace(",", "")) for one in found if one), 0)
