"""Real-shaped refusals of many providers, sent over HTTP through the SDK, and what each becomes.

`corpus/errors.json` holds wordings from the providers' documentation, from their servers' sources
and from issues where people met them; names and numbers are invented.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from stratal.context.request import Request
from stratal.errors import ContextOverflow, ProviderError, ProviderRejected, ProviderUnavailable
from stratal.providers.anthropic import AnthropicProvider
from stratal.providers.openai import OpenAIProvider
from stratal.providers.provider import Provider, complete
from stratal_memory.records import Message, Role
from tests.fakes.wire_server import Reply, WireServer, html_reply, json_reply

KINDS: dict[str, type[ProviderError]] = {
    "overflow": ContextOverflow,
    "unavailable": ProviderUnavailable,
    "rejected": ProviderRejected,
}
HELLO = Request(model="m", system=(), messages=(Message(role=Role.USER, text="Hello?"),))


class Case(BaseModel):
    """One refusal; `body` is a JSON document, or the text of a page."""

    model_config = ConfigDict(extra="forbid")

    provider: str
    status: int
    body: JsonValue
    expected: str
    headers: dict[str, str] = Field(default_factory=dict)

    def reply(self) -> Reply:
        if isinstance(self.body, str):
            return html_reply(self.status, self.body)
        return json_reply(self.status, self.body, headers=self.headers)


class Anything(BaseModel):
    """A body nobody looks at."""


CASES = TypeAdapter(list[Case]).validate_json(
    (Path(__file__).parent / "corpus" / "errors.json").read_bytes()
)


def test_the_corpus_is_large_and_wide() -> None:
    assert len(CASES) >= 60
    assert len({case.provider for case in CASES}) >= 15
    assert min(Counter(case.expected for case in CASES).values()) >= 20
    assert {case.expected for case in CASES} == set(KINDS)


def refusals(provider: str) -> Iterator[tuple[Case, ProviderError]]:
    """Each case of `provider` with the error its answer is turned into."""
    cases = [case for case in CASES if case.provider == provider]
    script = [case.reply() for case in cases]
    with (
        WireServer(Anything, check=lambda seen: None, script=script) as server,
        closing(_client(provider, server.url)) as client,
    ):
        for case in cases:
            with pytest.raises(ProviderError) as caught:
                complete(client, HELLO)
            yield case, caught.value


def _client(provider: str, url: str) -> Provider:
    if provider == "anthropic":
        return AnthropicProvider("sk-ant-x", base_url=url)
    return OpenAIProvider("sk-x", base_url=f"{url}/v1")


# covers Ps9, Cs8
@pytest.mark.parametrize("provider", sorted({case.provider for case in CASES}))
def test_every_refusal_of_a_provider_has_its_kind(provider: str) -> None:
    wrong = [
        f"{case.status} {case.body}: {type(error).__name__}, not {case.expected}"
        for case, error in refusals(provider)
        if type(error) is not KINDS[case.expected]
    ]

    assert wrong == []


def test_a_wait_is_read_from_the_headers_of_a_rate_limit() -> None:
    waits = {
        case.headers["retry-after"]: error.retry_after
        for case, error in refusals("azure")
        if "retry-after" in case.headers and isinstance(error, ProviderUnavailable)
    }

    assert waits == {"26": 26.0}
