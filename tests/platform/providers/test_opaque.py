import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.context.request import Request
from stratal.errors import ProviderRejected
from stratal.providers.opaque import (
    Own,
    Part,
    Spoken,
    current_turn,
    packed,
    parts,
    sent_again_without,
)
from stratal.providers.provider import Completion, StreamItem, TextDelta
from stratal_memory.records import Message, Role, ToolCall

LOOK = ToolCall(id="1", name="look", arguments="{}")
SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
OPAQUE = packed("anthropic", "m", [{"own": SIGNED}, {"text": 3}, {"own": SIGNED}, {"call": "1"}])
ANSWER = Message(role=Role.ASSISTANT, text="Yes", tool_calls=(LOOK,), opaque=OPAQUE)


def told(
    text: str = "Yes", opaque: str = OPAQUE, calls: tuple[ToolCall, ...] = (LOOK,)
) -> list[Part]:
    message = Message(role=Role.ASSISTANT, text=text, tool_calls=calls, opaque=opaque)
    return parts(message, provider="anthropic", model="m", own=True)


PLAIN: list[Part] = [Spoken(text="Yes"), LOOK]


def test_own_blocks_stand_where_they_stood() -> None:
    own = Own(block={"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})

    assert told() == [own, Spoken(text="Yes"), own, LOOK]


def test_nothing_of_its_own_is_kept_as_nothing() -> None:
    assert packed("anthropic", "m", [{"text": 3}, {"call": "1"}]) == ""


def test_a_phase_alone_is_worth_keeping() -> None:
    opaque = packed("anthropic", "m", [{"text": 3, "phase": "commentary"}, {"call": "1"}])

    assert told(opaque=opaque) == [Spoken(text="Yes", phase="commentary"), LOOK]


@pytest.mark.parametrize(
    "opaque",
    [
        "",
        "{",
        "null",
        "[]",
        "{}",
        OPAQUE[:-1],
        OPAQUE.replace('"m"', '"another"'),
        OPAQUE.replace("anthropic", "openai"),
        OPAQUE.replace('"text": 3', '"text": -3'),
        OPAQUE.replace('"text": 3', '"text": 99'),
        OPAQUE.replace('"text": 3', '"text": "3"'),
        OPAQUE.replace('"text": 3', '"test": 3'),
        OPAQUE.replace('"call": "1"', '"call": "2"'),
        OPAQUE.replace("Hm.", "\\ud800"),
        '{"provider": "anthropic", "model": "m", "blocks": ' + "[" * 5_000 + "]" * 5_000 + "}",
    ],
)
def test_what_is_malformed_or_of_somebody_else_is_ignored(opaque: str) -> None:
    assert told(opaque=opaque) == PLAIN


def test_a_message_that_was_changed_since_loses_its_own_blocks() -> None:
    assert told(text="Yes, shortened") == [Spoken(text="Yes, shortened"), LOOK]
    assert told(calls=()) == [Spoken(text="Yes")]


def test_no_own_block_comes_last() -> None:
    opaque = packed("anthropic", "m", [{"own": SIGNED}, {"text": 3}, {"own": SIGNED}])

    assert told(opaque=opaque, calls=())[-1] == Spoken(text="Yes")
    alone = packed("anthropic", "m", [{"own": SIGNED}])
    assert told(text="", opaque=alone, calls=()) == []


def test_the_current_turn_begins_at_the_last_user_message() -> None:
    roles = [Role.USER, Role.ASSISTANT, Role.CONTEXT, Role.USER, Role.ASSISTANT, Role.TOOL]
    messages = tuple(Message(role=role, text="a") for role in roles)

    assert current_turn(Request(model="m", system=(), messages=messages)) == 3
    assert current_turn(Request(model="m", system=(), messages=())) == -1


REQUEST = Request(model="m", system=(), messages=(ANSWER,))
STALE = "messages.0.content.0: Invalid `signature` in `thinking` block."


def refusing(message: str, *, after: str = "") -> tuple[list[Request], Iterator[StreamItem]]:
    """A provider that refuses own blocks with `message`, and what it is sent."""
    seen: list[Request] = []

    def send(request: Request) -> Iterator[StreamItem]:
        seen.append(request)
        if after:
            yield TextDelta(text=after)
        if any(one.opaque for one in request.messages):
            raise ProviderRejected(message, status=400)
        yield Completion(text="Fine.")

    return seen, sent_again_without(send, REQUEST)


@pytest.mark.parametrize(
    "message",
    [
        STALE,
        "`thinking` or `redacted_thinking` blocks in the latest message cannot be modified",
        "The encrypted content gAAA...c90= could not be verified.",
        "invalid_encrypted_content",
    ],
)
def test_refused_blocks_are_left_out_once_and_that_is_said(message: str) -> None:
    seen, items = refusing(message)

    (completion,) = items

    assert [bool(request.messages[0].opaque) for request in seen] == [True, False]
    assert isinstance(completion, Completion)
    assert completion.warnings != ()


@pytest.mark.parametrize(("message", "after"), [("Bad tool name", ""), (STALE, "Once upon")])
def test_any_other_refusal_and_one_inside_an_answer_is_raised(message: str, after: str) -> None:
    seen, items = refusing(message, after=after)

    with pytest.raises(ProviderRejected):
        list(items)
    assert len(seen) == 1


calls = st.lists(st.integers(0, 99).map(str), unique=True, max_size=3)


@given(texts=st.lists(st.text(max_size=5), max_size=4), ids=calls, own=st.booleans())
def test_text_and_calls_come_back_whole_whatever_was_kept(
    texts: list[str], ids: list[str], own: bool
) -> None:
    made = tuple(ToolCall(id=id, name="look", arguments="{}") for id in ids)
    entries: list[dict[str, object]] = [{"own": SIGNED}]
    for text in texts:
        entries.extend(({"text": len(text)}, {"own": SIGNED}))
    entries.extend({"call": id} for id in ids)
    message = Message(
        role=Role.ASSISTANT,
        text="".join(texts),
        tool_calls=made,
        opaque=packed("p", "m", entries),
    )

    told = parts(message, provider="p", model="m", own=own)

    said = "".join(part.text for part in told if isinstance(part, Spoken))
    assert [c for c in said if not c.isspace()] == [c for c in message.text if not c.isspace()]
    assert [part for part in told if isinstance(part, ToolCall)] == list(made)
    assert all(part.block == SIGNED for part in told if isinstance(part, Own))
    assert own or not any(isinstance(part, Own) for part in told)
    assert not told or not isinstance(told[-1], Own)


@given(opaque=st.text() | st.recursive(st.none() | st.integers(), st.lists).map(json.dumps))
def test_any_opaque_text_at_all_is_harmless(opaque: str) -> None:
    assert told(opaque=opaque) == PLAIN
