from dataclasses import replace

import pytest

from stratal.context.request import Request, ToolSpec
from stratal.errors import ProviderUnavailable
from stratal.tokens.counter import Counter
from stratal.tokens.endpoint import EndpointCounter
from stratal_memory.records import Message, Role, ToolCall


class Endpoint:
    """A token a character, 5 a message, 9 a call, 20 a tool, 350 for the first tool.

    As strict as real ones: no blank message, no call without its result, no result without call.
    """

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.fails = False

    def __call__(self, request: Request) -> int:
        self.asked.append(request)
        if self.fails:
            raise ProviderUnavailable("the endpoint is busy")
        self._check(request.messages)
        tools = sum(20 + len(tool.schema) for tool in request.tools)
        return 11 + tools + 350 * bool(request.tools) + sum(map(self._message, request.messages))

    def _message(self, message: Message) -> int:
        calls = sum(9 + len(call.name) + len(call.arguments) for call in message.tool_calls)
        return 5 + len(message.text) + calls

    def _check(self, messages: tuple[Message, ...]) -> None:
        open_calls: list[str] = []
        for message in messages:
            assert message.text.strip() or message.tool_calls or message.role == Role.TOOL
            if message.role == Role.TOOL:
                open_calls.remove(message.tool_call_id)
            else:
                assert not open_calls
            open_calls += [call.id for call in message.tool_calls]
        assert not open_calls
        assert messages[0].role == Role.USER


CALLING = Message(
    role=Role.ASSISTANT,
    text="wait",
    tool_calls=(
        ToolCall(id="a", name="look", arguments='{"q": 1}'),
        ToolCall(id="b", name="find", arguments="{}"),
    ),
)
CONVERSATION = (
    Message(role=Role.USER, text="hello"),
    CALLING,
    Message(role=Role.TOOL, text="it rains", tool_call_id="a"),
    Message(role=Role.TOOL, text="nothing", tool_call_id="b"),
    Message(role=Role.ASSISTANT, text="It rains."),
    Message(role=Role.USER, text="Thanks"),
)
TOOL = ToolSpec(name="look", description="look it up", schema='{"type": "object"}')


def counter_of(endpoint: Endpoint) -> Counter:
    return EndpointCounter(endpoint, model="m")


def test_the_endpoint_counts_a_text_exactly() -> None:  # covers O15
    counter = counter_of(Endpoint())

    assert [counter.count(text) for text in ("", "a", "hello")] == [0, 1, 5]
    assert counter.exact
    assert counter.name == "endpoint:m"


def test_what_messages_add_is_what_the_whole_request_takes() -> None:  # covers O15, O16
    endpoint = Endpoint()

    counted = counter_of(Endpoint()).count_messages(CONVERSATION)
    # The first call brings no tool here, so nothing but the request's own 11 is missing.
    whole = endpoint(Request(model="m", system=(), messages=CONVERSATION))

    assert counted == whole - 11


def test_counts_of_messages_and_tools_add_up() -> None:  # covers O16
    counter = counter_of(Endpoint())

    whole = counter.count_messages(CONVERSATION)

    assert whole == sum(counter.count_messages([message]) for message in CONVERSATION)
    assert counter.count_tools([TOOL]) == 20 + len(TOOL.schema)
    assert counter.count_tools([TOOL, TOOL]) == 2 * counter.count_tools([TOOL])
    assert counter.count_messages([]) == counter.count_tools([]) == 0


def test_a_content_is_asked_for_once() -> None:  # covers O15
    endpoint = Endpoint()
    counter = counter_of(endpoint)
    first = (counter.count("hello"), counter.count_messages(CONVERSATION))
    asked = len(endpoint.asked)

    again = (counter.count("hello"), counter.count_messages(CONVERSATION))
    counter.count_messages([replace(CONVERSATION[0], text="new")])

    assert again == first
    assert len(endpoint.asked) == asked + 1


def test_a_blank_message_is_asked_for_as_a_dot() -> None:
    counter = counter_of(Endpoint())

    assert counter.count_messages([Message(role=Role.ASSISTANT, text=" \n")]) == 5 + 1
    assert counter.count_messages([Message(role=Role.CONTEXT, text="")]) == 5 + 1


def test_a_failed_count_is_raised_and_asked_again() -> None:
    endpoint = Endpoint()
    counter = counter_of(endpoint)
    endpoint.fails = True

    with pytest.raises(ProviderUnavailable):
        counter.count("hello")
    endpoint.fails = False

    assert counter.count("hello") == 5


def test_an_endpoint_that_counts_nonsense_never_makes_a_negative_count() -> None:
    answers = iter([100, 7] * 50)
    counter = EndpointCounter(lambda _: next(answers), model="m")

    assert counter.count("hello") >= 0
    assert counter.count_messages(CONVERSATION) >= 0
    assert counter.count_tools([TOOL]) >= 0
