"""A model that can be asked for answers and for summaries, also by two threads at once."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from stratal.context.request import Request
from stratal.desk import SUMMARISER
from stratal.errors import ProviderError
from stratal.providers.provider import Completion, StreamItem, TextDelta
from stratal.settings import Settings, load_settings

MODEL = "anthropic:claude-sonnet-5-5"
Answer = Callable[[Request], Completion]
Summary = Callable[[Request], str]
PATIENCE = 20.0  # seconds until a test that waits for another thread fails


def fine(request: Request) -> Completion:
    return Completion(text="Fine.")


def no_summary(request: Request) -> str:
    raise AssertionError("nobody expected to be asked for a summary")


class Talker:
    """A `Provider` that knows a summariser's request from a turn's, and keeps both."""

    def __init__(
        self, answer: Answer = fine, summary: Summary = no_summary, *, name: str = "scripted"
    ) -> None:
        self._answer, self._summary, self._name = answer, summary, name
        self.requests: list[Request] = []
        self.summarised: list[Request] = []
        self.closed = False

    @property
    def name(self) -> str:
        return self._name

    def stream(self, request: Request) -> Iterator[StreamItem]:
        if request.system[0].text == SUMMARISER:
            self.summarised.append(request)
            yield Completion(text=self._summary(request))
            return
        self.requests.append(request)
        completion = self._answer(request)
        if completion.text:
            yield TextDelta(text=completion.text)
        yield completion

    def close(self) -> None:
        self.closed = True


class Held:
    """A summary that takes until the test lets it go."""

    def __init__(self, text: str) -> None:
        self.begun, self.let_go = Event(), Event()
        self._text = text

    def __call__(self, request: Request) -> str:
        self.begun.set()
        assert self.let_go.wait(PATIENCE)
        return self._text


def failing(error: ProviderError) -> Summary:
    def summary(request: Request) -> str:
        raise error

    return summary


def configured(
    data: Path, environment: dict[str, str] | None = None, *, model: str = MODEL, preset: str = ""
) -> Settings:
    """Settings for a model of a small window, without embeddings."""
    none = {"STRATAL_EMBEDDING__MODEL": "none", "STRATAL_LEARNING__MODEL": "none"}
    given = {**none, **(environment or {})}
    if preset:
        given["STRATAL_PRESET"] = preset
    return load_settings({"data": data, "model": model}, environment=given)
