"""Asking the person at the terminal whether a call may run: what is shown is what runs."""

import hashlib
import json
from collections.abc import Sequence

from stratal.cli.lines import Reader
from stratal.cli.terminal import Terminal, cell
from stratal.errors import InputError
from stratal.tools.approval import Approve, PendingCall
from stratal.tools.tool import arguments_of

YES = ("y", "yes")
QUESTION = "Run it? [y/N] "
HEAD, TAIL = 160, 80  # characters of a long value that are shown
MOST = 20  # arguments that get a line, so that they fit on a screen
SHORT, FEW = 60, 8  # characters of an argument, and how many, that stand above the question


def asking(terminal: Terminal, reader: Reader) -> Approve:
    """Asks with the call in sight; anything but a yes is a no."""

    def approve(pending: PendingCall) -> bool:
        terminal.said()
        for line in shown(pending):
            terminal.print(cell(line))
        try:
            answer = reader.ask(QUESTION)
        except EOFError:
            return False
        return answer.strip().casefold() in YES

    return approve


def shown(pending: PendingCall) -> list[str]:
    """The lines that say what would run, the last of them in short.

    Each argument has a line of its own. What is cut says how long it is, and its hash.
    """
    given = _given(pending.call.arguments)
    return [
        f"Text that nobody vouches for ({pending.trust}) was read in this conversation, and the "
        "model wants to act. If you did not ask for this, say no.",
        f"tool: {visible(pending.call.name)}",
        *(f"  {_cut(name)}: {_cut(value)}" for name, value in given[:MOST]),
        *_more(given, MOST),
        f"sha256: {pending.digest[:16]}",
        _in_short(pending.call.name, given),
    ]


def visible(text: str) -> str:
    r"""`text` on one line, each character that does not print written as its escape.

    In the JSON of arguments the escape means the same.

    >>> visible("to\nbob\u202e")
    'to\\nbob\\u202e'
    """
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text
    )


def _given(arguments: str) -> list[tuple[str, str]]:
    """Names and values as the tool will get them, the values as JSON; what is none as it is."""
    try:
        given = arguments_of(arguments)
    except InputError:
        return [("arguments", arguments)]
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in given.items()]


def _cut(text: str) -> str:
    """`text`, or its two ends with what the whole is."""
    if len(text) <= HEAD + TAIL:
        return visible(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    whole = f"[cut: {len(text):,} characters, sha256 {digest}]"
    return f"{visible(text[:HEAD])} … {whole} … {visible(text[-TAIL:])}"


def _more(given: Sequence[tuple[str, str]], most: int) -> list[str]:
    left = len(given) - most
    return [f"  and {left:,} more that are not shown"] if left > 0 else []


def _in_short(name: str, given: Sequence[tuple[str, str]]) -> str:
    """The name and the short arguments: what is still in sight when all else scrolled away."""
    parts = [f"{_brief(name)}={_brief(value)}" for name, value in given[:FEW]]
    more = [one.strip() for one in _more(given, FEW)]
    return f"{visible(name)}: {', '.join([*parts, *more]) or 'no arguments'}"


def _brief(text: str) -> str:
    return visible(text) if len(text) <= SHORT else f"({len(text):,} characters)"
