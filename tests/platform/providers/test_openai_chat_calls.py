"""Calls from the pieces that real servers send."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratal.providers.openai_chat_calls import CallPiece, PartialCalls
from stratal_memory.records import ToolCall


def made(*pieces: CallPiece, taken: tuple[str, ...] = ()) -> tuple[ToolCall, ...]:
    calls = PartialCalls()
    for piece in pieces:
        calls.add(piece)
    return calls.finished(taken)


def shown(*pieces: CallPiece) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in made(*pieces)]


A, B = ("look", '{"at": 1}'), ("find", '{"it": 2}')


def test_parallel_calls_are_told_apart_by_their_numbers() -> None:
    pieces = [
        CallPiece(index=0, id="call_a", name="look"),
        CallPiece(index=1, id="call_b", name="find"),
        CallPiece(index=0, arguments='{"at"'),
        CallPiece(index=1, arguments='{"it": '),
        CallPiece(index=0, arguments=": 1}"),
        CallPiece(index=1, arguments="2}"),
    ]

    assert made(*pieces) == (
        ToolCall(id="call_a", name=A[0], arguments=A[1]),
        ToolCall(id="call_b", name=B[0], arguments=B[1]),
    )


@pytest.mark.parametrize("index", [0, None])
@pytest.mark.parametrize(("one", "other"), [("call_a", "call_b"), ("", "")])
def test_whole_calls_under_one_number_or_none_stay_two(
    index: int | None, one: str, other: str
) -> None:
    pieces = (
        CallPiece(index=index, id=one, name=A[0], arguments=A[1]),
        CallPiece(index=index, id=other, name=B[0], arguments=B[1]),
    )

    assert shown(*pieces) == [A, B]


@pytest.mark.parametrize("index", [0, None])
def test_the_same_call_twice_is_two_calls_when_both_are_whole(index: int | None) -> None:
    piece = CallPiece(index=index, name=A[0], arguments=A[1])

    calls = made(piece, piece)

    assert [(call.name, call.arguments) for call in calls] == [A, A]
    assert calls[0].id != calls[1].id


@pytest.mark.parametrize("index", [0, None])
def test_a_name_repeated_with_every_piece_is_one_call(index: int | None) -> None:
    pieces = [
        CallPiece(index=index, id="call_a", name="look", arguments=part)
        for part in ('{"at"', ": ", "1}")
    ]
    nameless = [CallPiece(index=index, name="look", arguments=p) for p in ('{"at"', ": 1}", "")]

    assert shown(*pieces) == [A]
    assert shown(*nameless) == [A]


def test_an_id_made_up_anew_for_every_piece_is_one_call() -> None:
    pieces = [
        CallPiece(index=0, id="tool-1", name="look"),
        CallPiece(index=0, id="tool-2", arguments='{"at": '),
        CallPiece(index=0, id="tool-3", arguments="1}"),
    ]

    assert made(*pieces) == (ToolCall(id="tool-1", name=A[0], arguments=A[1]),)


def test_pieces_without_number_id_or_name_go_on_with_the_newest_call() -> None:
    pieces = [
        CallPiece(id="call_a", name=A[0], arguments=A[1]),
        CallPiece(id="call_b", name="find"),
        CallPiece(arguments='{"it": '),
        CallPiece(arguments="2}"),
    ]

    assert shown(*pieces) == [A, B]


def test_arguments_may_be_an_object() -> None:
    assert shown(CallPiece(index=0, name="look", whole={"at": 1})) == [A]
    assert shown(CallPiece(index=0, name="look", whole={})) == [("look", "{}")]


def test_arguments_that_never_came_are_an_empty_object() -> None:
    assert shown(CallPiece(index=0, name="look")) == [("look", "{}")]


@pytest.mark.parametrize("ids", [("", ""), ("call_0", "call_0"), ("call_0", "")])
def test_no_two_calls_of_a_conversation_share_an_id(ids: tuple[str, str]) -> None:
    pieces = [
        CallPiece(index=place, id=id, name="look", arguments="{}") for place, id in enumerate(ids)
    ]

    calls = made(*pieces, taken=("call_0",))

    assert len({"call_0", *(call.id for call in calls)}) == 3
    assert all(call.id for call in calls)


def test_an_id_that_is_new_is_kept() -> None:
    assert made(CallPiece(index=0, id="call_1", name="look"), taken=("call_0",))[0].id == "call_1"


@given(
    wanted=st.lists(st.dictionaries(st.text(max_size=5), st.integers(), max_size=3), max_size=4),
    numbered=st.booleans(),
    size=st.integers(1, 9),
)
def test_calls_cut_anywhere_come_out_as_they_went_in(
    wanted: list[dict[str, int]], numbered: bool, size: int
) -> None:
    pieces: list[CallPiece] = []
    for place, arguments in enumerate(wanted):
        index = place if numbered else None
        pieces.append(CallPiece(index=index, id=f"call_{place}", name="look"))
        text = json.dumps(arguments)
        pieces += [
            CallPiece(index=index, arguments=text[at : at + size])
            for at in range(0, len(text), size)
        ]

    calls = made(*pieces)

    assert [json.loads(call.arguments) for call in calls] == wanted
    assert [call.id for call in calls] == [f"call_{place}" for place in range(len(wanted))]
