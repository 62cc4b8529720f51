"""The names, numbers, dates, identifiers, paths and addresses in one sentence, by shape alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stratal_memory.learning.wordlist import words as words_of

LONGEST = 120  # characters of one mark: what is longer is data, not a name

_EDGES = "\"'`<>(){}[],;|“”‘’«»…!?:*。、，；：！？（）「」『』【】"
_CJK = "\u3000-\u9fff\uac00-\ud7ff\uf900-\ufaff"
_SCRIPTS = re.compile(rf"(?<=[{_CJK}])(?=[!-~])|(?<=[!-~])(?=[{_CJK}])")
_JSON = re.compile(r"[\"{}\[\]]|:(?=\s|\")|,(?=\")")  # the arguments of a tool call

_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+|[^\s@]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}", re.I
)
_PATH = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@~+-]\S*|[\w.@+-]+[/\\]\S*[/\\.]\S+", re.ASCII
)
_IDENTIFIER = re.compile(
    r"#\d+"  # an issue
    r"|[A-Za-z_$][\w$]*_[\w$]*\w|--?[a-z][\w-]{2,}"  # snake_case, ENV_NAME, --option
    r"|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}"  # camelCase, PascalCase
    r"|[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?:\(\))?"  # a.dotted.name
    r"|\w[\w-]*\.[a-z]{1,5}[0-9]?"  # file.md
    r"|(?=[\w.-]*[A-Za-z])(?=[\w.-]*\d)[A-Za-z0-9][\w.-]{2,}"  # v1.2.3, INV-1234, a hash
)
_MONTHS = words_of(
    """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec"""
)
_NUMBER = re.compile(
    r"[$€£¥₹]?[+-]?\d[\d.,:/-]{0,20}(?:%|°[CF]?|[€$£]|st|nd|rd|th|am|pm|[kKmMgG]?[bB]|km|kg|ms|[smhdgk])?"
)
_UNITS = words_of(
    """second minute hour day week month year ms sec min hr kb mb gb tb kib mib gib token message
    character line byte file page row user item step dollar euro pound eur usd gbp cent percent km
    mile meter metre cm mm kg gram lb am pm degree °c °f people person kid time"""
)
_NO_NAMES = words_of(
    """i i'm i've i'll i'd ok okay hey hi hello wow yeah yes no nah thanks thank haha lol omg oh ah
    mr mrs ms dr please sorry sure cool great nice awesome absolutely aw aww bye"""
)


@dataclass(frozen=True, slots=True)
class Mark:
    """What was written, and the parts of it that must all be found again."""

    text: str
    parts: tuple[str, ...]
    name: bool = False  # known by nothing but its capital


def marks(sentence: str) -> list[Mark]:
    """The marks of `sentence` in order, each once.

    A capital counts as a name anywhere but at the beginning; a bare single digit says nothing.
    Time is linear: the sentence is cut at blanks and each word is looked at by itself.

    >>> [mark.text for mark in marks("We paid $40 to Anna Berg on May 8, see src/app.py")]
    ['$40', 'Anna Berg', 'May 8', 'src/app.py']
    """
    raw = _JSON.sub(" ", _SCRIPTS.sub(" ", sentence)).split()
    words = [word.strip(_EDGES).rstrip(".") for word in raw]
    found: dict[tuple[str, ...], Mark] = {}
    for mark in _in(raw, words, shouted=sentence.isupper()):
        if len(mark.text) <= LONGEST:
            found.setdefault(mark.parts, mark)
    return list(found.values())


def _in(raw: Sequence[str], words: Sequence[str], *, shouted: bool) -> Iterator[Mark]:
    index, begun = 0, False
    while index < len(words):
        mark = _at(raw, words, index) if len(words[index]) <= LONGEST else None
        doubtful = mark is not None and mark.name and not _is_acronym(words[index])
        if mark and doubtful and not begun:
            mark = None  # a sentence's first word; what follows it may be a name by itself
        if mark and not (shouted and mark.name):
            yield mark
        begun = begun or any(map(str.isalnum, words[index]))
        index += len(mark.text.split()) if mark else 1


def _at(raw: Sequence[str], words: Sequence[str], index: int) -> Mark | None:
    """The mark that begins at a word."""
    word = words[index]
    if _is_date_part(word):
        run = _run(words, index)
        if run:
            return Mark(" ".join(run), tuple(run))
    if _NUMBER.fullmatch(word):
        return _number(words, index)
    if _URL.fullmatch(word) or _PATH.fullmatch(word) or _IDENTIFIER.fullmatch(word):
        return Mark(word, (word,))
    if _is_name(word):
        run = _name(raw, words, index)
        return Mark(" ".join(run), (" ".join(run),), name=True)
    return None


def _run(words: Sequence[str], index: int) -> list[str]:
    """A date in words: a month with a number beside it ("8 May 2023", "May 8")."""
    run: list[str] = []
    for word in words[index : index + 3]:
        if not _is_date_part(word):
            break
        run.append(word)
    months = sum(word.casefold() in _MONTHS for word in run)
    return run if months == 1 and len(run) > 1 else []


def _is_date_part(word: str) -> bool:
    digits = word.rstrip("stndrh")
    return word.casefold() in _MONTHS or (digits.isdecimal() and len(digits) <= 4)


def _number(words: Sequence[str], index: int) -> Mark | None:
    word, after = words[index], words[index + 1] if index + 1 < len(words) else ""
    if after.casefold().removesuffix("s") in _UNITS:
        return Mark(f"{word} {after}", (word, after))
    return Mark(word, (word,)) if len(word) > 1 else None


def _is_name(word: str) -> bool:
    return (
        len(word) > 1
        and word[0].isupper()
        and word.replace("’", "'").casefold() not in _NO_NAMES
        and not word.startswith(("I'", "I’"))
    )


def _is_acronym(word: str) -> bool:
    return word.isupper() and word.isalpha() and word.isascii()


def _name(raw: Sequence[str], words: Sequence[str], index: int) -> list[str]:
    """Capitalised neighbours, at most four, with nothing but a blank between them."""
    run = [words[index]]
    while len(run) < 4 and index + len(run) < len(words):
        before, word = raw[index + len(run) - 1], words[index + len(run)]
        if not before.endswith(run[-1]) or not _is_name(word):
            break
        run.append(word)
    return run
