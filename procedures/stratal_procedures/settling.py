"""How a turn ended: what its messages say, and what the user said next."""

import re
from collections.abc import Sequence

from stratal_memory.records import Message, Role
from stratal_memory.text import text_hash
from stratal_memory.truth.practised import Outcome

# What a message begins with that takes the answer before it back. English is known; a message in
# letters of another script decides nothing.
_OPENING = r"^\W*(?:(?:hey|hm+|oh|ok(?:ay)?|sorry|well|wait|but|please|argh)\b\W*){0,3}"
_TAKEN_BACK = re.compile(
    _OPENING + r"(?:"
    r"no\b(?!\W*(?:thanks|thank|problem|worries|need|more|rush|one|further|other|idea)\b)"
    r"|nope\b|wrong\b|incorrect\b|undo\b|revert\b|stop\b"
    r"|(?:that|this|it|you|the \w+)(?:'s| is| was| are| were|'re)?\s+(?:\w+\s+)?"
    r"(?:wrong|incorrect|a mistake|broken|false|misunderstood|forgot|missed)\b"
    r"|(?:that|this|it)(?:'s| is| was)\s+not\s+(?:what|right|correct|it\b|true|how)"
    r"|(?:that|this|it)\s+(?:isn't|wasn't)\s+(?:what|right|correct|it\b|true|how)"
    r"|(?:that|this|it)\s+(?:did not|didn't|does not|doesn't)\s+(?:\w+\s+)?work"
    r"|not (?:what|that|like|right|correct)\b"
    r"|(?:you|why) (?:did|have|were|should|got) (?:\w+\s+){0,3}?(?:not|wrong|mistake)\b"
    r"|you (?:made|got) (?:a|it|an) (?:mistake|wrong|error)"
    r"|i (?:said|meant|asked for|told you|did not|didn't)\b"
    r"|try (?:it )?again\b|do (?:it|that|this) (?:again|over)\b|still (?:wrong|not|broken)\b"
    r")",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z]")
LOOKED_AT = 300  # characters: a correction comes first


def end_of(said: Sequence[Message], *, stopped: str) -> tuple[Outcome, str]:
    """What a turn's own messages, oldest first, say of its end: a failure, or nothing yet.

    `stopped` is what the answer of a turn begins with that reached a limit.
    """
    answer = said[-1] if said else None
    if answer is None or answer.role is not Role.ASSISTANT or not answer.text.strip():
        return Outcome.UNKNOWN, "it has no answer"
    if stopped and answer.text.startswith(stopped):
        return Outcome.FAILURE, "it reached a limit"
    results = [one for one in said if one.role is Role.TOOL]
    if results and results[-1].tool_failed:
        return Outcome.FAILURE, "its last tool failed"
    return Outcome.PENDING, ""


def verdict(message: str, *, before: str) -> tuple[Outcome, str]:
    """What the user's next message says of the turn whose request was `before`.

    >>> verdict("No, that's wrong", before="Order flour")[0].value
    'failure'
    >>> verdict("No problem. Now the butter", before="Order flour")[0].value
    'success'
    """
    text = message[:LOOKED_AT].replace("’", "'")
    if _TAKEN_BACK.match(text):
        return Outcome.FAILURE, "the user took it back"
    if text_hash(message) == text_hash(before):
        return Outcome.FAILURE, "the user asked again"
    if not _LATIN.search(text) and any(character.isalpha() for character in text):
        return Outcome.UNKNOWN, "the user went on in a language whose corrections are not known"
    return Outcome.SUCCESS, "the user went on"
