"""AnthropicProvider against a loopback server that refuses what the real API refuses."""

from collections.abc import Generator
from contextlib import closing, contextmanager

import pytest

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.errors import (
    ContextOverflow,
    InvalidRequest,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
)
from stratal.providers.anthropic import AnthropicProvider
from stratal.providers.provider import Completion, StopReason, TextDelta, Usage, complete
from stratal_memory.records import Message, Role, ToolCall
from tests.fakes.wire_anthropic import (
    KEY,
    Body,
    Use,
    answer,
    anthropic_server,
    error,
    error_event,
    schema,
)
from tests.fakes.wire_server import Ending, Reply, WireServer, html_reply, sse_reply


def request(*messages: Message, system: tuple[SystemBlock, ...] = ()) -> Request:
    return Request(model="claude-opus-5-5", system=system, messages=messages, max_output=100)


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


HELLO = request(user("Hello?"))


@contextmanager
def talking(
    *script: Reply, key: str = KEY
) -> Generator[tuple[AnthropicProvider, WireServer[Body]]]:
    with (
        anthropic_server(*script) as server,
        closing(AnthropicProvider(key, base_url=server.url)) as provider,
    ):
        yield provider, server


def failure(*script: Reply, key: str = KEY) -> ProviderError:
    with talking(*script, key=key) as (provider, _), pytest.raises(ProviderError) as caught:
        complete(provider, HELLO)
    return caught.value


def test_text_streams_in_pieces_and_ends_in_one_completion() -> None:
    with talking(answer(("Good ", "morning."))) as (provider, server):
        items = list(provider.stream(HELLO))

    assert items[:2] == [TextDelta(text="Good "), TextDelta(text="morning.")]
    assert items[2:] == [
        Completion(text="Good morning.", usage=Usage(input=10, output=5), model="claude-opus-5-5")
    ]
    body = server.seen[0].body
    assert (body.model, body.max_tokens, body.stream) == ("claude-opus-5-5", 100, True)


def test_a_model_string_with_its_provider_is_sent_without_it() -> None:
    named = Request(model="anthropic:claude-opus-5-5", system=(), messages=HELLO.messages)

    with talking(answer("Hi.")) as (provider, server):
        complete(provider, named)

    assert server.seen[0].body.model == "claude-opus-5-5"


def test_input_tokens_include_what_was_written_to_and_read_from_the_cache() -> None:
    counted = {"cache_creation_input_tokens": 200, "cache_read_input_tokens": 3_000}

    with talking(answer("Hi.", usage=counted, output=7)) as (provider, _):
        usage = complete(provider, HELLO).usage

    assert usage == Usage(input=3_210, output=7, cache_read=3_000, cache_write=200)


@pytest.mark.parametrize(
    ("reported", "stop"),
    [
        ("end_turn", StopReason.END),
        ("stop_sequence", StopReason.END),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
        ("refusal", StopReason.REFUSED),
        ("a_reason_of_next_year", StopReason.END),
    ],
)
def test_stop_reasons_are_mapped(reported: str, stop: StopReason) -> None:
    with talking(answer("Hi.", stop=reported)) as (provider, _):
        assert complete(provider, HELLO).stop == stop


def test_thinking_is_kept_apart_from_the_text() -> None:
    with talking(answer("Graz.", thinking="She lives in Graz.")) as (provider, _):
        completion = complete(provider, HELLO)

    assert (completion.text, completion.reasoning) == ("Graz.", "She lives in Graz.")


def test_a_tool_call_goes_around() -> None:
    """The call comes in, its result goes out, and the server accepts the pair."""
    tool = ToolSpec(name="weather", description="Now", schema=schema(city="string"))
    call = Use(id="toolu_1", name="weather", pieces=('{"ci', 'ty": "Graz"}'))
    asked = Request(model="claude-opus-5-5", system=(), messages=(user("Rain?"),), tools=(tool,))

    with talking(answer("Let me look.", call, stop="tool_use"), answer("No.")) as (
        provider,
        server,
    ):
        first = complete(provider, asked)
        result = Message(role=Role.TOOL, text="dry", tool_call_id="toolu_1")
        said = Message(role=Role.ASSISTANT, text=first.text, tool_calls=first.tool_calls)
        second = complete(
            provider,
            Request(
                model=asked.model,
                system=(),
                messages=(*asked.messages, said, result),
                tools=(tool,),
            ),
        )

    assert first.tool_calls == (
        ToolCall(id="toolu_1", name="weather", arguments='{"city": "Graz"}'),
    )
    assert first.stop == StopReason.TOOLS
    assert (second.text, second.stop) == ("No.", StopReason.END)
    assert server.seen[0].body.tools[0].input_schema["properties"] == {"city": {"type": "string"}}
    assert server.seen[1].body.messages[1].blocks[1].input == {"city": "Graz"}


def test_malformed_arguments_come_out_as_the_text_the_model_wrote() -> None:
    call = Use(id="toolu_1", name="weather", pieces=('{"city": "Gr',))

    with talking(answer(call, stop="tool_use")) as (provider, _):
        completion = complete(provider, HELLO)

    assert completion.tool_calls[0].arguments == '{"city": "Gr'


def test_a_call_without_arguments_gets_an_empty_object() -> None:
    with talking(answer(Use(id="t", name="now", pieces=()), stop="tool_use")) as (provider, _):
        assert complete(provider, HELLO).tool_calls[0].arguments == "{}"


def test_an_answer_cut_by_the_output_limit_offers_no_half_call_to_run() -> None:
    call = Use(id="toolu_1", name="erase", pieces=('{"path": "/tm',))

    with talking(answer("Wait.", call, stop="max_tokens")) as (provider, _):
        completion = complete(provider, HELLO)

    assert (completion.tool_calls, completion.stop) == ((), StopReason.LENGTH)


def test_cache_marks_are_on_the_wire() -> None:
    # covers C12
    system = (SystemBlock(text="Be kind.", cached=True), SystemBlock(text="Today is Friday."))
    messages = (user("One"), Message(role=Role.ASSISTANT, text="Two"), user("Three"))
    marked = Request(model="m", system=system, messages=messages, cached_messages=(1,))

    with talking(answer("Hi.")) as (provider, server):
        complete(provider, marked)

    body = server.seen[0].body
    assert [(b.text, b.cache_control) for b in body.system] == [
        ("Be kind.", {"type": "ephemeral"}),
        ("Today is Friday.", None),
    ]
    assert [m.blocks[-1].cache_control for m in body.messages] == [
        None,
        {"type": "ephemeral"},
        None,
    ]


def test_a_cut_at_every_event_is_unavailable_and_never_an_answer() -> None:
    call = Use(id="toolu_1", name="weather", pieces=('{"city": ', '"Graz"}'))
    whole = answer(("Let ", "me look."), call, stop="tool_use", thinking="Hm.")
    kept = [
        whole.cut_after(n, ending=e)
        for n in range(len(whole.parts))
        for e in (Ending.ABRUPT, Ending.WHOLE)
    ]

    with talking(*kept) as (provider, _):
        for _ in kept:
            items: list[object] = []
            with pytest.raises(ProviderUnavailable):
                items.extend(provider.stream(HELLO))
            assert not any(isinstance(item, Completion) for item in items)


def test_a_cut_inside_an_event_is_unavailable() -> None:
    whole = answer("Good morning.")
    half = Reply(headers=whole.headers, parts=(b"".join(whole.parts)[:-40],))

    assert isinstance(failure(half), ProviderUnavailable)


@pytest.mark.parametrize(
    "data",
    [
        "null",
        "[]",
        '{"type": "message_start"}',
        '{"type": "message_delta"}',
        '{"type": "message_delta", "delta": {"stop_reason": ["x"]}, "usage": null}',
        '{"type": "content_block_start", "index": 0}',
        '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}',
        '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}}',
        '{"type": "an_event_of_next_year"}',
        "{broken",
    ],
)
def test_a_malformed_event_is_a_typed_error(data: str) -> None:
    event = f"event: message_start\ndata: {data}\n\n".encode()
    stream = Reply(headers=(("content-type", "text/event-stream"),), parts=(event,))

    assert isinstance(failure(stream), ProviderUnavailable)


def test_a_reset_connection_is_unavailable() -> None:
    error = failure(Reply(ending=Ending.RESET))

    assert isinstance(error, ProviderUnavailable)
    assert error.status is None
    assert "network" in error.hint


def test_an_address_where_nothing_listens_is_unavailable() -> None:
    with anthropic_server() as server:
        address = server.url

    with (
        closing(AnthropicProvider(KEY, base_url=address)) as provider,
        pytest.raises(ProviderUnavailable),
    ):
        complete(provider, HELLO)


def test_a_page_of_html_with_status_500_is_unavailable_and_readable() -> None:
    error = failure(html_reply(500, "<html><style>b{}</style><h1>Bad   gateway</h1></html>"))

    assert isinstance(error, ProviderUnavailable)
    assert str(error) == "anthropic (HTTP 500): Bad gateway"


def test_status_200_with_a_page_of_html_is_unavailable() -> None:
    assert isinstance(failure(html_reply(200, "<h1>Log in</h1>")), ProviderUnavailable)


def test_an_overloaded_answer_is_unavailable() -> None:
    assert failure(error(529, "overloaded_error", "Overloaded")).status == 529


def test_a_rate_limit_says_how_long_to_wait() -> None:
    limited = error(429, "rate_limit_error", "Slow down", headers={"retry-after": "7"})

    caught = failure(limited)

    assert isinstance(caught, ProviderUnavailable)
    assert caught.retry_after == 7.0
    assert "7 seconds" in caught.hint


def test_a_prompt_that_is_too_long_is_an_overflow() -> None:
    said = "prompt is too long: 208310 tokens > 200000 maximum"

    assert isinstance(failure(error(400, "invalid_request_error", said)), ContextOverflow)


def test_a_body_that_is_too_large_is_an_overflow() -> None:
    assert isinstance(failure(error(413, "request_too_large", "Too big")), ContextOverflow)


@pytest.mark.parametrize(
    ("type", "kind"),
    [
        ("overloaded_error", ProviderUnavailable),
        ("api_error", ProviderUnavailable),
        ("invalid_request_error", ProviderRejected),
    ],
)
def test_an_error_event_after_status_200_is_classified_by_its_type(
    type: str, kind: type[ProviderError]
) -> None:
    begun = answer("Good morning.").parts[:4]
    reply = sse_reply([error_event(type, "Sorry")])

    caught = failure(Reply(headers=reply.headers, parts=(*begun, *reply.parts)))

    assert isinstance(caught, kind)
    assert str(caught) == "anthropic: Sorry"


def test_a_refused_key_names_the_variable_and_the_way_without_one() -> None:
    caught = failure(key="sk-ant-wrong")

    assert isinstance(caught, ProviderRejected)
    assert caught.status == 401
    assert "ANTHROPIC_API_KEY" in caught.hint
    assert "offline:" in caught.hint


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ((user("Hi"), Message(role=Role.ASSISTANT, text="Sure, ")), "prefill"),
        (
            (
                user("Hi"),
                Message(
                    role=Role.ASSISTANT,
                    text="",
                    tool_calls=(ToolCall(id="toolu_9", name="now", arguments="{}"),),
                ),
                user("And?"),
            ),
            "without `tool_result` blocks immediately after: toolu_9",
        ),
        (
            (user("Hi"), Message(role=Role.TOOL, text="dry", tool_call_id="toolu_8")),
            "unexpected `tool_use_id` found in `tool_result` blocks: toolu_8",
        ),
    ],
)
def test_what_the_api_refuses_is_rejected_in_its_own_words(
    messages: tuple[Message, ...], words: str
) -> None:
    with talking() as (provider, _), pytest.raises(ProviderRejected) as caught:
        complete(provider, request(*messages))

    assert words in str(caught.value)


def test_a_request_without_text_is_not_sent() -> None:
    with talking() as (provider, server), pytest.raises(InvalidRequest):
        complete(provider, request(user("  \n")))

    assert server.seen == []


def test_text_that_utf8_cannot_carry_is_refused_before_it_is_sent() -> None:
    with talking() as (provider, server), pytest.raises(InvalidRequest, match="half a character"):
        complete(provider, request(user("a\ud800b")))

    assert server.seen == []


def test_half_a_character_in_an_answer_does_not_reach_the_caller() -> None:
    with talking(answer(("a\ud800", "b"))) as (provider, _):
        items = list(provider.stream(HELLO))

    assert [item.text for item in items] == ["a\ufffd", "b", "a\ufffdb"]


def test_a_stream_that_is_left_early_can_be_followed_by_another() -> None:
    with talking(answer(("One ", "two")), answer("Three")) as (provider, _):
        first = provider.stream(HELLO)
        next(first)
        del first

        assert complete(provider, HELLO).text == "Three"
