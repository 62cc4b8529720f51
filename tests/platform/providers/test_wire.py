"""The loopback servers refuse what the real APIs refuse: else the adapters' tests prove nothing."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping

import pytest

from tests.fakes import wire_anthropic, wire_openai

CLAUDE = {"x-api-key": wire_anthropic.KEY, "anthropic-version": "2023-06-01"}
GPT = {"authorization": f"Bearer {wire_openai.KEY}"}


def post(url: str, body: Mapping[str, object], headers: Mapping[str, str]) -> tuple[int, str]:
    """The status and the message of the error, or an empty message."""
    request = urllib.request.Request(url, json.dumps(body).encode(), dict(headers))
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())["error"]["message"]


def to_claude(
    messages: list[object],
    *,
    headers: Mapping[str, str] = CLAUDE,
    max_tokens: int | None = 5,
    system: tuple[object, ...] = (),
) -> tuple[int, str]:
    body = {"model": "m", "max_tokens": max_tokens, "messages": messages, "system": list(system)}
    with wire_anthropic.anthropic_server(wire_anthropic.answer("Hi.")) as server:
        return post(f"{server.url}/v1/messages", body, headers)


def to_gpt(
    items: list[object], *, headers: Mapping[str, str] = GPT, limit: int = 16
) -> tuple[int, str]:
    body = {"model": "m", "input": items, "max_output_tokens": limit}
    with wire_openai.openai_server(wire_openai.answer(("Hi.",))) as server:
        return post(f"{server.url}/v1/responses", body, headers)


def said(role: str, *blocks: Mapping[str, object]) -> dict[str, object]:
    return {"role": role, "content": list(blocks)}


def text(words: str, *, marked: bool = False) -> dict[str, object]:
    block: dict[str, object] = {"type": "text", "text": words}
    return {**block, "cache_control": {"type": "ephemeral"}} if marked else block


USE = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "dry"}
HELLO = said("user", text("Hello"))
CALL = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "dry"}
ITEM = {"role": "user", "content": "Hello"}


def test_good_requests_are_accepted() -> None:
    assert to_claude([HELLO, said("assistant", USE), said("user", RESULT, text("And?"))])[0] == 200
    assert to_gpt([ITEM, CALL, OUTPUT])[0] == 200


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "at least one message"),
        ([said("system", text("Be kind")), HELLO], "use the top-level 'system' parameter"),
        ([said("context", text("Hello"))], "Input should be 'user' or 'assistant'"),
        ([said("user")], "non-empty content"),
        ([HELLO, said("assistant", text("Sure"))], "assistant message prefill"),
        ([said("user", text(""))], "must be non-empty"),
        ([said("user", text(" "))], "must contain non-whitespace text"),
        ([said("user", *[text("a", marked=True)] * 5)], "A maximum of 4 blocks"),
        ([HELLO, said("assistant", {**USE, "input": "x"}), said("user", RESULT)], "dictionary"),
        ([HELLO, said("assistant", USE), HELLO], "ids were found without `tool_result` blocks"),
        (
            [HELLO, said("assistant", USE), said("user", text("And?"), RESULT)],
            "ids were found without `tool_result` blocks immediately after: toolu_1",
        ),
        ([said("user", RESULT)], "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1"),
        ([HELLO, said("assistant", USE), said("user", RESULT, RESULT)], "a single result"),
    ],
)
def test_claude_refuses_malformed_messages(messages: list[object], words: str) -> None:
    status, message = to_claude(messages)

    assert status == 400
    assert words in message


def test_claude_refuses_a_request_without_key_version_limit_or_with_a_blank_prompt() -> None:
    assert to_claude([HELLO], headers={}) == (401, "x-api-key header is required")
    assert to_claude([HELLO], headers={**CLAUDE, "x-api-key": "x"}) == (401, "invalid x-api-key")
    assert to_claude([HELLO], headers={"x-api-key": wire_anthropic.KEY})[0] == 400
    assert to_claude([HELLO], max_tokens=None) == (400, "max_tokens: Field required")
    assert "system: text" in to_claude([HELLO], system=(text(" "),))[1]


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([], "Missing required parameter: 'input'"),
        ([{"role": "context", "content": "a"}], "Invalid value: 'context'"),
        ([ITEM, OUTPUT], "No tool call found for function call output with call_id call_1"),
        ([ITEM, OUTPUT, CALL], "No tool call found"),
        ([ITEM, CALL], "No tool output found for function call call_1"),
        ([ITEM, CALL, OUTPUT, OUTPUT], "No tool call found"),
    ],
)
def test_gpt_refuses_malformed_items(items: list[object], words: str) -> None:
    status, message = to_gpt(items)

    assert status == 400
    assert words in message


def test_gpt_refuses_a_request_without_key_or_with_a_tiny_limit() -> None:
    assert to_gpt([ITEM], headers={})[0] == 401
    assert to_gpt([ITEM], headers={"authorization": "Bearer x"})[0] == 401
    assert "integer below minimum value" in to_gpt([ITEM], limit=15)[1]


def test_a_script_that_is_over_is_answered_with_a_status_nobody_retries() -> None:
    with wire_anthropic.anthropic_server() as server:
        body = {"model": "m", "max_tokens": 5, "messages": [HELLO]}

        assert post(f"{server.url}/v1/messages", body, CLAUDE) == (418, "the script is over")
