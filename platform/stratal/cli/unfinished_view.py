"""What is said of a message that was left without an answer."""

from collections.abc import Iterator, Sequence

from stratal.cli.calls_view import given, in_short, not_shown, visible
from stratal.cli.terminal import brief
from stratal.sessions import Unfinished
from stratal_memory.records import ToolCall

MOST = 8  # calls of one kind that get a line
GO_ON = "/continue goes on with it, and does nothing again that may have had an effect."


def unfinished_lines(left: Unfinished) -> Iterator[str]:
    """The message, what was done for it, what nobody knows, and how to go on."""
    yield f"{_quoted(left)} was left without an answer."
    yield from _calls("done", left.done)
    yield from _calls("failed", left.failed)
    yield from unknown_lines(left)
    yield GO_ON


def unknown_lines(left: Unfinished) -> Iterator[str]:
    """The calls that may have had their effect."""
    yield from _calls("outcome unknown", left.unknown)


def unfinished_line(left: Unfinished, session: str) -> str:
    """The same in one line, for somebody who is not in the conversation."""
    names = ", ".join(dict.fromkeys(visible(call.name) for call in left.unknown))
    unknown = f" (outcome unknown: {brief(names)})" if names else ""
    return (
        f"{_quoted(left)} was left without an answer{unknown}. "
        f"To go on with it: stratal chat --session {session}, then /continue."
    )


def _quoted(left: Unfinished) -> str:
    return f"“{brief(left.text, longest=60)}”"


def _calls(kind: str, calls: Sequence[ToolCall]) -> Iterator[str]:
    for call in calls[:MOST]:
        yield f"  {kind}: {brief(f'{visible(call.name)}: {in_short(given(call.arguments))}')}"
    for more in not_shown(calls, MOST):
        yield f"  {kind}: {more}"
