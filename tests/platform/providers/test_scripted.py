import pytest

from stratal.context.request import Request
from stratal.errors import ProviderUnavailable
from stratal.providers.provider import Completion, TextDelta, complete
from stratal.providers.scripted import Interrupted, ScriptedProvider, ScriptExhausted
from stratal_memory.records import Message, Role


def asking(text: str) -> Request:
    return Request(model="m", system=(), messages=(Message(role=Role.USER, text=text),))


def test_each_request_takes_the_next_step_and_is_kept() -> None:
    provider = ScriptedProvider(
        [Completion(text="One"), lambda request: Completion(text=request.messages[0].text.upper())]
    )

    texts = [complete(provider, asking(text)).text for text in ("a", "two")]

    assert texts == ["One", "TWO"]
    assert [request.messages[0].text for request in provider.requests] == ["a", "two"]


def test_a_text_is_streamed_in_pieces_of_the_size_asked_for() -> None:
    items = list(ScriptedProvider([Completion(text="abcde")], size=2).stream(asking("a")))

    assert items == [
        TextDelta(text="ab"),
        TextDelta(text="cd"),
        TextDelta(text="e"),
        Completion(text="abcde"),
    ]


def test_an_error_in_the_script_is_raised() -> None:
    provider = ScriptedProvider([ProviderUnavailable("busy")])

    with pytest.raises(ProviderUnavailable, match="busy"):
        complete(provider, asking("a"))


def test_an_interrupted_step_writes_and_then_fails() -> None:
    provider = ScriptedProvider([Interrupted(text="Half an", error=ProviderUnavailable("cut"))])
    stream = provider.stream(asking("a"))

    assert next(stream) == TextDelta(text="Half an")
    with pytest.raises(ProviderUnavailable, match="cut"):
        next(stream)


def test_one_request_too_many_says_which_and_what_it_asked() -> None:
    provider = ScriptedProvider([Completion(text="One")], name="anthropic")
    complete(provider, asking("a"))

    with pytest.raises(ScriptExhausted, match=r"1 steps and was asked for step 2.*'more\?'"):
        complete(provider, asking("more?"))

    assert provider.name == "anthropic"
