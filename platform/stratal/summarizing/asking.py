"""The calls of the summarising model: tried up to three times, each answer checked."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from stratal.context.compression.pinned import RULE
from stratal.errors import ContextOverflow, ProviderError
from stratal.summarizing.job import Complete, Count
from stratal.summarizing.prompt import NAMED, Turns, merging, prompt, told
from stratal_memory.learning.redaction import redact
from stratal_memory.records import Role
from stratal_memory.text import storable

TRIES = 3  # Ps6: of each call
HALVED = 10  # Ps6: more user and assistant messages are summarised in two halves
HALF = 0.75  # of the limit: each half's summary; merging makes one of them
MARGIN = 1.05  # of the prompt's tokens: our count of another model's tokens is an estimate

_WRAPPED = re.compile(r"\A```[a-z]*\n(.*?)\n?```\Z", re.DOTALL)
_FENCE = re.compile(r"^\[(?=(?:end of )?(?:recalled|conversation) )", re.MULTILINE)
_CLAIMED = re.compile(rf"^(\W*){re.escape(RULE)}(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One summarisation by a model; `tried` grows by what failed."""

    complete: Complete
    count: Count
    window: int  # tokens
    limit: int  # tokens
    named: Sequence[str] = ()  # what must be kept, heaviest first
    rules: Sequence[str] = ()  # the only ones that may be carried on as the user's
    tried: list[str] = field(default_factory=list[str])

    def summary(self, turns: Turns, *, previous: str) -> str:
        """The model's summary, in two halves that are merged where it is long; empty on failure."""
        halves = split(turns)
        if len(halves) == 1:
            return self._one(turns, previous=previous)
        half = replace(self, limit=int(self.limit * HALF))
        first = half._one(halves[0], previous=previous)
        second = half._one(halves[1], previous="") if first else ""
        if not second:
            return ""
        return self._ask(lambda room: merging(first, second), previous="")

    def _one(self, turns: Turns, *, previous: str) -> str:
        return self._ask(
            lambda room: told(turns, window=self.window, room=room, count=self.count),
            previous=previous,
        )

    def _ask(self, record: Callable[[int], str], *, previous: str) -> str:
        """The first answer that holds, or empty; `record` is given the tokens it may take.

        After an overflow the record gets half the room: the model's tokens are not ours.
        """
        room, complaint = self._room(previous), ""
        for number in range(1, TRIES + 1):
            text = record(room)
            if not text or room < self.count(text):
                self.tried.append(f"model: nothing of the conversation fits {self.window:,} tokens")
                return ""
            asked = self._prompt(text, previous)
            try:
                answer = self._cleaned(self.complete(f"{asked}{complaint}"))
            except ProviderError as error:
                self.tried.append(f"model: {error} (try {number} of {TRIES})")
                if not error.retryable and not isinstance(error, ContextOverflow):
                    return ""
                room = room // 2 if isinstance(error, ContextOverflow) else room
                continue
            wrong = self._wrong(answer, asked)
            if not wrong:
                return answer
            self.tried.append(f"model: {wrong} (try {number} of {TRIES})")
            complaint = f"\n\nYour last answer was refused: {wrong}."
        return ""

    def _prompt(self, text: str, previous: str) -> str:
        return prompt(text, previous=previous, named=self.named[:NAMED], limit=self.limit)

    def _room(self, previous: str) -> int:
        """Tokens a record may take: the window without the answer, the task and a complaint."""
        frame = self.count(self._prompt("", previous)) + 60
        return int((self.window - self.limit) / MARGIN) - frame

    def _wrong(self, answer: str, asked: str) -> str:
        if not any(map(str.isalnum, answer)):
            return "the answer was empty"
        nonce = asked.rpartition(" ")[2].rstrip("]")
        if nonce in answer:
            return "the answer copied the fence of the record"
        tokens = self.count(answer)
        if tokens > self.limit:
            return f"the answer has {tokens:,} tokens, at most {self.limit:,} are asked for"
        return ""

    def _cleaned(self, answer: str) -> str:
        """The answer without code fence and secrets; it can't pose as a fence or as a rule."""
        text = storable(answer).strip()
        wrapped = _WRAPPED.match(text)
        text = _FENCE.sub("(", wrapped[1].strip() if wrapped else text)
        return redact(_CLAIMED.sub(self._checked, text)).text

    def _checked(self, claim: re.Match[str]) -> str:
        known = claim[2].strip() in self.rules
        return claim[0] if known else f"{claim[1]}{claim[2].strip()}"


def split(turns: Turns) -> list[Turns]:
    """`turns`, or their two halves at the turn nearest to the middle message (Ps6)."""
    sizes = [sum(one.role in (Role.USER, Role.ASSISTANT) for one in turn) for turn in turns]
    if sum(sizes) <= HALVED or len(turns) < 2:
        return [turns]
    before = list(accumulate(sizes))
    cut = min(range(1, len(turns)), key=lambda index: abs(before[-1] - 2 * before[index - 1]))
    return [turns[:cut], turns[cut:]]
