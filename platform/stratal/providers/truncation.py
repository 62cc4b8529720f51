"""Whether a server cut a prompt from its start without saying so, as Ollama does (PROVIDERS)."""

# The smallest window Ollama ever had by default: a shorter prompt is never cut.
SHORTEST_CUT = 2_048  # tokens
LEAST_SHARE = 0.8  # of the estimate; our counters are off by less on ordinary text


def truncated(estimated: int, reported: int) -> bool:
    """Whether `reported` input tokens are far fewer than the `estimated` ones that were sent.

    `reported` 0 means that the server counted nothing, which says nothing. Both are tokens.

    >>> truncated(8_000, 4_096)
    True
    >>> truncated(8_000, 7_100)
    False
    """
    return estimated >= SHORTEST_CUT and 0 < reported < LEAST_SHARE * estimated
