"""Where a message turns into a record of others: pasted mail, chat logs, transcripts."""

import re
from collections import Counter

from stratal_memory.learning.wordlist import words

# From such a line on it is a mail that somebody wrote.
_MAIL = re.compile(
    r"^[ \t]*(?:(?:from|von|de|sent|gesendet|reply-to|fwd?|x-[\w-]+): ?\S"
    r"|-{2,} ?(?:original|forwarded) message|begin forwarded message|on [^\n]{6,120} wrote: ?$)",
    re.IGNORECASE | re.MULTILINE,
)
# Who speaks to a machine, or for one.
_ROLE = re.compile(
    r"^[ \t*_#-]*(?:user|assistant|human|ai|bot|chatgpt|claude|gemini|copilot|system|customer|agent"
    r"|interviewer|interviewee|speaker ?\w?)[ *_]*: ?\S",
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKER = re.compile(
    r"^[ \t]*(?P<time>[\[(]?\d{1,2}[:.]\d{2}[^\n]{0,12}?[\])]?[ -]{0,3})?"
    r"(?P<who>[A-ZÀ-Þ][\w.'-]{0,20}(?: [A-ZÀ-Þ][\w.'-]{0,20})?): +(?P<said>\S[^\n]*)",
    re.MULTILINE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|my|me|we|you)\b", re.IGNORECASE)
# What people put before a colon when they speak of themselves.
_LABELS = words(
    """
    name age job work home city location country role note notes update edit also ps fact facts
    reminder remember fyi context background diet allergies hobbies hobby likes dislikes family
    pets pet plan plans me birthday email phone goal goals question answer example correction
    todo important status today tomorrow yesterday monday tuesday wednesday thursday friday
    saturday sunday morning evening breakfast lunch dinner
    """
)


def record_start(text: str) -> int:
    r"""Where in `text` the words of others begin, in characters; its length when nowhere.

    >>> record_start("See this:\nFrom: Bob\nI live in Rome."), record_start("Note: I live here.")
    (10, 18)
    """
    starts = [match.start() for match in (_MAIL.search(text), _ROLE.search(text)) if match]
    return min([*starts, _transcript(text)])


def _transcript(text: str) -> int:
    """Where two or more lines begin that are marked with who speaks."""
    lines = [
        match
        for match in _SPEAKER.finditer(text)
        if match["who"].casefold().split()[0] not in _LABELS
    ]
    if len(lines) < 2:
        return len(text)
    again = max(Counter(match["who"] for match in lines).values()) > 1
    marked = any(match["time"] for match in lines)
    spoken = any(_FIRST_PERSON.search(match["said"]) for match in lines)
    return lines[0].start() if again or marked or spoken else len(text)
