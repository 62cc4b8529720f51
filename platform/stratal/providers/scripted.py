"""A provider that follows a script, for tests of everything above it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from stratal.context.request import Request
from stratal.errors import ProviderError, StratalError
from stratal.providers.pieces import PIECE, in_pieces
from stratal.providers.provider import Completion, StreamItem, TextDelta


class ScriptExhausted(StratalError):
    """The script has no step left for one more request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """A step that writes some text and then fails."""

    text: str
    error: ProviderError


Step = Completion | ProviderError | Interrupted | Callable[[Request], Completion]


class ScriptedProvider:
    """A `Provider` that takes one step of its script for each request, and keeps the requests.

    A `Completion` is streamed in pieces of `size` characters, an error is raised, a function is
    asked for its completion. One request too many raises `ScriptExhausted`.
    """

    def __init__(
        self, script: Iterable[Step] = (), *, name: str = "scripted", size: int = PIECE
    ) -> None:
        self._script = list(script)
        self._name = name
        self._size = size
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        """`scripted`, unless another was given."""
        return self._name

    def stream(self, request: Request) -> Iterator[StreamItem]:
        """What the next step of the script says."""
        step = self._next(request)
        if isinstance(step, ProviderError):
            raise step
        if isinstance(step, Interrupted):
            yield TextDelta(text=step.text)
            raise step.error
        completion = step if isinstance(step, Completion) else step(request)
        yield from in_pieces(completion, size=self._size)

    def close(self) -> None:
        """Does nothing: a script holds no connection."""

    def _next(self, request: Request) -> Step:
        self.requests.append(request)
        asked = len(self.requests)
        if asked > len(self._script):
            last = request.messages[-1].text[:80] if request.messages else "nothing"
            raise ScriptExhausted(
                f"the script has {len(self._script)} steps and was asked for step {asked}; "
                f"the request ended in {last!r}",
                hint="Add a step, or find out why one more call was made.",
            )
        return self._script[asked - 1]
