"""The Chat Completions servers of the tests refuse what real ones refuse."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping

import pytest

from tests.fakes.wire_openai_chat import KEY, Server, answer, chat_server

HEADERS = {"authorization": f"Bearer {KEY}"}
STRICT = Server(strict=True)


def post(
    body: Mapping[str, object],
    headers: Mapping[str, str] = HEADERS,
    *,
    path: str = "/v1/chat/completions",
    accepts: Server | None = None,
) -> tuple[int, str]:
    """The status and the message of the error, or an empty message."""
    with chat_server(answer("Hi."), accepts=accepts) as server:
        asked = urllib.request.Request(
            f"{server.url}{path}", json.dumps(body).encode(), dict(headers)
        )
        try:
            with urllib.request.urlopen(asked) as given:
                return given.status, ""
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())["error"]["message"]


def said(role: str, content: object = "Hello", **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


def called(arguments: str = "{}") -> dict[str, object]:
    function = {"name": "look", "arguments": arguments}
    return said(
        "assistant", None, tool_calls=[{"id": "c1", "type": "function", "function": function}]
    )


HELLO = said("user")
RESULT = said("tool", "dry", tool_call_id="c1")


def test_good_requests_are_accepted_by_both() -> None:
    messages = [said("system"), HELLO, called(), RESULT, said("assistant"), HELLO]

    assert post({"model": "m", "messages": messages}) == (200, "")
    assert post({"model": "m", "messages": messages}, accepts=STRICT) == (200, "")


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "empty array"),
        ([said("context")], "Invalid value: 'context'"),
        ([HELLO, said("assistant", None)], "got null"),
        ([HELLO, RESULT], "must be a response to a preceding 'tool_calls'"),
        ([HELLO, called()], "did not have response messages: c1"),
        ([HELLO, called(), HELLO, RESULT], "did not have response messages: c1"),
        ([HELLO, called(), RESULT, RESULT], "must be a response to a preceding"),
        ([HELLO, called(), {**RESULT, "content": [{"type": "image_url"}]}], "Image URLs"),
    ],
)
def test_malformed_messages_are_refused(messages: list[object], words: str) -> None:
    status, message = post({"model": "m", "messages": messages})

    assert status == 400
    assert words in message


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([HELLO, HELLO], "roles must alternate"),
        ([HELLO, said("system")], "must be at the beginning"),
        ([said("system"), said("system"), HELLO], "must be at the beginning"),
        ([HELLO, called("[1]"), RESULT], "invalid tool call arguments"),
    ],
)
def test_a_strict_server_refuses_what_chat_templates_do(messages: list[object], words: str) -> None:
    assert post({"model": "m", "messages": messages})[0] == 200

    status, message = post({"model": "m", "messages": messages}, accepts=STRICT)

    assert status == 400
    assert words in message


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model": "o3", "max_tokens": 5}, "Use 'max_completion_tokens' instead"),
        ({"model": "m", "max_tokens": 5, "max_completion_tokens": 5}, "at the same time"),
        ({}, "must provide a model"),
    ],
)
def test_wrong_limits_and_no_model_are_refused(fields: dict[str, object], words: str) -> None:
    assert words in post({**fields, "messages": [HELLO]})[1]


def test_a_wrong_key_and_a_wrong_path_are_refused() -> None:
    good = {"model": "m", "messages": [HELLO]}

    assert post(good, {})[0] == 401
    assert post(good, {"authorization": "Bearer x"})[0] == 401
    assert post(good, {"authorization": "Bearer x"}, accepts=Server(key=""))[0] == 401
    assert post(good, {"api-key": KEY}, accepts=Server(key_header="api-key"))[0] == 200
    assert post(good, path="/v1/responses")[0] == 404
