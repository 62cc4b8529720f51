"""Text that may come from anywhere, made fit to be stored, hashed and searched."""

import hashlib
import re
import threading
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

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
MOST_KNOWN = 50_000  # words whose terms are kept
_known: dict[str, tuple[str, ...]] = {}
_stemming = threading.Lock()  # the stemmer keeps the word in hand in its own fields


def _stem(word: str) -> str:
    with _stemming:
        return str(_stemmer.stemWord(word))


def terms(text: str) -> list[str]:
    """The search terms of `text` in order: stems of words, pairs of characters where words run on.

    >>> terms("Where are the 26 ovens?")
    ['26', 'oven']
    """
    found: list[str] = []
    for word in _words(text):
        made = _known.get(word)
        found += _keep(word, _terms_of(word)) if made is None else made
    return found


def learn(text: str, made: Sequence[str]) -> None:
    """Keep how words become terms, from the terms that were `made` of `text` before.

    Stemming takes longer than all else that is done with a word. What does not fit is not kept.
    """
    words = _words(text)
    counts = [len(_known[word]) if word in _known else _count(word) for word in words]
    if sum(counts) != len(made):
        return
    ends = list(accumulate(counts))
    found = [tuple(made[end - count : end]) for end, count in zip(ends, counts, strict=True)]
    if all(_known.get(word, terms_) == terms_ for word, terms_ in zip(words, found, strict=True)):
        for word, terms_ in zip(words, found, strict=True):
            _keep(word, terms_)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _keep(word: str, made: tuple[str, ...]) -> tuple[str, ...]:
    """The terms of a word, kept: words come back again and again."""
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known[word] = made
    return made


def _terms_of(found: str) -> tuple[str, ...]:
    made: list[str] = []
    for part in _parts(found):
        if _UNSPACED.match(part):
            made.extend(_pairs(part))
        else:
            made.append(_stem(part.removesuffix("'s").replace("'", "")))
    return tuple(made)


def _count(found: str) -> int:
    """How many terms a word becomes."""
    return sum(max(1, len(one) - 1) if _UNSPACED.match(one) else 1 for one in _parts(found))


def _parts(found: str) -> list[str]:
    word = found.replace("’", "'")
    if word.partition("'")[0] in STOP_WORDS or len(word) > MAX_WORD:
        return []
    return _PARTS.findall(word)


def _pairs(word: str) -> list[str]:
    if len(word) == 1:
        return [word]
    return [word[i : i + 2] for i in range(len(word) - 1)]


# A full stop ends a sentence where a blank follows, and not behind an initial or an abbreviation:
# 2.5 mg, 192.168.1.20 and Dr. Smith are whole.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!\b(?:[DMS]r|Ms|St|No|vs)\.)(?<!\b(?:Mrs|etc|Inc)\.)"
    r"(?<!\bProf\.)\s+|(?<=[。！？])|\n+"
)


def sentences_of(text: str) -> list[str]:
    """The sentences of `text` in order, with their marks, blanks folded; none is empty.

    >>> sentences_of("I take 2.5 mg. Dr. Smith says so! Why?")
    ['I take 2.5 mg.', 'Dr. Smith says so!', 'Why?']
    """
    return [found for part in _SENTENCE_END.split(text) if (found := " ".join(part.split()))]
