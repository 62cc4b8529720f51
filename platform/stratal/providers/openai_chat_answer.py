"""What the chunks of a Chat Completions stream say, read leniently: servers differ."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from stratal.providers.answer import Answer, counted
from stratal.providers.openai_chat_calls import CallPiece, PartialCalls
from stratal.providers.provider import Completion, StopReason, Usage

NOT_COUNTED = "The server reported no token counts for this answer."

# OpenAI's, and `model_length` of Mistral's servers; an unknown reason is an ordinary end.
_STOPS = {
    "length": StopReason.LENGTH,
    "model_length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSED,
}
# OpenRouter and Mistral, vLLM, DeepSeek: the server gave up in the middle of the answer.
_GIVEN_UP = frozenset({"error", "abort", "insufficient_system_resource"})


class BrokenAnswer(Exception):
    """A chunk that can't be read, or a server that gave up; the reason is its text."""


def _sound(value: object) -> object:
    """Halves of characters, which no database takes, become U+FFFD, in names and ids too."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_Text = Annotated[str, BeforeValidator(_sound)]


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class _Function(_Lenient):
    name: _Text | None = None
    arguments: _Text | dict[object, object] | None = None


class _Call(_Lenient):
    index: int | None = None
    id: _Text | None = None
    function: _Function | None = None

    def piece(self) -> CallPiece:
        function = self.function or _Function()
        whole = function.arguments if isinstance(function.arguments, dict) else None
        return CallPiece(
            index=self.index,
            id=self.id or "",
            name=function.name or "",
            arguments=function.arguments if isinstance(function.arguments, str) else "",
            whole=whole,
        )


class _Part(_Lenient):
    text: _Text | None = None


class _Delta(_Lenient):
    content: _Text | list[_Part] | None = None  # Mistral's reasoning models send parts
    refusal: _Text | None = None
    reasoning_content: _Text | None = None  # DeepSeek, vLLM
    reasoning: _Text | None = None  # Ollama, OpenRouter
    tool_calls: list[_Call] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text or "" for part in self.content)
        return self.content or ""


class _Choice(_Lenient):
    index: int | None = 0
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Details(_Lenient):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _Usage(_Lenient):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None
    prompt_cache_hit_tokens: int | None = None  # DeepSeek's place for the cached ones


class _Chunk(_Lenient):
    model: _Text | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


@dataclass(slots=True, kw_only=True)
class ChatAnswer:
    """One streamed answer so far."""

    answer: Answer = field(default_factory=Answer)
    calls: PartialCalls = field(default_factory=PartialCalls)
    begun: bool = False  # whether the server accepted the request
    counted: bool = False  # whether the server said how many tokens it took

    def take(self, data: object) -> str:
        """The text that the chunk `data`, a JSON object, brings; the rest of it is kept.

        Raises `BrokenAnswer`.
        """
        try:
            chunk = _Chunk.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "the chunk"
            raise BrokenAnswer(f"a chunk is malformed: {place}: {first['msg']}") from None
        self.answer.model = chunk.model or self.answer.model
        if chunk.usage is not None:
            self.answer.usage = _usage(chunk.usage, self.answer.usage)
            self.counted = self.answer.usage != Usage()
        return "".join(self._choice(choice) for choice in chunk.choices or () if not choice.index)

    def completion(self, taken: Collection[str]) -> Completion:
        """The whole answer; `taken` are the ids of the conversation's earlier calls.

        Raises `BrokenAnswer` when no reason to stop came, or a call has no name.
        """
        if not self.answer.ended:
            raise BrokenAnswer("no finish_reason came")
        for place, call in enumerate(self.calls.finished(taken)):
            if not call.name:
                raise BrokenAnswer("a tool call came without a name")
            self.answer.begin_call(place, id=call.id, name=call.name, arguments=call.arguments)
        whole = self.answer.completion()
        return whole if self.counted else replace(whole, warnings=(*whole.warnings, NOT_COUNTED))

    def _choice(self, choice: _Choice) -> str:
        delta = choice.delta or _Delta()
        self.answer.add_reasoning(delta.reasoning_content or delta.reasoning or "")
        for call in delta.tool_calls or ():
            self.calls.add(call.piece())
        text = self.answer.add_text(delta.text)
        if delta.refusal:
            self.answer.stop = StopReason.REFUSED
            text += self.answer.add_text(delta.refusal)
        if choice.finish_reason:
            self._end(choice.finish_reason)
        return text

    def _end(self, reason: str) -> None:
        if reason in _GIVEN_UP:
            raise BrokenAnswer(f"the server gave up: {reason}")
        self.answer.ended = True
        if self.answer.stop != StopReason.REFUSED:
            self.answer.stop = _STOPS.get(reason, StopReason.END)


def _usage(reported: _Usage, before: Usage) -> Usage:
    """Usage so far: some servers report it, growing, with every chunk. Cached ones are included."""
    details = reported.prompt_tokens_details or _Details()
    hits = details.cached_tokens
    if hits is None:
        hits = reported.prompt_cache_hit_tokens
    return Usage(
        input=counted(reported.prompt_tokens, before=before.input),
        output=counted(reported.completion_tokens, before=before.output),
        cache_read=counted(hits, before=before.cache_read),
        cache_write=counted(details.cache_write_tokens, before=before.cache_write),
    )
