"""What the user said of themselves, said of "the user"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.dates import When
from stratal_memory.learning.wordlist import words

_WHOLE = {
    "i'm": "the user is",
    "im": "the user is",
    "i've": "the user has",
    "i'll": "the user will",
    "i'd": "the user would",
    "my": "the user's",
    "me": "the user",
    "mine": "the user's",
    "myself": "themselves",
}
_BARE = words(
    """
    will would can could may might must shall should cannot can't won't couldn't wouldn't
    shouldn't was wasn't had hadn't did didn't used became began bent bet bit bled blew
    bought broke brought built burnt burst came caught chose crept cut dealt did drank
    drew drove dug fell felt fled flew forgave forgot fought found froze gave got grew had
    heard held hid hit hung hurt kept knew laid lay led left lent lit lost made meant met
    paid put quit ran rang read rode rose said sang sank sat saw sent set shook shot shut
    slept slid sold spent spoke stole stood stuck swam swore taught thought threw told
    took tore understood went woke won wore wrote
    """
)
# Of those the forms that are of the past alone: no "cut", no "can".
PAST_FORMS = _BARE - words(
    """
    will would can could may might must shall should cannot can't won't couldn't wouldn't
    shouldn't was wasn't hadn't didn't bet bid burst cost cut hit hurt let put quit read set
    shut did made
    """
)
_IRREGULAR = {
    "am": "is",
    "have": "has",
    "haven't": "hasn't",
    "do": "does",
    "don't": "doesn't",
    "go": "goes",
}
_ADVERB = words(
    """
    also always just never no longer not now often only really still usually sometimes
    finally officially nearly almost basically literally honestly simply then once soon
    already mostly currently recently definitely absolutely actually even rarely generally
    """
)
_TOKEN = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
# "we" and "you" can't be said of the user alone; such a text is quoted instead.
_OTHERS = re.compile(r"\b(?:we|we're|we've|we'll|us|our|ours|you|your|you're)\b", re.IGNORECASE)


def third_person(text: str) -> str:
    """`text` as a sentence about the user; quoted whole where it speaks of "we" or "you".

    >>> third_person("I keep my keys in the drawer")
    'The user keeps their keys in the drawer.'
    """
    plain = text.strip(" .!")
    if _OTHERS.search(plain):
        return f'The user said: "{plain}".'
    parts: list[str] = []
    position, conjugate = 0, False
    for match in _TOKEN.finditer(plain):
        word = match.group()
        said, conjugate = _said(word, conjugate)
        if said == "the user's" and any(part.startswith("the user") for part in parts):
            said = "their"
        parts += (plain[position : match.start()], said)
        position = match.end()
    return sentence("".join((*parts, plain[position:])))


def _said(word: str, conjugate: bool) -> tuple[str, bool]:
    """The word for `word`, and whether the next one is still the verb that belongs to "I"."""
    low = word.casefold()
    if word == "I" or low == "i":
        return "the user", True
    if low in _WHOLE and word != "Mine":
        return _WHOLE[low], False
    if not conjugate:
        return word, False
    if low in _ADVERB:
        return word, True
    return _conjugated(word), False


def _conjugated(word: str) -> str:
    low = word.casefold()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _BARE or (low.endswith("ed") and not low.endswith("eed")):
        return word
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return word + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def sentence(text: str) -> str:
    """`text` with a capital in front and a full stop behind.

    >>> sentence("the user likes tea")
    'The user likes tea.'
    """
    text = " ".join(text.split()).strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


_BOUND = re.compile(r"(?:since|until|by|from|for|before|after|to|between|and)\b", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(?:on|in|at|since|until|by|from|for|before|after|to|between)(?: the)?\s*\Z", re.IGNORECASE
)


def dated(text: str, dates: Sequence[When]) -> str:
    """`text` with each date in words that stay true: "next Tuesday" becomes "on 12 May 2026".

    `dates` are those of `text`; one in front of it (a negative span) is appended.
    """
    after = ""
    for when in sorted(dates, key=lambda when: -when.span[0]):
        if when.span[0] < 0:
            after = f" {when.phrase()}"
            continue
        text = _replaced(text, when)
    return text.strip(" ,") + after


def _replaced(text: str, when: When) -> str:
    head, tail = text[: when.span[0]].rstrip(), text[when.span[1] :]
    words = when.phrase()
    kept = _BOUND.match(text, when.span[0])
    before = _PREPOSITION.search(head)
    if kept is not None:
        words = f"{kept.group()} {_bare(words)}"
    elif before is not None and _BOUND.match(before.group()):
        words = _bare(words)
    elif before is not None:
        head = head[: before.start()].rstrip()
    return f"{head} {words}{tail}"


def without_dates(text: str, dates: Sequence[When]) -> str:
    """`text` without its dates and the prepositions in front of them."""
    for when in sorted(dates, key=lambda when: -when.span[0]):
        if when.span[0] >= 0:
            head = _PREPOSITION.sub("", text[: when.span[0]].rstrip())
            text = f"{head.rstrip()} {text[when.span[1] :].lstrip()}"
    return text.strip(" ,.")


def _bare(phrase: str) -> str:
    """A date phrase without its preposition."""
    return phrase.partition(" ")[2]
