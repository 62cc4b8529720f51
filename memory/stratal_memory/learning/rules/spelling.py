"""How people type, written as the rules read it: "im", "dont", "my nmae", "lol"."""

import re

from stratal_memory.learning.wordlist import words

_SHORT = {
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "cant": "can't",
    "wont": "won't",
    "isnt": "isn't",
    "wasnt": "wasn't",
    "arent": "aren't",
    "havent": "haven't",
    "hasnt": "hasn't",
    "shes": "she's",
    "hes": "he's",
    "theyre": "they're",
    "thats": "that's",
    "wer": "we're",
    "weve": "we've",
    "hav": "have",
    "u": "you",
    "ur": "your",
    "bf": "boyfriend",
    "gf": "girlfriend",
    "bday": "birthday",
    "fav": "favourite",
    "fave": "favourite",
    "prefere": "prefer",
    "alergic": "allergic",
    "favorit": "favourite",
    "vegeterian": "vegetarian",
    "appointmant": "appointment",
    "apointment": "appointment",
    "tommorow": "tomorrow",
    "tomorow": "tomorrow",
    "wich": "which",
    "becuase": "because",
    "cuz": "because",
    "bc": "because",
}
# A word with two neighbouring letters swapped is taken for one of these.
_KEYWORDS = words(
    """
    name live work love hate like have birthday sister brother mother father daughter husband
    wife friend favourite favorite allergic vegan vegetarian moving moved prefer married
    engaged called from study school doctor dentist appointment tomorrow yesterday
    """
)
_SWAPPED = {
    word[:i] + word[i + 1] + word[i] + word[i + 2 :]: word
    for word in _KEYWORDS
    for i in range(len(word) - 1)
    if len(word) >= 4 and word[i] != word[i + 1]
}
for _real in words("form lived liked faster hated loved worker who's vega"):
    _SWAPPED.pop(_real, None)

_WORD = re.compile(r"(?<![\w'@./])[A-Za-z]+(?![\w'@/]|\.\w)")
_ASIDE = re.compile(r"\s*\([^()\n]{1,40}\)")
# A name in brackets behind somebody: my mom (Diane), a son (Leo, 8).
_NAMED_ASIDE = re.compile(
    r"(\b(?:my|our|an?) [a-z-]+(?: [a-z-]+)?) ?\(([A-ZÀ-Þ][\w'-]*)(?:,? \d{1,2})?\)"
)
_CHATTER = re.compile(
    r"[\s,]*(?:\b(?:lol|lmao|haha\w*|tbh|ngl|imo|ofc|smh|ugh|xd|to be honest|if you ask me"
    r"|if that matters|no contest|believe it or not|i'm afraid|as it happens|just saying|for real"
    r"|yes really|sadly|unfortunately|obviously)|[:;]-?[()DPp/]|<3)\Z",
    re.IGNORECASE,
)
_NAMES = re.compile(r"\A(?:the )?names? (?=[A-Za-z]+\Z)")


def mended(clause: str) -> str:
    """The clause without asides and chatter at its end, its short forms and slips written out.

    >>> mended("im alergic to cats lol")
    "I'm allergic to cats"
    """
    text = _NAMED_ASIDE.sub(r"\1 called \2", clause)
    text = _ASIDE.sub("", text)
    while (tail := _CHATTER.search(text)) is not None:
        text = text[: tail.start()]
    text = _WORD.sub(_written, text)
    return _NAMES.sub("my name is ", text)


def _written(match: re.Match[str]) -> str:
    word = match.group()
    low = word.casefold()
    return _SHORT.get(low) or _SWAPPED.get(low) or word
