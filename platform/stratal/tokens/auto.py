"""The default counter: the vocabulary where it is installed, else characters, times a factor."""

import hashlib
import math
from collections.abc import Callable, Sequence

from stratal.context.request import ToolSpec
from stratal.tokens.approximate import script_tokens
from stratal.tokens.counter import message_texts, tool_texts
from stratal.tokens.families import FACTORS
from stratal.tokens.vocabulary import vocabulary_path, vocabulary_tokens
from stratal_memory.records import Message

MESSAGE = 4  # tokens around a message: role and separators (O18; OpenAI's own examples say 3-4)
CALL = 12  # tokens around one tool call or one tool definition; our own, on the safe side
MEDIA = 1_600  # tokens an image: about the most Claude takes for one [believed]
REMEMBERED = 65_536  # counts kept; a key and a number each, some 10 MB when full


class AutoCounter:
    """Base tokens times the family's factor, rounded up; texts are counted once (by hash)."""

    def __init__(self, *, family: str, base: Callable[[str], int], exact: bool) -> None:
        """`base` counts o200k tokens of a text; an unknown `family` has the factor of "other"."""
        self._family = family
        self._factor = FACTORS.get(family, FACTORS["other"])
        self._base = base
        self._exact = exact
        self._known: dict[bytes, int] = {}

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
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._known.get(key)
        if known is None:
            known = math.ceil(self._base(text) * self._factor)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = known
        return known

    def count_messages(self, messages: Sequence[Message]) -> int:
        """Every text a message carries, 4 around it, 12 around a call, 1,600 an image."""
        return sum(
            sum(map(self.count, message_texts(message)))
            + MESSAGE
            + CALL * len(message.tool_calls)
            + MEDIA * len(message.media)
            for message in messages
        )

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        """Name, description and schema, 12 around each."""
        return sum(sum(map(self.count, tool_texts(tool))) + CALL for tool in tools)


def auto_counter(family: str) -> AutoCounter:
    """The default counter for a family of `stratal.tokens.families` (`family_of` names it).

    The vocabulary is loaded at the first count, never here. Raises nothing.
    """
    path = vocabulary_path()
    if path is None:
        return AutoCounter(family=family, base=script_tokens, exact=False)
    return AutoCounter(
        family=family,
        base=lambda text: vocabulary_tokens(text, path=path),
        exact=family == "openai",
    )
