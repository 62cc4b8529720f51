"""Asking the person at the terminal whether a call may run: what is shown is what runs."""

import hashlib

from stratal.cli.calls_view import given, in_short, not_shown, visible
from stratal.cli.lines import Reader
from stratal.cli.terminal import Terminal, cell
from stratal.tools.approval import Approve, PendingCall

YES = ("y", "yes")
QUESTION = "Run it? [y/N] "
HEAD, TAIL = 160, 80  # characters of a long value that are shown
MOST = 20  # arguments that get a line, so that they fit on a screen


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
    named = given(pending.call.arguments)
    return [
        f"Text that nobody vouches for ({pending.trust}) was read in this conversation, and the "
        "model wants to act. If you did not ask for this, say no.",
        f"tool: {visible(pending.call.name)}",
        *(f"  {_cut(name)}: {_cut(value)}" for name, value in named[:MOST]),
        *(f"  {line}" for line in not_shown(named, MOST)),
        f"sha256: {pending.digest[:16]}",
        # What is still in sight when all else scrolled away.
        f"{visible(pending.call.name)}: {in_short(named)}",
    ]


def _cut(text: str) -> str:
    """`text`, or its two ends with what the whole is."""
    if len(text) <= HEAD + TAIL:
        return visible(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    whole = f"[cut: {len(text):,} characters, sha256 {digest}]"
    return f"{visible(text[:HEAD])} … {whole} … {visible(text[-TAIL:])}"
