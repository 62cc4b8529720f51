"""Text that may come from anywhere, made fit to be stored, hashed and searched."""

import hashlib
import re
import threading
import unicodedata
from functools import lru_cache

import snowballstemmer

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
# Scripts written without blanks between words: found by pairs of characters (ARCHITECTURE 8).
_RUNS_ON = (
    "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
_UNSPACED = re.compile(f"[{_RUNS_ON}]+")
_PARTS = re.compile(f"[{_RUNS_ON}]+|[^{_RUNS_ON}]+")  # "iPhone手机" is a word and a run
MAX_WORD = 64  # characters; longer runs are no words (base64, hashes)

# The words of English that say nothing about what a sentence is about.
_STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being but by can
    could did do does doing don down for from had has have having he her here hers him his how i
    if in into is it its itself just me more most my myself no nor not now of off on once only or
    other our ours out over own please same shall she should so some such tell than that the their
    theirs them then there these they this those through to too under until up very was we were
    what when where which while who whom whose why will with would you your yours s t ll ve re d m
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def storable(text: str) -> str:
    """`text` with NULs and lone surrogates shown as U+FFFD; no database or tokenizer takes them.

    >>> storable("a" + chr(0) + "b") == "a" + REPLACEMENT + "b"
    True
    """
    return _UNSTORABLE.sub(REPLACEMENT, text)


def content_hash(text: str) -> str:
    """32 hex digits that stand for exactly this text; lone surrogates are welcome.

    >>> content_hash("tea") == content_hash("tea "), len(content_hash("tea"))
    (False, 32)
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def text_hash(text: str) -> str:
    """The same for two texts that differ only in case, form, blanks or end punctuation.

    >>> text_hash("I like  Tea.") == text_hash("i like tea")
    True
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = " ".join(folded.split()).rstrip(".!?;, ")
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()


_stemmer = snowballstemmer.stemmer("english")
_stemming = threading.Lock()  # the stemmer keeps the word in hand in its own fields


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    with _stemming:
        return str(_stemmer.stemWord(word))


def terms(text: str) -> list[str]:
    """The search terms of `text` in order: stems of words, pairs of characters where words run on.

    >>> terms("Where are the 26 ovens?")
    ['26', 'oven']
    """
    found: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        found.extend(_terms_of(word))
    return found


@lru_cache(maxsize=50_000)
def _terms_of(found: str) -> tuple[str, ...]:
    """The terms of one word; words come back again and again."""
    word = found.replace("’", "'")
    if word.partition("'")[0] in STOP_WORDS or len(word) > MAX_WORD:
        return ()
    made: list[str] = []
    for part in _PARTS.findall(word):
        if _UNSPACED.match(part):
            made.extend(_pairs(part))
        else:
            made.append(_stem(part.removesuffix("'s").replace("'", "")))
    return tuple(made)


def _pairs(word: str) -> list[str]:
    if len(word) == 1:
        return [word]
    return [word[i : i + 2] for i in range(len(word) - 1)]
