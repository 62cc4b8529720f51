from dataclasses import replace

import pytest

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.context.validator import validate
from stratal.errors import InvalidRequest
from stratal_memory.records import Message, Role
from tests.platform.context.making import assistant, tool, user

LOOK = ToolSpec(name="look", description="look it up", schema="{}")


def request(*messages: Message) -> Request:
    return Request(
        model="m", system=(SystemBlock(text="be brief"),), messages=messages, tools=(LOOK,)
    )


def context(text: str) -> Message:
    return Message(role=Role.CONTEXT, text=text)


GOOD = request(
    context("what was recalled"),
    user("a"),
    assistant("", "1", "2"),
    tool("", "2"),
    tool("found", "1"),
    assistant("b"),
    user("c"),
)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "offline", "scripted", "unheard-of"])
def test_a_good_request_passes(provider: str) -> None:
    validate(GOOD, provider=provider)


def test_a_request_may_end_with_a_tool_result_or_context() -> None:
    validate(request(user("a"), assistant("", "1"), tool("r", "1")), provider="anthropic")
    validate(request(user("a"), context("b")), provider="anthropic")


WRONG = {
    "no messages": request(),
    "a call without a result": request(user("a"), assistant("", "1"), user("b")),
    "a call without a result at the end": request(user("a"), assistant("", "1")),
    "one of two results": request(user("a"), assistant("", "1", "2"), tool("r", "1"), user("b")),
    "a result without a call": request(user("a"), tool("r", "1")),
    "a result twice": request(user("a"), assistant("", "1"), tool("r", "1"), tool("r", "1")),
    "a result after somebody else": request(
        user("a"), assistant("", "1"), context("x"), tool("r", "1")
    ),
    "two calls with one id": request(user("a"), assistant("", "1", "1"), tool("r", "1")),
    "a call without an id": request(user("a"), assistant("", ""), tool("r", "")),
    "calls of a user": request(replace(assistant("a", "1"), role=Role.USER), tool("r", "1")),
    "a system message": request(user("a"), Message(role=Role.SYSTEM, text="b"), user("c")),
    "an assistant first": request(assistant("a"), user("b")),
    "an assistant last": request(user("a"), assistant("b")),
    "an empty user message": request(user(" \n")),
    "an empty context message": request(context(""), user("a")),
    "an empty assistant message": request(user("a"), assistant(""), user("b")),
    "an empty system block": replace(GOOD, system=(SystemBlock(text=" "),)),
    "no output": replace(GOOD, max_output=0),
    "a tool's name with a dot": replace(GOOD, tools=(replace(LOOK, name="a.b"),)),
    "a tool's name with a line break": replace(GOOD, tools=(replace(LOOK, name="a\n"),)),
    "a tool's name of 65 characters": replace(GOOD, tools=(replace(LOOK, name="a" * 65),)),
    "two tools of one name": replace(GOOD, tools=(LOOK, LOOK)),
    "a schema that is no object": replace(GOOD, tools=(replace(LOOK, schema="[1]"),)),
    "a schema that is no JSON": replace(GOOD, tools=(replace(LOOK, schema="{"),)),
}


@pytest.mark.parametrize("provider", ["anthropic", "openai", "offline"])
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_request_is_refused(what: str, provider: str) -> None:
    with pytest.raises(InvalidRequest, match=provider):
        validate(WRONG[what], provider=provider)


CACHED = SystemBlock(text="a", cached=True)
WRONG_FOR_ANTHROPIC = {
    "five cache marks": replace(GOOD, system=(CACHED,) * 3, cached_messages=(0, 1)),
    "a cache mark past the end": replace(GOOD, cached_messages=(7,)),
    "a cache mark before the beginning": replace(GOOD, cached_messages=(-1,)),
    "one mark twice": replace(GOOD, cached_messages=(1, 1)),
    "a call id used again": request(
        user("a"), assistant("", "1"), tool("r", "1"), assistant("", "1"), tool("r", "1")
    ),
}


@pytest.mark.parametrize("what", WRONG_FOR_ANTHROPIC)
def test_only_openai_takes_what_anthropic_refuses(what: str) -> None:
    validate(WRONG_FOR_ANTHROPIC[what], provider="openai")

    for provider in ("anthropic", "offline", "scripted"):
        with pytest.raises(InvalidRequest):
            validate(WRONG_FOR_ANTHROPIC[what], provider=provider)


def test_four_cache_marks_are_allowed() -> None:  # covers C12
    validate(replace(GOOD, system=(CACHED,) * 2, cached_messages=(0, 1)), provider="anthropic")
