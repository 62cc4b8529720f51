"""What has come of an answer so far, and the completion it makes when it is whole."""

from dataclasses import dataclass, field

from stratal.providers.opaque import packed
from stratal.providers.provider import Completion, StopReason, Usage
from stratal_memory.records import ToolCall


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    pieces: list[str]


@dataclass(slots=True, kw_only=True)
class Answer:
    """The parts of one streamed answer; `place` is a part's place in it, where the API names one.

    `provider` and `asked` (the model of the request) are who gets the provider's own blocks back.
    """

    provider: str = ""
    asked: str = ""
    stop: StopReason = StopReason.END
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    ended: bool = False  # the provider said that nothing more comes
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _calls: dict[int, _Call] = field(default_factory=dict)  # by place, as all below
    _lengths: dict[int, int] = field(default_factory=dict)
    _phases: dict[int, str] = field(default_factory=dict)
    _own: dict[int, dict[str, object]] = field(default_factory=dict)
    _growing: dict[tuple[int, str], list[str]] = field(default_factory=dict)

    @property
    def has_text(self) -> bool:
        """Whether any text has come."""
        return bool(self._text)

    def add_text(self, piece: str, *, place: int = 0) -> str:
        """`piece`, kept and given back, so that it can be shown at once.

        Halves of characters (lone surrogates, which JSON can carry and a database can't) become
        U+FFFD.
        """
        sound = _sound(piece)
        if sound:
            self._text.append(sound)
            at = _sound_place(place)
            self._lengths[at] = self._lengths.get(at, 0) + len(sound)
        return sound

    def add_phase(self, place: int, phase: str) -> None:
        """Keeps what the provider calls the text at `place`."""
        self._phases[_sound_place(place)] = phase

    def add_reasoning(self, piece: str) -> None:
        """Keeps a piece of the model's thinking."""
        self._reasoning.append(_sound(piece))

    def keep(self, place: int, block: dict[str, object]) -> None:
        """Keeps a block of the provider's own, to be given back to it unchanged."""
        self._own[_sound_place(place)] = block

    def set_own(self, place: int, name: str, value: object) -> None:
        """Sets a field of the own block at `place`, if there is one."""
        if place in self._own:
            self._own[place][name] = value

    def extend_own(self, place: int, name: str, piece: str) -> None:
        """Adds to a text of the own block at `place`, if there is one."""
        if place in self._own:
            self._growing.setdefault((place, name), []).append(piece)

    def begin_call(self, place: int, *, id: str, name: str, arguments: str = "") -> None:
        """Keeps a tool call; its arguments may follow in pieces."""
        self._calls[_sound_place(place)] = _Call(id=id, name=name, pieces=[_sound(arguments)])

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
            opaque=self._opaque() if stop in {StopReason.END, StopReason.TOOLS} else "",
        )

    def _opaque(self) -> str:
        """The answer's own blocks; of one that was cut or refused nothing is given back."""
        for (place, name), pieces in self._growing.items():
            self._own[place][name] = "".join((str(self._own[place].get(name, "")), *pieces))
        self._growing.clear()
        entries: dict[int, dict[str, object]] = {
            **{place: {"text": length} for place, length in self._lengths.items()},
            **{place: {"call": call.id} for place, call in self._calls.items()},
            **{place: {"own": block} for place, block in self._own.items()},
        }
        for place, phase in self._phases.items():
            if "text" in entries.get(place, {}):
                entries[place]["phase"] = phase
        return packed(self.provider, self.asked, (entries[place] for place in sorted(entries)))


def counted(count: object, *, before: int = 0) -> int:
    """`count` where it is a number of tokens, else `before`: reports leave counts out."""
    return count if isinstance(count, int) and count >= 0 else before


def _sound(piece: str) -> str:
    return piece.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _sound_place(place: object) -> int:
    """`place`, which the SDKs don't check; `TypeError` where it is no number."""
    if not isinstance(place, int):
        raise TypeError(f"a part of the answer has the place {place!r}")
    return place
