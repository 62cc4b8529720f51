import json
from collections.abc import Callable
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.context.validator import validate
from stratal.errors import InvalidRequest
from stratal.providers.anthropic_wire import AnthropicBody, anthropic_body
from stratal.providers.bedrock_wire import BedrockBody, bedrock_body
from stratal.providers.openai_wire import OpenAIBody, openai_body
from stratal_memory.records import Media, MediaKind, Message, Role
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


@pytest.mark.parametrize(
    "provider",
    ["anthropic", "openai", "azure", "ollama", "bedrock", "gemini", "offline", "unheard-of"],
)
def test_a_good_request_passes(provider: str) -> None:
    validate(GOOD, provider=provider)


def test_a_request_may_end_with_a_tool_result_or_context() -> None:
    validate(request(user("a"), assistant("", "1"), tool("r", "1")), provider="anthropic")
    validate(request(user("a"), context("b")), provider="anthropic")


PICTURE = Media(source="https://example.org/a.png")
LETTER = Media(kind=MediaKind.DOCUMENT, source="data:application/pdf;base64,aGk=")
SOUND = Media(kind=MediaKind.AUDIO, source="data:audio/wav;base64,aGk=")


def showing(media: Media, *, role: Role = Role.USER) -> Request:
    shown = Message(role=role, text="look", media=(media,))
    return request(user("a"), shown, user("b"))


WRONG = {
    "an attachment of an assistant": showing(PICTURE, role=Role.ASSISTANT),
    "an attachment on the disk": showing(Media(source="/etc/passwd")),
    "an attachment without encryption": showing(Media(source="http://example.org/a.png")),
    "signed blocks of a user": request(replace(user("a"), opaque="{}")),
    "signed blocks of a tool": request(
        user("a"), assistant("", "1"), replace(tool("r", "1"), opaque="{}")
    ),
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


@pytest.mark.parametrize("provider", ["anthropic", "openai", "bedrock", "gemini", "offline"])
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
    "a fifth mark after the tools": replace(
        GOOD, system=(CACHED,) * 2, cached_messages=(0, 1), cached_tools=True
    ),
    "a mark after tools it has not": replace(GOOD, tools=(), cached_tools=True),
    "a call id used again": request(
        user("a"), assistant("", "1"), tool("r", "1"), assistant("", "1"), tool("r", "1")
    ),
}


@pytest.mark.parametrize("what", WRONG_FOR_ANTHROPIC)
def test_only_openai_takes_what_anthropic_refuses(what: str) -> None:
    validate(WRONG_FOR_ANTHROPIC[what], provider="openai")

    for provider in ("anthropic", "bedrock", "offline", "scripted"):
        with pytest.raises(InvalidRequest):
            validate(WRONG_FOR_ANTHROPIC[what], provider=provider)


def test_four_cache_marks_are_allowed() -> None:  # covers C12
    validate(replace(GOOD, system=(CACHED,) * 2, cached_messages=(0, 1)), provider="anthropic")


def test_joined_system_text_has_one_mark() -> None:  # covers O9
    joined = replace(GOOD, system=(CACHED,) * 4, cached_messages=(0, 1, 2), system_joined=True)

    validate(joined, provider="anthropic")
    with pytest.raises(InvalidRequest, match="7 cache marks"):
        validate(replace(joined, system_joined=False), provider="anthropic")


@pytest.mark.parametrize(
    ("provider", "taken"),
    [
        ("anthropic", {PICTURE, LETTER}),
        ("openai", {PICTURE, LETTER}),
        ("bedrock", {PICTURE, LETTER}),
        ("openai-chat", {PICTURE}),
        ("azure", {PICTURE}),
        ("ollama", {PICTURE}),
        ("gemini", {PICTURE, LETTER, SOUND}),
        ("offline", {PICTURE, LETTER, SOUND}),
    ],
)
def test_each_provider_takes_its_kinds_of_attachments(provider: str, taken: set[Media]) -> None:
    for media in (PICTURE, LETTER, SOUND):
        if media in taken:
            validate(showing(media), provider=provider)
        else:
            with pytest.raises(InvalidRequest, match=f"kind {media.kind}"):
                validate(showing(media), provider=provider)


def test_bedrock_wants_the_tools_of_calls_it_is_shown() -> None:
    calling = request(user("a"), assistant("", "1"), tool("r", "1"))

    validate(calling, provider="bedrock")
    validate(replace(calling, tools=()), provider="anthropic")
    with pytest.raises(InvalidRequest, match="no tools"):
        validate(replace(calling, tools=()), provider="bedrock")


def test_gemini_wants_calls_right_after_a_question_or_results() -> None:
    late = request(user("a"), assistant("b"), assistant("", "1"), tool("r", "1"))

    validate(late, provider="anthropic")
    with pytest.raises(InvalidRequest, match="right after another answer"):
        validate(late, provider="gemini")


@pytest.mark.parametrize("name", ["1look", "-look"])
def test_gemini_wants_a_letter_first_in_the_name_of_a_tool(name: str) -> None:
    named = replace(GOOD, tools=(replace(LOOK, name=name),))

    validate(named, provider="openai")
    with pytest.raises(InvalidRequest, match="begins with"):
        validate(named, provider="gemini")


WIRES: dict[str, Callable[[Request], AnthropicBody | OpenAIBody | BedrockBody]] = {
    "anthropic": anthropic_body,
    "openai": openai_body,
    "bedrock": bedrock_body,
}


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Turns as a session makes them: recall, a question, perhaps calls with results, an answer."""
    made: list[Message] = []
    for turn in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            made.append(context("recalled"))
        made.append(replace(user("a"), media=draw(st.sampled_from([(), (PICTURE,)]))))
        ids = [f"{turn}-{n}" for n in range(draw(st.integers(0, 3)))]
        if ids:
            made.append(assistant("", *ids))
            made += [tool("r", id) for id in draw(st.permutations(ids))]
        made.append(replace(assistant("b"), opaque=draw(st.sampled_from(["", "{"]))))
    return [*made, user("last")]


@pytest.mark.parametrize("provider", WIRES)
@given(messages=histories())
def test_a_real_history_passes_and_all_of_it_is_sent(
    provider: str, messages: list[Message]
) -> None:
    built = request(*messages)

    validate(built, provider=provider)

    images = sum(len(message.media) for message in messages)
    if provider == "bedrock" and images:  # it takes no addresses, and says so
        return
    sent = json.dumps(asdict(WIRES[provider](built)))
    assert sent.count("example.org") == images
    for call in (call for message in messages for call in message.tool_calls):
        assert sent.count(f'"{call.id}"') == 2  # the call and its result


@pytest.mark.parametrize("provider", ["anthropic", "openai", "bedrock", "gemini", "unheard-of"])
@given(messages=histories(), at=st.integers(0, 30))
def test_a_history_with_a_hole_where_a_call_or_result_was_never_passes(
    provider: str, messages: list[Message], at: int
) -> None:
    paired = [n for n, m in enumerate(messages) if m.tool_calls or m.role == Role.TOOL]
    if not paired:
        return
    gone = paired[at % len(paired)]

    with pytest.raises(InvalidRequest):
        validate(request(*messages[:gone], *messages[gone + 1 :]), provider=provider)
