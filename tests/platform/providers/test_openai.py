"""OpenAIProvider against a loopback server that refuses what the real API refuses."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.errors import (
    ContextOverflow,
    InvalidRequest,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
)
from stratal.providers.opaque import SENT_WITHOUT
from stratal.providers.openai import OpenAIProvider
from stratal.providers.provider import (
    Completion,
    CountsTokens,
    StopReason,
    TextDelta,
    Usage,
    complete,
)
from stratal_memory.records import Message, Role, ToolCall
from tests.fakes.wire_anthropic import schema
from tests.fakes.wire_openai import (
    KEY,
    Body,
    Call,
    Phased,
    Reasoned,
    answer,
    counted,
    encrypted,
    error,
    failed,
    openai_server,
    stream_of,
)
from tests.fakes.wire_server import Ending, Reply, WireServer, html_reply


def request(*messages: Message, max_output: int = 100) -> Request:
    return Request(model="gpt-6-sol", system=(), messages=messages, max_output=max_output)


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


HELLO = request(user("Hello?"))


@contextmanager
def talking(
    *script: Reply, key: str = KEY, cache_key: str = ""
) -> Generator[tuple[OpenAIProvider, WireServer[Body]]]:
    with openai_server(*script) as server:
        address = f"{server.url}/v1"
        with closing(OpenAIProvider(key, base_url=address, cache_key=cache_key)) as provider:
            yield provider, server


def failure(*script: Reply, key: str = KEY) -> ProviderError:
    with talking(*script, key=key) as (provider, _), pytest.raises(ProviderError) as caught:
        complete(provider, HELLO)
    return caught.value


def test_text_streams_in_pieces_and_ends_in_one_completion() -> None:
    with talking(answer(("Good ", "morning."))) as (provider, _):
        items = list(provider.stream(HELLO))

    assert items[:2] == [TextDelta(text="Good "), TextDelta(text="morning.")]
    assert items[2:] == [
        Completion(
            text="Good morning.",
            usage=Usage(input=10, output=5),
            model="gpt-6-sol-2026-09-01",
        )
    ]


def test_nothing_is_stored_on_their_side_and_the_limit_is_sent() -> None:
    with talking(answer(("Hi.",)), cache_key="alice") as (provider, server):
        complete(provider, HELLO)

    body = server.seen[0].body
    assert (body.model, body.store, body.stream) == ("gpt-6-sol", False, True)
    assert (body.max_output_tokens, body.prompt_cache_key) == (100, "alice")
    assert "temperature" not in server.seen[0].raw


@pytest.mark.parametrize(("as_system", "role"), [(True, "system"), (False, "user")])
def test_context_is_a_system_item_only_where_the_layout_demands_it(
    as_system: bool, role: str
) -> None:
    # covers O8
    context = Message(role=Role.CONTEXT, text="Alice lives in Graz.")
    asked = Request(
        model="openai:gpt-6-sol",
        system=(SystemBlock(text="Be kind.", cached=True), SystemBlock(text="Be brief.")),
        messages=(user("Hi"), Message(role=Role.ASSISTANT, text="Hello"), context, user("Where?")),
        context_as_system=as_system,
    )

    with talking(answer(("Graz.",))) as (provider, server):
        complete(provider, asked)

    body = server.seen[0].body
    assert (body.model, body.instructions) == ("gpt-6-sol", "Be kind.\n\nBe brief.")
    assert [(item.role, item.content) for item in body.input] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
        (role, "Alice lives in Graz."),
        ("user", "Where?"),
    ]


def test_input_tokens_already_include_the_cached_ones() -> None:
    reported = {"input": 3_000, "output": 7, "cached": 2_048, "written": 512}

    with talking(answer(("Hi.",), usage=reported)) as (provider, _):
        usage = complete(provider, HELLO).usage

    assert usage == Usage(input=3_000, output=7, cache_read=2_048, cache_write=512)
    assert usage.uncached == 440


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("max_output_tokens", StopReason.LENGTH),
        ("content_filter", StopReason.REFUSED),
    ],
)
def test_an_incomplete_response_says_why(reason: str, stop: StopReason) -> None:
    with talking(answer(("Once upon",), incomplete=reason)) as (provider, _):
        completion = complete(provider, HELLO)

    assert (completion.text, completion.stop) == ("Once upon", stop)


def test_a_refusal_is_shown_and_marked() -> None:
    with talking(answer(refusal="I can't help with that.")) as (provider, _):
        completion = complete(provider, HELLO)

    assert completion.text == "I can't help with that."
    assert completion.stop == StopReason.REFUSED


def test_reasoning_is_kept_apart_from_the_text() -> None:
    with talking(answer(("Graz.",), reasoning="She moved.")) as (provider, _):
        completion = complete(provider, HELLO)

    assert (completion.text, completion.reasoning) == ("Graz.", "She moved.")


def test_two_messages_of_one_answer_are_parted_by_a_blank_line() -> None:
    with talking(answer(("Looking.",), ("Found.",))) as (provider, _):
        assert complete(provider, HELLO).text == "Looking.\n\nFound."


def test_a_tool_call_goes_around() -> None:
    """The call comes in, its result goes out, and the server accepts the pair."""
    tool = ToolSpec(name="weather", description="Now", schema=schema(city="string"))
    call = Call(id="call_1", name="weather", pieces=('{"city":', ' "Graz"}'))
    asked = Request(model="gpt-6-sol", system=(), messages=(user("Rain?"),), tools=(tool,))

    with talking(answer(("Let me look.",), call), answer(("No.",))) as (provider, server):
        first = complete(provider, asked)
        said = Message(role=Role.ASSISTANT, text=first.text, tool_calls=first.tool_calls)
        result = Message(role=Role.TOOL, text="no data", tool_call_id="call_1", tool_failed=True)
        second = complete(provider, request(*asked.messages, said, result))

    assert first.tool_calls == (
        ToolCall(id="call_1", name="weather", arguments='{"city": "Graz"}'),
    )
    assert first.stop == StopReason.TOOLS
    assert (second.text, second.stop) == ("No.", StopReason.END)
    assert server.seen[0].body.tools[0].strict is False
    assert [(i.type, i.call_id, i.output) for i in server.seen[1].body.input[2:]] == [
        ("function_call", "call_1", ""),
        ("function_call_output", "call_1", "Error: no data"),
    ]


def later(asked: Request, *said: Message) -> Request:
    return replace(asked, messages=(*asked.messages, *said))


def kept(completion: Completion) -> Message:
    """The message a session makes of it."""
    return Message(
        role=Role.ASSISTANT,
        text=completion.text,
        tool_calls=completion.tool_calls,
        opaque=completion.opaque,
    )


def result(id: str) -> Message:
    return Message(role=Role.TOOL, text="dry", tool_call_id=id)


THINKING = answer(
    Reasoned(id="rs_1", summary="Look first."),
    Phased(text="Let me look.", phase="commentary"),
    Reasoned(id="rs_2"),
    Call(id="call_1", name="weather", pieces=("{}",)),
)


def test_reasoning_goes_back_unchanged_and_in_order_inside_its_turn() -> None:
    with talking(THINKING, answer(("No.",))) as (provider, server):
        first = complete(provider, HELLO)
        complete(provider, later(HELLO, kept(first), result("call_1")))

    assert server.seen[0].body.include == ["reasoning.encrypted_content"]
    items = server.seen[1].body.input[1:]
    assert [(i.type, i.id, i.content, i.phase) for i in items] == [
        ("reasoning", "rs_1", "", ""),
        ("message", "", "Let me look.", "commentary"),
        ("reasoning", "rs_2", "", ""),
        ("function_call", "", "", ""),
        ("function_call_output", "", "", ""),
    ]
    assert items[0].encrypted_content == encrypted("rs_1")
    assert items[0].summary == [{"type": "summary_text", "text": "Look first."}]


def test_an_earlier_turn_keeps_its_phases_and_loses_its_reasoning() -> None:
    with talking(THINKING, answer(("Yes.",))) as (provider, server):
        first = complete(provider, HELLO)
        complete(provider, later(HELLO, kept(first), result("call_1"), user("Sure?")))

    sent = server.seen[1].body.input[1:]
    assert [(i.type, i.phase) for i in sent[:2]] == [
        ("message", "commentary"),
        ("function_call", ""),
    ]


def test_another_model_gets_no_reasoning() -> None:
    with talking(THINKING, answer(("No.",))) as (provider, server):
        first = complete(provider, HELLO)
        other = replace(later(HELLO, kept(first), result("call_1")), model="gpt-6-luna")
        complete(provider, other)

    assert {item.type for item in server.seen[1].body.input} == {
        "message",
        "function_call",
        "function_call_output",
    }


def test_a_request_whose_reasoning_is_refused_is_sent_again_without_it() -> None:
    with talking(THINKING, answer(("No.",))) as (provider, server):
        first = complete(provider, HELLO)
        spoilt = replace(kept(first), opaque=first.opaque.replace("gAAAA", "gBBBB"))
        second = complete(provider, later(HELLO, spoilt, result("call_1")))

    assert [len(seen.body.input) for seen in server.seen] == [1, 6, 4]
    assert second.text == "No."
    assert second.warnings == (SENT_WITHOUT,)


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1-mini", "ft:gpt-4o:x", "gpt-5-chat-latest"])
def test_a_model_that_does_not_reason_is_not_asked_for_its_reasoning(model: str) -> None:
    with talking(answer(("Hi.",))) as (provider, server):
        complete(provider, replace(HELLO, model=model))

    assert server.seen[0].body.include == []


def test_the_tokens_of_a_request_are_counted_by_the_service() -> None:
    with talking(counted(321)) as (provider, server):
        assert isinstance(provider, CountsTokens)
        assert provider.count(replace(HELLO, system=(SystemBlock(text="Be kind."),))) == 321

    assert server.seen[0].path == "/v1/responses/input_tokens"
    assert server.seen[0].body.instructions == "Be kind."


def test_a_count_that_is_refused_is_a_typed_error() -> None:
    with talking(error(429, "Slow down")) as (provider, _), pytest.raises(ProviderUnavailable):
        provider.count(HELLO)


def test_a_sessions_cache_key_comes_before_the_providers() -> None:
    # covers C14
    with talking(answer(("a",)), answer(("b",)), cache_key="alice") as (provider, server):
        complete(provider, replace(HELLO, cache_key="session-1"))
        complete(provider, HELLO)

    assert [seen.body.prompt_cache_key for seen in server.seen] == ["session-1", "alice"]
    assert "cache_control" not in server.seen[0].raw


def test_malformed_arguments_come_out_as_the_text_the_model_wrote() -> None:
    with talking(answer(Call(id="call_1", name="weather", pieces=('{"city": ',)))) as (provider, _):
        assert complete(provider, HELLO).tool_calls[0].arguments == '{"city": '


def test_a_tiny_output_limit_is_raised_to_the_least_the_api_takes() -> None:
    with talking(answer(("Hi.",))) as (provider, server):
        complete(provider, request(user("Hi"), max_output=5))

    assert server.seen[0].body.max_output_tokens == 16


def test_a_cut_at_every_event_is_unavailable_and_never_an_answer() -> None:
    call = Call(id="call_1", name="weather", pieces=('{"city":', ' "Graz"}'))
    whole = answer(("Let ", "me look."), call, reasoning="Hm.")
    kept = [
        whole.cut_after(parts, ending=ending)
        for parts in range(len(whole.parts))
        for ending in (Ending.ABRUPT, Ending.WHOLE)
    ]

    with talking(*kept) as (provider, _):
        for _ in kept:
            items: list[object] = []
            with pytest.raises(ProviderUnavailable):
                items.extend(provider.stream(HELLO))
            assert not any(isinstance(item, Completion) for item in items)


def test_a_cut_inside_an_event_is_unavailable() -> None:
    whole = answer(("Good morning.",))
    half = Reply(headers=whole.headers, parts=(b"".join(whole.parts)[:-40],))

    assert isinstance(failure(half), ProviderUnavailable)


@pytest.mark.parametrize(
    "data",
    [
        "null",
        "[]",
        '{"type": "response.output_text.delta"}',
        '{"type": "response.output_text.delta", "delta": 5}',
        '{"type": "response.output_item.done"}',
        '{"type": "response.output_item.done", "item": {"type": "function_call"}}',
        '{"type": "response.completed"}',
        '{"type": "response.failed"}',
        '{"type": "error"}',
        '{"type": "an_event_of_next_year"}',
        "{broken",
    ],
)
def test_a_malformed_event_is_a_typed_error(data: str) -> None:
    event = f"event: message_start\ndata: {data}\n\n".encode()
    stream = Reply(headers=(("content-type", "text/event-stream"),), parts=(event,))

    assert isinstance(failure(stream), ProviderUnavailable)


def test_a_reset_connection_is_unavailable() -> None:
    assert isinstance(failure(Reply(ending=Ending.RESET)), ProviderUnavailable)


def test_a_page_of_html_with_status_500_is_unavailable_and_readable() -> None:
    caught = failure(html_reply(500, "<html><h1>Bad gateway</h1></html>"))

    assert isinstance(caught, ProviderUnavailable)
    assert str(caught) == "openai (HTTP 500): Bad gateway"


def test_a_rate_limit_says_how_long_to_wait() -> None:
    said = "Rate limit reached for gpt-6-sol on tokens per min (TPM)"
    limited = error(429, said, code="rate_limit_exceeded", headers={"retry-after-ms": "1500"})

    caught = failure(limited)

    assert isinstance(caught, ProviderUnavailable)
    assert caught.retry_after == 1.5


def test_an_account_without_money_is_not_worth_a_retry() -> None:
    caught = failure(error(429, "You exceeded your current quota", code="insufficient_quota"))

    assert isinstance(caught, ProviderRejected)
    assert "credit" in caught.hint


def test_a_full_context_window_is_an_overflow() -> None:
    said = "Your input exceeds the context window of this model."

    assert isinstance(failure(error(400, said, code="context_length_exceeded")), ContextOverflow)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("server_error", ProviderUnavailable),
        ("rate_limit_exceeded", ProviderUnavailable),
        ("context_length_exceeded", ContextOverflow),
        ("invalid_prompt", ProviderRejected),
    ],
)
def test_an_error_after_status_200_is_classified_by_its_code(
    code: str, kind: type[ProviderError]
) -> None:
    begun = answer(("Good morning.",)).parts[:3]
    flat: dict[str, object] = {"code": code, "message": "Sorry", "param": None}
    nested: dict[str, object] = {"error": {"type": "some_error", "code": code, "message": "Sorry"}}

    for event in (failed(code, "Sorry"), ("error", flat), ("error", nested)):
        tail = stream_of([event])
        caught = failure(Reply(headers=tail.headers, parts=(*begun, *tail.parts)))

        assert isinstance(caught, kind)
        assert str(caught) == "openai: Sorry"


def test_a_refused_key_names_the_variable_and_hides_the_key() -> None:
    """The server repeats the whole wrong key, as some compatible servers do."""
    caught = failure(key="wrong-canary-key")

    assert isinstance(caught, ProviderRejected)
    assert "OPENAI_API_KEY" in caught.hint
    assert str(caught) == "openai (HTTP 401): Incorrect API key provided: [key]."


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            Message(role=Role.TOOL, text="dry", tool_call_id="call_8"),
            "No tool call found for function call output with call_id call_8.",
        ),
        (
            Message(
                role=Role.ASSISTANT,
                text="",
                tool_calls=(ToolCall(id="call_9", name="now", arguments="{}"),),
            ),
            "No tool output found for function call call_9.",
        ),
    ],
)
def test_what_the_api_refuses_is_rejected_in_its_own_words(message: Message, words: str) -> None:
    with talking() as (provider, _), pytest.raises(ProviderRejected) as caught:
        complete(provider, request(user("Hi"), message))

    assert words in str(caught.value)


def test_a_request_without_text_is_not_sent() -> None:
    with talking() as (provider, server), pytest.raises(InvalidRequest):
        complete(provider, request(user("  \n")))

    assert server.seen == []


def test_text_that_utf8_cannot_carry_is_refused_before_it_is_sent() -> None:
    with talking() as (provider, server), pytest.raises(InvalidRequest, match="half a character"):
        complete(provider, request(user("a\ud800b")))

    assert server.seen == []
