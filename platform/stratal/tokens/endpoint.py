"""Counts asked from the provider's own endpoint: exact, but each new content is a call or two."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from stratal.context.request import Request, ToolSpec
from stratal_memory.records import Message, Role, ToolCall

Content = TypeVar("Content", Message, ToolSpec, Request)
CountRequest = Callable[[Request], int]  # input tokens of a whole request, by the provider

# The smallest messages every provider accepts; all their tokenizers make one token of the dot.
_DOT = "."
_ASK = Message(role=Role.USER, text=_DOT)
_ANSWER = Message(role=Role.ASSISTANT, text=_DOT)
_CALL = ToolCall(id="call_0", name="f", arguments="{}")
_CALLING = Message(role=Role.ASSISTANT, text="", tool_calls=(_CALL,))
_RESULT = Message(role=Role.TOOL, text=_DOT, tool_call_id=_CALL.id)
_TOOL = ToolSpec(name=_CALL.name, description=_DOT, schema='{"type":"object","properties":{}}')

REMEMBERED = 65_536  # counts kept; two numbers each


class EndpointCounter:
    """Each content is counted as the difference it makes to a minimal request, once.

    Opt-in: it goes where `ask` goes, and raises what `ask` raises; a failed count is asked again
    the next time. Not for the hot path (O15). What a request costs beyond its members, as the
    prompt a provider adds for tools, is in no count: calibration learns it.
    """

    exact = True

    def __init__(self, ask: CountRequest, *, model: str) -> None:
        """`ask` is the provider's count endpoint, `model` what it counts for."""
        self._ask = ask
        self._model = model
        self._known: dict[int, int] = {}

    @property
    def name(self) -> str:
        """`endpoint:` and the model."""
        return f"endpoint:{self._model}"

    def count(self, text: str) -> int:
        """Tokens of `text` as a user writes it; 0 for an empty one."""
        if not text:
            return 0
        asked = Message(role=Role.USER, text=text)
        return max(0, self._total(asked) - self._total(_ASK) + 1)

    def count_messages(self, messages: Sequence[Message]) -> int:
        """What each message adds to a conversation it may stand in, its role's overhead too."""
        return sum(self._once(message, self._message) for message in messages)

    def count_tools(self, tools: Sequence[ToolSpec]) -> int:
        """What each definition adds beside another."""
        return sum(self._once(tool, self._tool) for tool in tools)

    def _message(self, message: Message) -> int:
        if message.tool_calls:
            return self._calling(message)
        if not (message.text.strip() or message.media or message.opaque):
            message = replace(message, text=_DOT)  # providers refuse blank messages
        if message.role == Role.TOOL:
            return self._result(message)
        user = self._pair() // 2  # the two dots can't be told apart; their sum is exact
        if message.role == Role.ASSISTANT:
            after = self._total(_ASK, message, _ASK)
            return max(0, after - self._total(_ASK) - user)
        before = self._total(_ASK, _ANSWER, _ASK)
        return max(0, self._total(_ASK, _ANSWER, message) - before + user)

    def _pair(self) -> int:
        """Tokens of a dot of the user and a dot of the assistant."""
        return self._total(_ASK, _ANSWER, _ASK) - self._total(_ASK)

    def _calling(self, message: Message) -> int:
        """Calls must be answered, so each has a bare result whose share is taken off again."""
        results = [
            Message(role=Role.TOOL, text=_DOT, tool_call_id=call.id) for call in message.tool_calls
        ]
        after = self._total(_ASK, message, *results, tool=True)
        return max(0, after - self._total(_ASK, tool=True) - len(results) * self._bare_result())

    def _result(self, message: Message) -> int:
        """A result needs its call: one is made that has its id."""
        call = Message(
            role=Role.ASSISTANT,
            text="",
            tool_calls=(ToolCall(id=message.tool_call_id, name="f", arguments="{}"),),
        )
        bare = Message(role=Role.TOOL, text=_DOT, tool_call_id=message.tool_call_id)
        without = self._total(_ASK, call, bare, tool=True)
        after = self._total(_ASK, call, message, tool=True)
        return max(0, after - without + self._bare_result())

    def _bare_result(self) -> int:
        """Half of a bare call and its result, which no provider counts apart."""
        both = self._total(_ASK, _CALLING, _RESULT, tool=True) - self._total(_ASK, tool=True)
        return both // 2

    def _tool(self, tool: ToolSpec) -> int:
        both = Request(model=self._model, system=(), messages=(_ASK,), tools=(_TOOL, tool))
        return max(0, self._count(both) - self._total(_ASK, tool=True))

    def _total(self, *messages: Message, tool: bool = False) -> int:
        """The whole request of `messages`, beside one tool where calls are in it."""
        tools = (_TOOL,) if tool else ()
        return self._count(Request(model=self._model, system=(), messages=messages, tools=tools))

    def _count(self, request: Request) -> int:
        return self._once(request, self._ask)

    def _once(self, content: Content, count: Callable[[Content], int]) -> int:
        """The count of a content, by its hash: the texts themselves are not kept."""
        key = hash(content)
        known = self._known.get(key)
        if known is None:
            known = count(content)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = known
        return known
