"""`openai-chat:` against a loopback server that refuses what real servers refuse."""

import json
import traceback
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from stratal.context.request import Request, SystemBlock, ToolSpec
from stratal.errors import (
    ConfigError,
    ContextOverflow,
    InvalidRequest,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
)
from stratal.providers.openai_chat import ChatProvider, openai_chat
from stratal.providers.openai_chat_answer import NOT_COUNTED
from stratal.providers.provider import Completion, StopReason, TextDelta, Usage, complete
from stratal_memory.records import Media, MediaKind, Message, Role, ToolCall
from tests.fakes.wire_anthropic import schema
from tests.fakes.wire_openai_chat import (
    KEY,
    MODEL,
    Body,
    Server,
    answer,
    call,
    calling,
    chat_server,
    delta,
    error,
    finish,
    raw,
    stream_of,
    text,
    usage,
)
from tests.fakes.wire_server import Ending, Reply, WireServer, html_reply, json_reply

STRICT = Server(strict=True)


def user(text: str, *media: Media) -> Message:
    return Message(role=Role.USER, text=text, media=media)


def request(*messages: Message, model: str = "openai-chat:m") -> Request:
    return Request(model=model, system=(), messages=messages, max_output=100)


HELLO = request(user("Hello?"))
CALLED = Message(
    role=Role.ASSISTANT,
    text="",
    tool_calls=(ToolCall(id="call_1", name="look", arguments="{}"),),
)
RESULT = Message(role=Role.TOOL, text="dry", tool_call_id="call_1")


@contextmanager
def talking(
    *script: Reply, key: str = KEY, accepts: Server | None = None
) -> Generator[tuple[ChatProvider, WireServer[Body]]]:
    with (
        chat_server(*script, accepts=accepts) as server,
        closing(openai_chat(f"{server.url}/v1", key)) as provider,
    ):
        yield provider, server


def completed(reply: Reply, asked: Request = HELLO) -> Completion:
    with talking(reply) as (provider, _):
        return complete(provider, asked)


def sent(asked: Request, accepts: Server | None = None) -> Body:
    with talking(answer("Hi."), accepts=accepts) as (provider, server):
        complete(provider, asked)
    return server.seen[0].body


def failure(*script: Reply, key: str = KEY) -> ProviderError:
    with talking(*script, key=key) as (provider, _), pytest.raises(ProviderError) as caught:
        complete(provider, HELLO)
    return caught.value


def test_text_streams_in_pieces_and_ends_in_one_completion() -> None:
    with talking(answer("Good ", "morning.")) as (provider, _):
        items = list(provider.stream(HELLO))

    assert items == [
        TextDelta(text="Good "),
        TextDelta(text="morning."),
        Completion(text="Good morning.", usage=Usage(input=10, output=5), model=MODEL),
    ]


def test_the_body_asks_for_a_stream_with_counts_and_for_nothing_a_server_may_not_know() -> None:
    # covers C14
    asked = replace(HELLO, system=(SystemBlock(text="Be kind.", cached=True),), cache_key="alice")

    with talking(answer("Hi.")) as (provider, server):
        complete(provider, asked)

    assert json.loads(server.seen[0].raw) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hello?"},
        ],
        "max_tokens": 100,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(
    ("model", "new"),
    [
        ("o3-mini", True),
        ("gpt-5.1", True),
        ("gpt-6-sol", True),
        ("openai/gpt-10", True),
        ("gpt-4o", False),
        ("gpt-35-turbo", False),
        ("gpt-oss:20b", False),
        ("llama3:70b", False),
        ("qwen-o1-like", False),
    ],
)
def test_the_limit_is_named_as_the_model_wants_it(model: str, new: bool) -> None:
    body = sent(request(user("Hi"), model=f"openai-chat:{model}"))

    assert body.model == model
    assert (body.max_tokens, body.max_completion_tokens) == ((None, 100) if new else (100, None))


@pytest.mark.parametrize("strict", [True, False])
def test_all_system_text_is_one_message_and_the_users_messages_in_a_row_too(strict: bool) -> None:
    # covers O8
    asked = Request(
        model="m",
        system=(SystemBlock(text="Be kind."), SystemBlock(text=" "), SystemBlock(text="Be brief.")),
        messages=(
            user("Hi"),
            Message(role=Role.ASSISTANT, text="Hello"),
            Message(role=Role.CONTEXT, text="Alice lives in Graz."),
            user("Where?"),
        ),
    )

    body = sent(asked, Server(strict=strict))

    assert [(message.role, message.content) for message in body.messages] == [
        ("system", "Be kind.\n\nBe brief."),
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "Alice lives in Graz.\n\nWhere?"),
    ]


def test_context_with_the_systems_authority_joins_the_one_system_message_in_front() -> None:
    # covers O8
    context = Message(role=Role.CONTEXT, text="Alice lives in Graz.")
    asked = Request(
        model="m",
        system=(SystemBlock(text="Be kind."),),
        messages=(context, user("Hi"), Message(role=Role.ASSISTANT, text="Hello"), context),
        context_as_system=True,
        system_joined=True,
    )

    body = sent(asked, STRICT)

    assert [(message.role, message.content) for message in body.messages] == [
        ("system", "Be kind.\n---\nAlice lives in Graz."),
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "Alice lives in Graz."),
    ]


def test_a_tool_call_goes_around() -> None:
    # covers O8
    tool = ToolSpec(name="look", description="Now", schema=schema(city="string"))
    asked = replace(request(user("Rain?")), tools=(tool,))
    pieces = [
        call(0, id="call_1", name="look", arguments=""),
        call(0, arguments='{"city":'),
        call(0, arguments=' "Graz"}'),
    ]

    with talking(calling(*pieces), answer("No."), accepts=STRICT) as (provider, server):
        first = complete(provider, asked)
        said = Message(role=Role.ASSISTANT, text=first.text, tool_calls=first.tool_calls)
        second = complete(provider, request(*asked.messages, said, replace(RESULT, text="dry")))

    assert first.tool_calls == (ToolCall(id="call_1", name="look", arguments='{"city": "Graz"}'),)
    assert (first.stop, second.stop) == (StopReason.TOOLS, StopReason.END)
    assert server.seen[0].body.tools == [
        {
            "type": "function",
            "function": {
                "name": "look",
                "description": "Now",
                "parameters": json.loads(tool.schema),
            },
        }
    ]
    back = json.loads(server.seen[1].raw)["messages"][1:]
    function = {"name": "look", "arguments": '{"city": "Graz"}'}
    assert back == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "dry"},
    ]


def test_a_failed_tool_says_so_in_words() -> None:
    body = sent(request(user("Rain?"), CALLED, replace(RESULT, tool_failed=True)))

    assert body.messages[-1].content == "Error: dry"


@pytest.mark.parametrize("arguments", ['{"city": ', "[1]", "5", ""])
def test_arguments_a_server_could_not_read_are_sent_back_inside_an_object(arguments: str) -> None:
    broken = replace(CALLED, tool_calls=(ToolCall(id="call_1", name="look", arguments=arguments),))

    body = sent(request(user("Rain?"), broken, RESULT), STRICT)

    back = json.loads(body.messages[1].tool_calls[0].function.arguments)
    assert back == ({"unparsed_arguments": arguments} if arguments else {})


def test_parallel_calls_arrive_in_pieces_and_their_results_go_back_by_id() -> None:
    reply = calling(
        call(0, id="call_a", name="look", arguments='{"at"'),
        call(1, id="call_b", name="find"),
        call(1, arguments='{"it": 2}'),
        call(0, arguments=": 1}"),
    )

    calls = completed(reply).tool_calls

    assert [(one.id, one.name, one.arguments) for one in calls] == [
        ("call_a", "look", '{"at": 1}'),
        ("call_b", "find", '{"it": 2}'),
    ]


def test_calls_without_numbers_and_ids_with_objects_for_arguments_are_read() -> None:
    reply = calling(
        call(name="look", arguments={"at": 1}), call(name="find", arguments={}), reason="stop"
    )

    completion = completed(reply)

    assert [(one.name, one.arguments) for one in completion.tool_calls] == [
        ("look", '{"at": 1}'),
        ("find", "{}"),
    ]
    assert completion.stop == StopReason.TOOLS
    assert len({one.id for one in completion.tool_calls} - {""}) == 2


def test_an_id_an_earlier_call_has_is_made_anew() -> None:
    again = calling(call(0, id="call_1", name="look", arguments="{}"))

    completion = completed(again, request(user("Rain?"), CALLED, RESULT))

    assert completion.tool_calls[0].id not in ("", "call_1")


def test_a_call_without_a_name_is_a_broken_answer() -> None:
    assert "without a name" in str(failure(calling(call(0, id="call_1", arguments="{}"))))


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", StopReason.END),
        ("eos", StopReason.END),
        ("length", StopReason.LENGTH),
        ("model_length", StopReason.LENGTH),
        ("content_filter", StopReason.REFUSED),
    ],
)
def test_the_reason_to_stop_is_mapped(reason: str, stop: StopReason) -> None:
    assert completed(stream_of(text("Once"), finish(reason), usage())).stop == stop


def test_half_a_call_is_never_run() -> None:
    cut_off = calling(call(0, id="call_1", name="look", arguments='{"ci'), reason="length")

    completion = completed(cut_off)

    assert (completion.tool_calls, completion.stop) == ((), StopReason.LENGTH)


@pytest.mark.parametrize("reason", ["error", "abort"])
def test_a_server_that_gives_up_in_the_middle_is_unavailable(reason: str) -> None:
    assert isinstance(failure(stream_of(text("Once"), finish(reason))), ProviderUnavailable)


def test_a_refusal_is_shown_and_marked() -> None:
    completion = completed(stream_of(delta(refusal="I can't."), finish(), usage()))

    assert (completion.text, completion.stop) == ("I can't.", StopReason.REFUSED)


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_is_kept_apart_from_the_text(field: str) -> None:
    completion = completed(stream_of(delta(**{field: "Hm."}), text("Graz."), finish(), usage()))

    assert (completion.text, completion.reasoning) == ("Graz.", "Hm.")


def test_input_tokens_include_the_cached_ones() -> None:
    completion = completed(stream_of(text("Hi."), finish(), usage(3_000, 7, cached=2_048)))

    assert completion.usage == Usage(input=3_000, output=7, cache_read=2_048)
    assert completion.warnings == ()


def test_cached_tokens_are_found_where_deepseek_puts_them() -> None:
    last = usage(3_000, 7)
    last["usage"] = {"prompt_tokens": 3_000, "completion_tokens": 7, "prompt_cache_hit_tokens": 64}

    assert completed(stream_of(text("Hi."), finish(), last)).usage.cache_read == 64


@pytest.mark.parametrize("last", [[], [{**usage(), "usage": None}], [usage(0, 0)]])
def test_a_server_that_counts_nothing_gives_zeros_and_a_warning(last: list[object]) -> None:
    completion = completed(stream_of(text("Hi."), finish(), *last))

    assert (completion.text, completion.usage) == ("Hi.", Usage())
    assert completion.warnings == (NOT_COUNTED,)


@pytest.mark.parametrize(
    "data",
    [
        '{"choices": []}',
        '{"choices": null}',
        "{}",
        '{"choices": [{"index": 0, "delta": null}]}',
        '{"choices": [{"delta": {"content": null, "tool_calls": null}}]}',
        '{"choices": [{"index": 1, "delta": {"content": "another"}}]}',
        '{"id": 5, "created": "now", "choices": [], "usage": {"prompt_tokens": null}}',
    ],
)
def test_a_chunk_that_says_nothing_is_passed_over(data: str) -> None:
    assert completed(raw(answer("Hi."), data)).text == "Hi."


@pytest.mark.parametrize(
    "data",
    [
        "null",
        "[]",
        "5",
        '"text"',
        "{broken",
        '{"choices": 5}',
        '{"choices": [null]}',
        '{"choices": [{"delta": "text"}]}',
        '{"choices": [{"delta": {"content": {"a": 1}}}]}',
        '{"choices": [{"delta": {"tool_calls": [{"function": "look"}]}}]}',
        '{"choices": [{"delta": {"tool_calls": {"0": 1}}}]}',
        '{"choices": [], "usage": 5}',
    ],
)
def test_a_malformed_chunk_is_a_typed_error(data: str) -> None:
    assert isinstance(failure(raw(answer("Hi."), data)), ProviderUnavailable)


def test_half_a_character_becomes_the_sign_for_one_wherever_it_stands() -> None:
    named = call(0, id="c\ud800", name="l\ud800k", arguments={"at": "\ud800"})
    last = {**finish(), "model": "m\ud800"}

    completion = completed(stream_of(text("a\ud800b"), delta(tool_calls=[named]), usage(), last))

    assert completion.text == "a�b"
    assert completion.model == "m�"
    assert completion.tool_calls == (
        ToolCall(
            id="c�",
            name="l�k",
            arguments='{"at": "�"}',
        ),
    )


def test_text_in_parts_is_read() -> None:
    parts = delta(content=[{"type": "text", "text": "Good "}, {"type": "text", "text": "day."}])

    assert completed(stream_of(parts, finish(), usage())).text == "Good day."


def test_a_cut_before_the_reason_to_stop_is_unavailable_and_never_an_answer() -> None:
    whole = stream_of(
        text("Let "), delta(tool_calls=[call(0, id="c", name="look", arguments="{}")]), finish()
    )
    kept = [
        whole.cut_after(parts, ending=ending)
        for parts in range(3)
        for ending in (Ending.ABRUPT, Ending.WHOLE)
    ]

    with talking(*kept) as (provider, _):
        for _ in kept:
            items: list[object] = []
            with pytest.raises(ProviderUnavailable):
                items.extend(provider.stream(HELLO))
            assert not any(isinstance(item, Completion) for item in items)


def test_a_cut_inside_a_chunk_is_unavailable() -> None:
    whole = stream_of(text("Good morning."), done=False)
    half = Reply(headers=whole.headers, parts=(whole.parts[0][:-60] + b"\n\n",))

    assert isinstance(failure(half), ProviderUnavailable)


def test_an_answer_that_is_no_stream_is_unavailable() -> None:
    whole = {"choices": [{"message": {"role": "assistant", "content": "Hi."}}]}

    assert isinstance(failure(json_reply(200, whole)), ProviderUnavailable)


def test_a_reset_connection_is_unavailable_and_names_the_address() -> None:
    with talking(Reply(ending=Ending.RESET)) as (provider, server):
        with pytest.raises(ProviderUnavailable) as caught:
            complete(provider, HELLO)
        assert f"{server.url}/v1" in caught.value.hint


def test_a_page_of_html_with_status_502_is_unavailable_and_readable() -> None:
    caught = failure(html_reply(502, "<html><h1>Bad gateway</h1></html>"))

    assert isinstance(caught, ProviderUnavailable)
    assert str(caught) == "openai-chat (HTTP 502): Bad gateway"


def test_a_rate_limit_says_how_long_to_wait() -> None:
    caught = failure(error(429, "Rate limit reached", headers={"retry-after": "7"}))

    assert isinstance(caught, ProviderUnavailable)
    assert caught.retry_after == 7.0
    assert str(caught) == "openai-chat (HTTP 429): Rate limit reached"
    assert "7 seconds" in caught.hint


@pytest.mark.parametrize(
    "reply",
    [
        error(
            400,
            "This model's maximum context length is 8192 tokens. However, your messages "
            "resulted in 9000 tokens.",
            code="context_length_exceeded",
        ),
        # vLLM puts the error at the top of the body, and llama.cpp a number for a code
        json_reply(
            400,
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you "
                "requested 5000 tokens in the messages. Please reduce the length.",
                "type": "BadRequestError",
                "code": 400,
            },
        ),
        json_reply(
            400,
            {
                "error": {
                    "code": 400,
                    "message": "the request exceeds the available context size, try increasing it",
                    "type": "exceed_context_size_error",
                }
            },
        ),
    ],
)
def test_a_full_context_window_is_an_overflow_in_every_servers_words(reply: Reply) -> None:
    assert isinstance(failure(reply), ContextOverflow)


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ({"message": "Sorry", "code": "server_error"}, ProviderUnavailable),
        ({"message": "Sorry", "code": "context_length_exceeded"}, ContextOverflow),
        ({"message": "Sorry", "code": "invalid_prompt"}, ProviderRejected),
        ("Sorry", ProviderUnavailable),
    ],
)
def test_an_error_after_status_200_is_classified_by_its_code(
    inside: object, kind: type[ProviderError]
) -> None:
    caught = failure(stream_of(text("Good"), {"error": inside}))

    assert isinstance(caught, kind)
    assert str(caught) == "openai-chat: Sorry"


def test_a_refused_key_is_in_no_text_of_the_error() -> None:
    """The server repeats the whole key, as some do."""
    caught = failure(key="wrong-canary-key")

    assert isinstance(caught, ProviderRejected)
    assert "OPENAI_CHAT_API_KEY" in caught.hint
    shown = [*traceback.format_exception(caught), repr(caught.__context__), caught.hint]
    assert not any("canary" in line for line in shown)


def test_without_a_key_no_authorization_is_sent_and_nothing_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "canary")

    with talking(answer("Hi."), key="", accepts=Server(key="")) as (provider, server):
        complete(provider, HELLO)

    assert "authorization" not in server.seen[0].headers
    assert "canary" not in " ".join(server.seen[0].headers.values())


@pytest.mark.parametrize(
    "address", ["localhost:8000", "ftp://localhost", "http://", "http://h:port/v1", "", "sk-1"]
)
def test_an_address_that_is_none_is_a_config_error_that_does_not_repeat_it(address: str) -> None:
    with pytest.raises(ConfigError, match="is no http or https address") as caught:
        openai_chat(address)

    assert not address or address not in f"{caught.value}"


def test_an_address_with_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError, match="holds a name or a password") as caught:
        openai_chat("http://me:canary@localhost:8000/v1")

    assert "canary" not in f"{caught.value} {caught.value.hint}"


IMAGE = Media(source="data:image/png;base64,aGk=")


def test_images_go_with_the_users_words_and_behind_tool_results() -> None:
    at = Media(source="https://example.org/a.png")

    body = sent(
        request(user("Look", IMAGE), CALLED, replace(RESULT, media=(at,)), user("And?")), STRICT
    )

    assert [message.content for message in body.messages] == [
        [
            {"type": "text", "text": "Look"},
            {"type": "image_url", "image_url": {"url": IMAGE.source}},
        ],
        None,
        "dry",
        [
            {"type": "text", "text": "And?"},
            {"type": "image_url", "image_url": {"url": at.source}},
        ],
    ]


def test_an_image_alone_is_a_message() -> None:
    body = sent(request(user(" ", IMAGE)))

    assert body.messages[0].content == [{"type": "image_url", "image_url": {"url": IMAGE.source}}]


@pytest.mark.parametrize(
    "media",
    [
        Media(kind=MediaKind.AUDIO, source="data:audio/wav;base64,aGk="),
        Media(source="data:image/tiff;base64,aGk="),
        Media(source="/etc/passwd"),
    ],
)
def test_an_attachment_the_api_does_not_take_is_never_dropped_in_silence(media: Media) -> None:
    with talking() as (provider, server), pytest.raises(InvalidRequest):
        complete(provider, request(user("Look", media)))

    assert server.seen == []


def test_a_request_without_text_is_not_sent() -> None:
    with talking() as (provider, server), pytest.raises(InvalidRequest):
        complete(provider, request(user("  \n")))

    assert server.seen == []


def test_text_that_utf8_cannot_carry_is_refused_before_it_is_sent() -> None:
    with talking() as (provider, server), pytest.raises(InvalidRequest, match="half a character"):
        complete(provider, request(user("a\ud800b")))

    assert server.seen == []


def test_closing_twice_does_no_harm_and_the_next_request_opens_a_new_connection() -> None:
    with talking(answer("Hi."), answer("Again.")) as (provider, _):
        assert complete(provider, HELLO).text == "Hi."
        provider.close()
        provider.close()
        assert complete(provider, HELLO).text == "Again."
