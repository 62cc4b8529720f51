"""The words a draft is found by: a name, a description and a trigger, from what was asked."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from stratal_memory.errors import InputError
from stratal_memory.text import STOP_WORDS, terms
from stratal_procedures.episode import Episode
from stratal_procedures.trigger import Trigger

MOST_WORDS = 4  # of a name
LONGEST_NAME = 48  # characters; room for a number behind it
GAP = 60  # characters between the two words of a trigger
SHORTEST_STEM = 3
LONGEST_WORD = 24  # characters
_WORD = re.compile(r"[^\W\d_]{2,}")


def common_words(episodes: Sequence[Episode], values: frozenset[str]) -> tuple[str, ...]:
    """The words that most requests have, in the order of the first that has them.

    Those whose term is among `values` (what the parameters held) are left out, and so is what
    says nothing. A word stands as it was written first, in lower case.
    """
    counted: dict[str, tuple[int, str]] = {}
    for one in episodes:
        for term, word in _worded(one.request).items():
            count, first = counted.get(term, (0, word))
            counted[term] = (count + 1, first)
    most = len(episodes) // 2 + 1
    return tuple(
        word for term, (count, word) in counted.items() if count >= most and term not in values
    )


def _worded(request: str) -> dict[str, str]:
    """The words of a request by their term; the first of each."""
    found: dict[str, str] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", request).casefold()):
        if word not in STOP_WORDS and len(word) <= LONGEST_WORD:
            for term in terms(word)[:1]:
                found.setdefault(term, word)
    return found


def name_of(words: Sequence[str], tools: Sequence[str], taken: Callable[[str], bool]) -> str:
    """A free name in small letters and hyphens: of the task's words, else of the tools' names."""
    plain = [part for word in words for part in [_ascii(word)] if part][:MOST_WORDS]
    parts = plain if len(plain) >= 2 else [_ascii(tool) for tool in dict.fromkeys(tools)]
    made = "-".join(part for part in parts if part)[:LONGEST_NAME].strip("-") or "procedure"
    name, number = made, 2
    while taken(name):
        name, number = f"{made}-{number}", number + 1
    return name


def _ascii(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold()).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain))


def trigger_of(words: Sequence[str], episodes: Sequence[Episode]) -> str:
    """A pattern of the first two words that every request has in one order; empty if there is none.

    One word alone would bring the procedure up wherever it falls.
    """
    stems = [_stem(word, episodes) for word in words]
    usable = [stem for stem in stems if stem]
    for place, first in enumerate(usable):
        for second in usable[place + 1 :]:
            pattern = rf"\b{first}\w{{0,6}}\b.{{0,{GAP}}}\b{second}\w{{0,6}}"
            try:
                trigger = Trigger(pattern)
            except InputError:
                continue
            if all(trigger.found(one.request) for one in episodes):
                return pattern
    return ""


def _stem(word: str, episodes: Sequence[Episode]) -> str:
    """The letters that all spellings of a word in the requests begin with."""
    wanted = terms(word)[:1]
    forms = [
        form for one in episodes for term, form in _worded(one.request).items() if [term] == wanted
    ]
    shared = forms[0] if forms else ""
    for form in forms:
        while not form.startswith(shared):
            shared = shared[:-1]
    return re.escape(shared) if len(shared) >= SHORTEST_STEM else ""
