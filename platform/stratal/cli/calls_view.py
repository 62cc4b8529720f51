"""A tool call on a line, and when it begins and ends beside an answer."""

import json
from collections.abc import Callable, Sequence
from time import monotonic

from stratal.cli.terminal import Terminal, brief
from stratal.errors import InputError
from stratal.reply import ToolRan, ToolStarted
from stratal.tools.tool import arguments_of

SHORT, FEW = 60, 8  # characters of an argument, and how many, that stand on the line


class ToolLines:
    """A line when a call begins and one when its result is there, beside the answer."""

    def __init__(self, terminal: Terminal, clock: Callable[[], float] = monotonic) -> None:
        """`clock` gives seconds."""
        self._terminal = terminal
        self._clock = clock
        self._begun: dict[str, float] = {}

    def started(self, call: ToolStarted) -> None:
        """What runs now."""
        self._begun[call.id] = self._clock()
        self._head(call)

    def ran(self, call: ToolRan) -> None:
        """How it ended and after how many seconds, the wait for those called before it included.

        What never ran has its line now: it was refused, or a crash cut it off.
        """
        begun = self._begun.pop(call.id, None)
        if begun is None:
            self._head(call)
        ended = "failed" if call.failed else "ok"
        after = "" if begun is None else f", {self._clock() - begun:.1f} s"
        why = f": {call.result}" if call.failed else ""
        self._note(call.name, f"{ended}{after}{why}")

    def _head(self, call: ToolStarted | ToolRan) -> None:
        self._note(call.name, in_short(given(call.arguments)))

    def _note(self, name: str, text: str) -> None:
        self._terminal.said()
        self._terminal.note(brief(f"[{visible(name)}] {visible(text)}"))


def given(arguments: str) -> list[tuple[str, str]]:
    """Names and values as the tool will get them, the values as JSON; what is none as it is."""
    try:
        named = arguments_of(arguments)
    except InputError:
        return [("arguments", arguments)]
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in named.items()]


def in_short(named: Sequence[tuple[str, str]]) -> str:
    """The short ones of `named` arguments, and how long the others are.

    >>> in_short([("to", '"bob"'), ("text", "x" * 90_000)])
    'to="bob", text=(90,000 characters)'
    """
    parts = [f"{_brief(name)}={_brief(value)}" for name, value in named[:FEW]]
    return ", ".join([*parts, *not_shown(named, FEW)]) or "no arguments"


def not_shown(named: Sequence[object], most: int) -> list[str]:
    """A line for what is more than `most`; none when nothing is."""
    left = len(named) - most
    return [f"and {left:,} more that are not shown"] if left > 0 else []


def visible(text: str) -> str:
    r"""`text` on one line, each character that does not print written as its escape.

    In the JSON of arguments the escape means the same.

    >>> visible("to\nbob\u202e")
    'to\\nbob\\u202e'
    """
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text
    )


def _brief(text: str) -> str:
    return visible(text) if len(text) <= SHORT else f"({len(text):,} characters)"
