"""Whether a value may come from untrusted text: what a person did not say and a text did."""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from pydantic import JsonValue

from stratal_memory.text import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
# Where things are sent or fetched from: such a value comes from the user's mouth or not at all.
_PLACE = re.compile(
    r"@|://|\bwww\.|\b\d{1,3}(?:\.\d{1,3}){3}\b|\d{6,}|^[~/\\]|^[a-z]:\\"
    r"|\b[\w-]+\.(?!(?:md|txt|csv|json|pdf|docx?|xlsx?|html?)\b)[a-z]{2,}(?:$|[/:?])",
    re.IGNORECASE,
)


_TELLS = r"\b(?:tools?|functions?|call|calls|calling|use|using|run|invoke|execute)\W{1,3}(?:the\W)?"
_PART = re.compile(r"[A-Za-z][a-z]*|[0-9]+")


def told(tool: str, *, said: Sequence[str], read: Sequence[str]) -> bool:
    """Whether one of the texts `read` may have told the model to call a tool.

    It names it as it is written, or says to call it; a word that is in the language too must be
    called or followed by a bracket. What the user named is the user's wish.

    >>> told("send_mail", said=["tidy up"], read=["then call send_mail"])
    True
    >>> told("translate", said=["do it"], read=["we translate books"])
    False
    """
    pattern = _naming(tool)
    return any(pattern.search(one) for one in read) and not any(map(pattern.search, said))


@lru_cache(maxsize=256)
def _naming(tool: str) -> re.Pattern[str]:
    parts = _PART.findall(tool)
    spaced = r"[\W_]{0,2}".join(map(re.escape, parts)) or re.escape(tool)
    whole = rf"(?<![A-Za-z0-9]){re.escape(tool)}(?![A-Za-z0-9])"
    plain = whole if len(parts) > 1 else rf"{whole}\s?\("
    return re.compile(rf"{plain}|{_TELLS}\W?{spaced}\b", re.IGNORECASE)


class Source(Enum):
    """Where a value may have come from."""

    OURS = "ours"  # the user said it, or nobody's text can have brought it in
    UNSURE = "unsure"  # an address that the user did not say, after texts of others were read
    THEIRS = "theirs"  # it stands in such a text


def source(value: str, *, said: Sequence[str], read: Sequence[str]) -> Source:
    """Where `value`, canonical JSON or plain text, may have come from.

    It is theirs when the user did not say it and all its words stand in the texts `read`, in
    whatever order and writing. A yes or no carries no text.

    >>> source('"acme ltd"', said=["order from Acme Ltd"], read=["pay ACME Ltd"]).value
    'ours'
    >>> source('"e@evil.example"', said=["send it"], read=["to E at Evil dot example"]).value
    'theirs'
    """
    found = {_source(text, said, read) for text in _leaves(value)} if read else set[Source]()
    return next((one for one in (Source.THEIRS, Source.UNSURE) if one in found), Source.OURS)


def traced(value: str, *, said: Sequence[str], read: Sequence[str], ours: Sequence[str]) -> bool:
    """Whether all of `value`, canonical JSON, is known to come from somewhere.

    The user said it or one of the texts `ours` does, word after word; or its words stand in the
    texts `read`, as for `source`. A yes or no has no words.

    >>> traced('"evil depot"', said=["order flour"], read=["flour: low"], ours=["A depot."])
    False
    """
    return all(_traced(text, said, read, ours) for text in _leaves(value))


def _traced(text: str, said: Sequence[str], read: Sequence[str], ours: Sequence[str]) -> bool:
    words = _words(text)
    if not words or any(_holds(_words(one), words) for one in (*said, *ours)):
        return True
    return _source(text, said, read) is Source.THEIRS


def _source(text: str, said: Sequence[str], read: Sequence[str]) -> Source:
    words = _words(text)
    if any(_holds(_words(one), words) for one in said):
        return Source.OURS
    spoken = {word for one in said for word in _words(one)}
    own = [word for word in words if word not in spoken]
    telling = [word for word in own if word not in STOP_WORDS] or own
    if telling and all(any(_stands(word, one) for one in read) for word in telling):
        return Source.THEIRS
    return Source.UNSURE if _PLACE.search(text) else Source.OURS


def _stands(word: str, text: str) -> bool:
    """Whether a word stands in a text; where words run on, as a part of one."""
    words = _word_set(text)
    return word in words or (not word.isascii() and any(word in one for one in words))


def _holds(said: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words stand one after the other in what was said."""
    if not words:
        return False
    size = len(words)
    return any(tuple(said[at : at + size]) == tuple(words) for at in range(len(said) - size + 1))


@lru_cache(maxsize=128)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(_words(text))


@lru_cache(maxsize=128)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _leaves(value: str) -> Iterator[str]:
    """The texts and numbers in a value, names of fields included."""
    try:
        found: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        yield value
        return
    yield from _walk(found)


def _walk(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from _walk(one)
    elif isinstance(value, list):
        for one in value:
            yield from _walk(one)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield str(value)
