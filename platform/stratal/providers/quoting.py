"""What a question asks for and which sentences answer it best, by words alone."""

import re
from itertools import pairwise

SHORT = 240  # characters; an item up to this long is quoted whole
LONGEST = 600  # characters of a longer item that are quoted
MOST_SENTENCES = 3
STEM = 6  # letters by which two words are compared once an English ending is off

# The marks of English, Spanish, Chinese and Japanese, Arabic, Armenian and Ethiopic questions.
_QUESTION_MARKS = frozenset("?¿？؟՞፧")
_ASKING = re.compile(
    r"(please\s+)?(what|who|whom|whose|when|where|which|why|how|do|does|did|is|are|was|were|am"
    r"|can|could|will|would|should|have|has|tell|show|list|find|give|explain|summari[sz]e|recall"
    r"|remind|describe|look up|search|quote)\b",
    re.IGNORECASE,
)
# Words that say nothing about the subject; other languages have none here and lose little.
_EMPTY_WORDS = """
a about all an and are as at be been but by can could did do does for from give had has have how i
in into is it its me my of on or our please she should show so tell than that the their them then
there they this to up us was we were what when where which who why will with would you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
# "move", "moves", "moved", "moving" are one word; three letters have to stay.
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(ing|ed|es|(?<!s)s|e)$")
_WORD = re.compile(r"[^\W_]+")
# Scripts written without blanks: Japanese kana, Chinese characters, Thai.
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?<!\d\.)\s+|(?<=[。！？])\s*")
# A line that stands for itself: a list item, a row of a table, a heading.
_ENDS = (".", "!", "?", "…", "。", "！", "？", ":")
_OWN_LINE = re.compile(r"\s*(?:[-*•|#]|\d+[.)]\s)|.*\s\|\s")
_MARK = re.compile(r"^[-*•#]+\s+")  # of a list or heading, not wanted inside a quotation
_RULED = re.compile(r"[\s|:-]+")  # the line under a table's head


def is_question(text: str) -> bool:
    """Whether `text` asks for something: by its marks in any language, its first word in English.

    >>> is_question("Where do I live"), is_question("住所は？"), is_question("I live in Graz.")
    (True, True, False)
    """
    return bool(_QUESTION_MARKS & set(text)) or _ASKING.match(text.strip()) is not None


def shared_words(asked: str, text: str) -> int:
    """How many different content words of `asked` are in `text`."""
    return len(_stems(asked) & _stems(text))


def best_passage(text: str, asked: str) -> str:
    """`text` on one line when it is short, else its one to three best sentences, in their order.

    A gap between two of them is shown as an ellipsis. At most 600 characters.
    """
    whole = " ".join(text.split())
    if len(whole) <= SHORT:
        return whole
    sentences = [part for line in _lines(text) for part in _SENTENCE_END.split(line)]
    chosen = _best(sentences, asked)
    sentences = [_MARK.sub("", sentence) for sentence in sentences]
    passage = sentences[chosen[0]]
    for before, place in pairwise(chosen):
        near = " " if sentences[before].endswith(_ENDS) else " / "
        passage += (near if place == before + 1 else " … ") + sentences[place]
    return passage if len(passage) <= LONGEST else passage[: LONGEST - 1].rstrip() + "…"


def _lines(text: str) -> list[str]:
    """Paragraphs with their line breaks taken out; rows, list items and headings for themselves."""
    lines: list[str] = []
    joins = False  # whether the next line goes on where the last one stopped
    for raw in text.splitlines():
        line = " ".join(raw.split())
        if not line or _RULED.fullmatch(line):
            joins = False
            continue
        own = _OWN_LINE.match(line) is not None
        if joins and not own:
            lines[-1] += f" {line}"
        else:
            lines.append(line)
        joins = not own
    return lines


def _best(sentences: list[str], asked: str) -> list[int]:
    """Places of the best sentences, ascending; the first ones where none shares a word."""
    shared = {place: shared_words(asked, text) for place, text in enumerate(sentences)}
    ranked = sorted(shared, key=lambda place: (-shared[place], place))
    if shared[ranked[0]] == 0:
        return ranked[:MOST_SENTENCES]
    return sorted(place for place in ranked[:MOST_SENTENCES] if shared[place])


def _stems(text: str) -> set[str]:
    """The content words of `text`, each by its first letters; unspaced scripts by letter pairs."""
    folded = text.casefold()
    words = {_ENDING.sub("", word)[:STEM] for word in _WORD.findall(folded) if word not in _EMPTY}
    for run in _UNSPACED.findall(folded):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return words
