"""What tells two statements apart that give one facet the same value: the words around it.

"My older brother lives in Berlin" and "my younger brother lives in Berlin" are two facts. Pure.
"""

import re
from collections import defaultdict

from stratal_memory.facets import one_at_a_time
from stratal_memory.records import Memory
from stratal_memory.text import STOP_WORDS, text_hash

# A line is a contrast; its senses are parted by bars, the words of one sense by blanks.
_CONTRASTS = """
    older elder oldest eldest | younger youngest
    big bigger large | little small smaller tiny
    tall | short
    old former previous | new current
    day daytime | night nighttime overnight
    morning breakfast | noon midday lunch lunchtime | afternoon | evening dinner | night | midnight
    left | right
    upper | lower
    top | bottom
    front | rear
    inner | outer
    first | second | third
    north northern | south southern | east eastern | west western
    indoor inside | outdoor outside
    upstairs | downstairs
    before | after
    daily | weekly | monthly | yearly
    weekday | weekend
    monday | tuesday | wednesday | thursday | friday | saturday | sunday
    spring | summer | autumn fall | winter
    brother | sister
    mother mum mom | father dad
    son | daughter
    husband | wife
    boyfriend | girlfriend
    uncle | aunt
    nephew | niece
    grandmother grandma | grandfather grandpa
    maternal | paternal
    male | female
    hot | cold iced
    black | white | red | blue | green | yellow | brown | grey gray | orange | pink | purple
"""
_SENSES: dict[str, list[tuple[int, int]]] = defaultdict(list)  # by word: (contrast, sense)
for _number, _line in enumerate(_CONTRASTS.strip().splitlines()):
    for _sense, _spelt in enumerate(_line.split("|")):
        for _one in _spelt.split():
            _SENSES[_one].append((_number, _sense))

_WORD = re.compile(r"[^\W_]+")
_IDLE = re.compile(  # contrasts nothing
    r"\b(?:(?:every|each|per|all|a|one|any|some|these|the other) day|right (?:now|away|here)"
    r"|a (?:little|bit)|years? old|at first)\b"
)
_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|first|second"
    r"|third|half|once|twice)\b",
    re.IGNORECASE,
)
# The first word of a sentence may be a name as well; stop words are told from names below.
_NAME = re.compile(r"\b[A-ZÀ-ÖØ-ÞА-ЯЁ]\w*")


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, in figures or words, in small letters."""
    return frozenset(one.casefold() for one in _NUMBER.findall(text))


def names(text: str) -> frozenset[str]:
    """The capitalised words of a text that are no stop words."""
    return frozenset(one for one in _NAME.findall(text) if one.casefold() not in STOP_WORDS)


def apart(one: str, other: str, *, value: str = "") -> bool:
    """Whether what one text says beside `value` makes it another fact than the other text.

    A contrasting word, a number or a name that only one of them has does. To be not apart is the
    same for any number of texts: what is one with a second and a third makes those one.

    >>> apart("Takes tea in the morning.", "Takes tea in the evening.", value="tea")
    True
    >>> apart("The user has tea every day.", "User has tea", value="Tea")
    False
    """
    if text_hash(one) == text_hash(other):
        return False
    return _marks(one, value) != _marks(other, value)


def opposed(one: str, other: str, *, value: str = "") -> bool:
    """Whether two texts say contrasting words beside `value`: "the day shift", "the night shift".

    Less than `apart`: a word that only one of them says opposes nothing, nor do numbers or names.
    """
    ours, theirs = _senses(one, value), _senses(other, value)
    return any(ours[contrast] != theirs[contrast] for contrast in ours.keys() & theirs.keys())


def two_facts(one: Memory, other: Memory) -> bool:
    """Whether the words around the value that both have make two facts of it.

    Of what has one value at a time only contrasting words do.
    """
    differ = opposed if one_at_a_time(one.facet) else apart
    return differ(one.text, other.text, value=one.value)


def _marks(text: str, value: str) -> tuple[dict[int, set[int]], frozenset[str], frozenset[str]]:
    inside = {*_words(value), "user"}
    named = frozenset(name.casefold() for name in names(text)) - inside
    return _senses(text, value), numbers(text) - numbers(value), named


def _senses(text: str, value: str) -> dict[int, set[int]]:
    """The senses of each contrast that a text has outside of `value`."""
    inside = {found for word in _words(value) for found in _senses_of(word)}
    made: dict[int, set[int]] = {}
    for word in _words(text):
        for contrast, sense in _senses_of(word):
            if (contrast, sense) not in inside:
                made.setdefault(contrast, set()).add(sense)
    return made


def _senses_of(word: str) -> list[tuple[int, int]]:
    return _SENSES.get(word) or _SENSES.get(word.removesuffix("s")) or []


def _words(text: str) -> list[str]:
    return _WORD.findall(_IDLE.sub(" ", text.casefold()))
