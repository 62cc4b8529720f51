"""What only OpenAI's own address is sent; its name leads to the loopback here."""

import socket
from contextlib import closing

import pytest

from stratal.context.request import Request, SystemBlock
from stratal.providers.openai_chat import is_own, openai_chat
from stratal.providers.provider import complete
from stratal_memory.records import Message, Role
from tests.fakes.wire_openai_chat import KEY, Body, answer, chat_server

ASKED = Request(
    model="",
    system=(SystemBlock(text="Be kind."), SystemBlock(text="Be brief.")),
    messages=(
        Message(role=Role.CONTEXT, text="Alice lives in Graz."),
        Message(role=Role.CONTEXT, text="It is Monday."),
        Message(role=Role.USER, text="Where?"),
    ),
    max_output=100,
    cache_key="alice",
)


@pytest.fixture(autouse=True)
def names_lead_here(monkeypatch: pytest.MonkeyPatch) -> None:
    found = socket.getaddrinfo

    def here(host: str, port: int, *rest: int, **_named: int) -> object:
        return found("127.0.0.1", port, type=socket.SOCK_STREAM)

    monkeypatch.setattr(socket, "getaddrinfo", here)


def sent(model: str, *, as_system: bool = False) -> Body:
    asked = Request(
        model=f"openai-chat:{model}",
        system=ASKED.system,
        messages=ASKED.messages,
        max_output=100,
        cache_key="alice",
        context_as_system=as_system,
    )
    with chat_server(answer("Graz.")) as server:
        port = server.url.rpartition(":")[2]
        with closing(openai_chat(f"http://api.openai.com:{port}/v1", KEY)) as provider:
            complete(provider, asked)
    return server.seen[0].body


def test_the_cache_key_is_sent_and_nothing_is_kept_there() -> None:
    body = sent("gpt-4o")

    assert (body.prompt_cache_key, body.store) == ("alice", False)


@pytest.mark.parametrize(("model", "role"), [("gpt-4o", "system"), ("o3", "developer")])
@pytest.mark.parametrize("as_system", [True, False])
def test_instructions_come_from_the_developer_from_o1_on(
    model: str, role: str, as_system: bool
) -> None:
    # covers O8
    body = sent(model, as_system=as_system)

    context = role if as_system else "user"
    assert [(message.role, message.content) for message in body.messages] == [
        (role, "Be kind.\n\nBe brief."),
        (context, "Alice lives in Graz."),
        (context, "It is Monday."),
        ("user", "Where?"),
    ]


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("api.openai.com", True),
        ("eu.api.openai.com", True),
        ("openai.com", False),
        ("notapi.openai.com", False),
        ("api.openai.com.example.org", False),
    ],
)
def test_only_openais_own_hosts_are_its_own(host: str, own: bool) -> None:
    assert is_own(host) is own
