"""What has come of an answer so far, and the completion it makes when it is whole."""

from dataclasses import dataclass, field

from stratal.providers.provider import Completion, StopReason, Usage
from stratal_memory.records import ToolCall


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    pieces: list[str]


@dataclass(slots=True, kw_only=True)
class Answer:
    """The parts of one streamed answer, in the order they came."""

    stop: StopReason = StopReason.END
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    ended: bool = False  # the provider said that nothing more comes
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _calls: dict[int, _Call] = field(default_factory=dict)  # by their place in the answer

    @property
    def has_text(self) -> bool:
        """Whether any text has come."""
        return bool(self._text)

    def add_text(self, piece: str) -> str:
        """`piece`, kept and given back, so that it can be shown at once.

        Halves of characters (lone surrogates, which JSON can carry and a database can't) become
        U+FFFD.
        """
        sound = _sound(piece)
        if sound:
            self._text.append(sound)
        return sound

    def add_reasoning(self, piece: str) -> None:
        """Keeps a piece of the model's thinking."""
        self._reasoning.append(_sound(piece))

    def begin_call(self, place: int, *, id: str, name: str, arguments: str = "") -> None:
        """Keeps a tool call; its arguments may follow in pieces."""
        self._calls[place] = _Call(id=id, name=name, pieces=[_sound(arguments)])

    def add_arguments(self, place: int, piece: str) -> None:
        """Keeps a piece of the arguments of the call at `place`, if there is one."""
        if place in self._calls:
            self._calls[place].pieces.append(_sound(piece))

    def completion(self) -> Completion:
        """The whole answer.

        It has tool calls exactly when it stops for tools: an answer that was cut by a limit or
        refused may hold half a call, and half a call is never run.
        """
        calls = tuple(
            ToolCall(id=call.id, name=call.name, arguments="".join(call.pieces) or "{}")
            for _, call in sorted(self._calls.items())
        )
        stop = self.stop
        if stop in {StopReason.END, StopReason.TOOLS}:
            stop = StopReason.TOOLS if calls else StopReason.END
        return Completion(
            text="".join(self._text),
            tool_calls=calls if stop == StopReason.TOOLS else (),
            stop=stop,
            usage=self.usage,
            model=self.model,
            reasoning="".join(self._reasoning),
        )


def counted(count: object, *, before: int = 0) -> int:
    """`count` where it is a number of tokens, else `before`: reports leave counts out."""
    return count if isinstance(count, int) and count >= 0 else before


def _sound(piece: str) -> str:
    return piece.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
