"""AnthropicProvider against a loopback server that refuses what the real API refuses."""

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
from stratal.providers.anthropic import AnthropicProvider
from stratal.providers.opaque import SENT_WITHOUT
from stratal.providers.provider import (
    Completion,
    CountsTokens,
    StopReason,
    TextDelta,
    Usage,
    complete,
)
from stratal_memory.records import Message, Role, ToolCall
from tests.fakes.wire_anthropic import (
    KEY,
    Body,
    Thought,
    Use,
    answer,
    anthropic_server,
    counted,
    error,
    error_event,
    schema,
    signed,
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
    reported = {"cache_creation_input_tokens": 200, "cache_read_input_tokens": 3_000}

    with talking(answer("Hi.", usage=reported, output=7)) as (provider, _):
        usage = complete(provider, HELLO).usage

    assert usage == Usage(input=3_210, output=7, cache_read=3_000, cache_write=200)
    assert usage.uncached == 10


@pytest.mark.parametrize(
    ("reported", "stop"),
    [
        ("end_turn", StopReason.END),
        ("stop_sequence", StopReason.END),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
        ("refusal", StopReason.REFUSED),
        ("pause_turn", StopReason.END),
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
    Thought(text="Hm, the weather."),
    "Let me look.",
    Thought(),
    Use(id="toolu_1", name="weather", pieces=("{}",)),
    stop="tool_use",
)


def test_signed_thinking_goes_back_unchanged_and_in_order_inside_its_turn() -> None:
    with talking(THINKING, answer("No.")) as (provider, server):
        first = complete(provider, HELLO)
        complete(provider, later(HELLO, kept(first), result("toolu_1")))

    blocks = server.seen[1].body.messages[1].blocks
    assert [(b.type, b.thinking or b.text or b.data or b.id) for b in blocks] == [
        ("thinking", "Hm, the weather."),
        ("text", "Let me look."),
        ("redacted_thinking", "c2VjcmV0"),
        ("tool_use", "toolu_1"),
    ]
    assert blocks[0].signature == signed("Hm, the weather.")
    assert first.reasoning == "Hm, the weather."


def types(server: WireServer[Body], *, request: int) -> list[str]:
    return [b.type for b in server.seen[request].body.messages[1].blocks]


def test_thinking_of_an_earlier_turn_stays_at_home() -> None:
    """What stood before it then, the recall of that turn, is not in the history any more."""
    with talking(THINKING, answer("Yes.")) as (provider, server):
        first = complete(provider, HELLO)
        complete(provider, later(HELLO, kept(first), result("toolu_1"), user("Sure?")))

    assert types(server, request=1) == ["text", "tool_use"]


def test_another_model_gets_no_thinking() -> None:
    with talking(THINKING, answer("No.")) as (provider, server):
        first = complete(provider, HELLO)
        asked = later(HELLO, kept(first), result("toolu_1"))
        complete(provider, replace(asked, model="claude-sonnet-5-5"))

    assert types(server, request=1) == ["text", "tool_use"]


@pytest.mark.parametrize(
    "opaque",
    ["{", "[]", '{"provider": "openai", "model": "claude-opus-5-5", "blocks": []}', "\ud800"],
)
def test_an_opaque_text_that_is_not_ours_is_ignored(opaque: str) -> None:
    with talking(THINKING, answer("No.")) as (provider, server):
        first = complete(provider, HELLO)
        said = replace(kept(first), opaque=opaque)
        complete(provider, later(HELLO, said, result("toolu_1")))

    assert types(server, request=1) == ["text", "tool_use"]


def test_a_request_whose_thinking_is_refused_is_sent_again_without_it() -> None:
    with talking(THINKING, answer("No.")) as (provider, server):
        first = complete(provider, HELLO)
        spoilt = replace(kept(first), opaque=first.opaque.replace("Hm", "Ah"))
        second = complete(provider, later(HELLO, spoilt, result("toolu_1")))

    assert types(server, request=1) == ["thinking", "text", "redacted_thinking", "tool_use"]
    assert types(server, request=2) == ["text", "tool_use"]
    assert (second.text, second.warnings) == ("No.", (SENT_WITHOUT,))


def test_thinking_of_an_answer_that_was_cut_is_not_kept() -> None:
    cut_short = answer(Thought(text="Hm."), "Once upon", stop="max_tokens")

    with talking(cut_short) as (provider, _):
        assert complete(provider, HELLO).opaque == ""


def test_the_tokens_of_a_request_are_counted_by_the_service() -> None:
    with talking(counted(321)) as (provider, server):
        assert isinstance(provider, CountsTokens)
        assert provider.count(request(user("Hi"), system=(SystemBlock(text="Be kind."),))) == 321

    assert server.seen[0].path == "/v1/messages/count_tokens"
    assert server.seen[0].body.system[0].text == "Be kind."


def test_a_count_that_is_refused_is_a_typed_error() -> None:
    refusal = error(429, "rate_limit_error", "Slow down")

    with talking(refusal) as (provider, _), pytest.raises(ProviderUnavailable):
        provider.count(HELLO)


def test_every_mark_carries_the_longer_life_when_it_is_asked_for() -> None:
    # covers C12, Z24
    marked = replace(
        request(user("One"), system=(SystemBlock(text="Be kind.", cached=True),)),
        tools=(ToolSpec(name="look", description="Looks", schema=schema()),),
        cached_messages=(0,),
        cached_tools=True,
        cache_ttl="1h",
    )

    with talking(answer("Hi.")) as (provider, server):
        complete(provider, marked)

    body = server.seen[0].body
    hour = {"type": "ephemeral", "ttl": "1h"}
    assert body.tools[0].cache_control == hour
    assert body.system[0].cache_control == hour
    assert body.messages[0].blocks[-1].cache_control == hour


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
    """Octo's two: the first system text and the message before the last."""
    # covers C12, Cs5
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
        '{"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}}',
        '{"type": "an_event_of_next_year"}',
        "{broken",
    ],
)
def test_a_malformed_event_is_a_typed_error(data: str) -> None:
    event = f"event: message_start\ndata: {data}\n\n".encode()
    stream = Reply(headers=(("content-type", "text/event-stream"),), parts=(event,))

    assert isinstance(failure(stream), ProviderUnavailable)


def test_a_block_without_a_place_is_a_typed_error() -> None:
    whole = answer("Good ", "morning.")
    parts = tuple(part.replace(b'"index": 1', b'"index": null') for part in whole.parts)

    assert "malformed" in str(failure(Reply(headers=whole.headers, parts=parts)))


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
