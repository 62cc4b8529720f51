"""Counters that look at characters only: Octopus', Picoclaw's, and one that knows scripts."""

import re
from collections.abc import Sequence

from stratal.context.request import ToolSpec
from stratal.tokens.counter import message_texts, tool_texts
from stratal_memory.records import Message

# Octopus, "Token Counting Approaches" (O17, O18).
OCTOPUS_CHARACTERS = 4  # characters a token
OCTOPUS_OVERHEAD = 4  # tokens a message

# Picoclaw, "Token estimation" (P27, P32, P33) and its code (Ps1).
PICOCLAW_MESSAGE = 12  # characters a message
PICOCLAW_TOOL = 20  # characters a tool definition
PICOCLAW_PART = 20  # characters a part of the system prompt
PICOCLAW_MEDIA = 256  # tokens an item


class OctopusCounter:
    """Four characters a token; only the content of a message counts, as its document says.

    >>> OctopusCounter().count(""), OctopusCounter().count("twelve chars")
    (1, 3)
    """

    name = "octopus"
    exact = False

    def count(self, text: str) -> int:
        """A quarter of the code points, at least 1."""
        return max(1, len(text) // OCTOPUS_CHARACTERS)

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Content plus 4 a message, and what O18 leaves out: calls, media, sealed blocks (O23)."""
        return sum(self._message(message) for message in messages)

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        """The text of the definitions plus 4 each (O23: absent from the document)."""
        return sum(self.count("".join(tool_texts(tool))) + OCTOPUS_OVERHEAD for tool in tools)

    def _message(self, message: Message) -> int:
        characters = sum(map(len, message_texts(message))) - len(message.text)
        if message.opaque:  # reasoning is sent only inside it
            characters += max(len(message.opaque), len(message.reasoning))
        extra = max(1, characters // OCTOPUS_CHARACTERS) if characters else 0
        media = PICOCLAW_MEDIA * len(message.media)
        return self.count(message.text) + extra + media + OCTOPUS_OVERHEAD


class PicoclawCounter:
    """Two and a half characters a token, for everything a message carries.

    >>> PicoclawCounter().count("ten chars!")
    4
    """

    name = "picoclaw"
    exact = False

    def count(self, text: str) -> int:
        """Two fifths of the code points, rounded down (P27, P28)."""
        return len(text) * 2 // 5

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Characters of all it carries plus 12 each, times 2/5; media flat on top (P29-P33)."""
        return sum(self._message(message) for message in messages)

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        """Name, description and schema plus 20 characters each, times 2/5 (P34)."""
        characters = (sum(map(len, tool_texts(tool))) + PICOCLAW_TOOL for tool in tools)
        return sum(count * 2 // 5 for count in characters)

    def count_system(self, parts: Sequence[str], *, content: str = "") -> int:
        """A system message: the larger of `content` and its `parts`, 20 characters each (Ps1).

        The parts are the same text in blocks, for providers that cache by block.

        >>> PicoclawCounter().count_system(["be brief"]), PicoclawCounter().count_system([])
        (16, 4)
        """
        in_parts = sum(len(part) + PICOCLAW_PART for part in parts)
        return (max(len(content), in_parts) + PICOCLAW_MESSAGE) * 2 // 5

    def _message(self, message: Message) -> int:
        # Reasoning always (P29); what the provider sealed holds it again, so the larger counts.
        thoughts = max(len(message.reasoning), len(message.opaque))
        characters = sum(map(len, message_texts(message))) + thoughts + PICOCLAW_MESSAGE
        return characters * 2 // 5 + PICOCLAW_MEDIA * len(message.media)


_WORDS = re.compile(r"[A-Za-z]+")
_LONG_RUNS = re.compile(r"[A-Za-z0-9]{21,}")  # hashes, base64, keyboards: no word is that long
_DIGITS = re.compile(r"[0-9]{1,3}")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]+")
_BREAKS = re.compile(r"[\r\n]+|[ \t\f\v]{2,}")
_CJK = re.compile(r"[\u3000-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_OTHER_LETTERS = re.compile(r"[^\W\d_\x00-\x7f]")

# Least squares against o200k on the dialogues, Markdown, Python, HTML, JSON and CSV of the test
# data (5,500 texts), rounded up: totals there lie between -3 % and +11 %.
_WORD, _LETTER, _DIGIT_GROUP, _MARK_RUN, _BREAK = 0.77, 0.063, 1.6, 0.75, 1.0
_CJK_CHARACTER, _OTHER_LETTER, _SYMBOL = 0.8, 0.4, 1.5  # 0.7, 0.25-0.4 and 1-2 measured
# What each character of a long run adds: o200k took 0.6, 0.02-0.3 and 0.01-0.06.
_LONG_CHARACTER, _LONG_MARK, _LONG_BREAK = 0.5, 0.1, 0.0625


def script_tokens(text: str) -> int:
    """An estimate of o200k tokens that knows scripts: words, digits, marks, CJK, symbols.

    >>> script_tokens("We meet at noon in the old library."), script_tokens("明日の会議")
    (9, 4)
    """
    words, marks, breaks = _WORDS.findall(text), _MARKS.findall(text), _BREAKS.findall(text)
    tokens = _WORD * len(words) + _LETTER * sum(map(len, words))
    tokens += _LONG_CHARACTER * sum(len(run) - 20 for run in _LONG_RUNS.findall(text))
    tokens += _DIGIT_GROUP * len(_DIGITS.findall(text))
    tokens += _MARK_RUN * len(marks) + _LONG_MARK * sum(max(0, len(run) - 8) for run in marks)
    tokens += _BREAK * len(breaks) + _LONG_BREAK * sum(max(0, len(run) - 16) for run in breaks)
    if not text.isascii():
        tokens += _beyond_ascii(text)
    return max(round(tokens), 1 if text else 0)


def _beyond_ascii(text: str) -> float:
    foreign = sum(character > "\x7f" for character in text)
    cjk = len(_CJK.findall(text))
    letters = len(_OTHER_LETTERS.findall(_CJK.sub("", text)))
    return _CJK_CHARACTER * cjk + _OTHER_LETTER * letters + _SYMBOL * (foreign - cjk - letters)
