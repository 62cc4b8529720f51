"""The default counter: the vocabulary where it is installed, else characters, times a factor."""

import math
from collections.abc import Callable, Sequence

from stratal.context.request import ToolSpec
from stratal.tokens.approximate import script_tokens
from stratal.tokens.counter import message_texts, sealed_characters, tool_texts
from stratal.tokens.families import FACTORS
from stratal.tokens.media import media_tokens
from stratal.tokens.vocabulary import vocabulary_path, vocabulary_tokens
from stratal_memory.records import Message

MESSAGE = 4  # tokens around a message: role and separators (O18; OpenAI's own examples say 3-4)
CALL = 12  # tokens around one tool call or one tool definition; our own, on the safe side
# Sealed blocks are base64 of encrypted thoughts, four characters for three; our own estimate.
SEALED = 5  # characters of them a token, before the family's factor
REMEMBERED = 65_536  # counts kept; two numbers each, some 8 MB when full


class AutoCounter:
    """Base tokens times the family's factor, rounded up; every content is counted once.

    What is known is kept by the hash of the content, never with the content. Python keeps the
    hash of a text in the text, so asking for a message seen before costs 0.3 microseconds, and
    one read anew 1.6 at 4,000 characters (a BLAKE2 of the same: 7).
    """

    def __init__(
        self, *, family: str, base: Callable[[str], int], exact: bool, model: str = ""
    ) -> None:
        """`base` counts o200k tokens of a text; an unknown `family` has the factor of "other".

        `model` only says how images are counted, where a family's models differ.
        """
        self._family = family
        self._factor = FACTORS.get(family, FACTORS["other"])
        self._base = base
        self._exact = exact
        self._model = model
        self._texts: dict[int, int] = {}
        self._messages: dict[int, int] = {}

    @property
    def name(self) -> str:
        """`auto:` and the family."""
        return f"auto:{self._family}"

    @property
    def exact(self) -> bool:
        """True only for a family whose own vocabulary is loaded."""
        return self._exact

    def count(self, text: str) -> int:
        """Tokens of `text`; 0 for an empty one."""
        if not text:
            return 0
        key = hash(text)
        known = self._texts.get(key)
        if known is None:
            known = math.ceil(self._base(text) * self._factor)
            _keep(self._texts, key, known)
        return known

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Every text a message carries, 4 around it, 12 around a call, media by formula.

        Reasoning counts only where it is sent: in the `opaque` blocks of an answer.
        """
        total = 0
        for message in messages:
            key = hash(message)
            known = self._messages.get(key)
            if known is None:
                known = self._message(message)
                _keep(self._messages, key, known)
            total += known
        return total

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        """Name, description and schema, 12 around each."""
        return sum(sum(map(self.count, tool_texts(tool))) + CALL for tool in tools)

    def _message(self, message: Message) -> int:
        tokens = sum(map(self.count, message_texts(message)))
        tokens += MESSAGE + CALL * len(message.tool_calls)
        if message.opaque:
            sealed = math.ceil(sealed_characters(message) / SEALED * self._factor)
            tokens += max(self.count(message.reasoning), sealed)
        return tokens + sum(
            media_tokens(media, family=self._family, model=self._model) for media in message.media
        )


def _keep(known: dict[int, int], key: int, tokens: int) -> None:
    if len(known) >= REMEMBERED:
        known.clear()
    known[key] = tokens


def auto_counter(family: str, *, model: str = "") -> AutoCounter:
    """The default counter for a family of `stratal.tokens.families` (`family_of` names it).

    The vocabulary is loaded at the first count, never here. Raises nothing.
    """
    path = vocabulary_path()
    if path is None:
        return AutoCounter(family=family, base=script_tokens, exact=False, model=model)
    return AutoCounter(
        family=family,
        base=lambda text: vocabulary_tokens(text, path=path),
        exact=family == "openai",
        model=model,
    )
