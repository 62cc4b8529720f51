"""Asking the person at the terminal whether a call may run: what is shown is what runs."""

from stratal.cli.lines import Reader
from stratal.cli.terminal import Terminal, cell
from stratal.tools.approval import Approve, PendingCall

YES = ("y", "yes")
QUESTION = "Run it? [y/N] "


def asking(terminal: Terminal, reader: Reader) -> Approve:
    """Asks with every byte of the call in sight; anything but a yes is a no."""

    def approve(pending: PendingCall) -> bool:
        terminal.said()
        for line in shown(pending):
            terminal.print(cell(line))
        try:
            answer = reader.read(QUESTION)
        except EOFError:
            return False
        return answer.strip().casefold() in YES

    return approve


def shown(pending: PendingCall) -> list[str]:
    """The lines that say what would run; nothing of it is left out."""
    return [
        f"Text that nobody vouches for ({pending.trust}) was read in this conversation, and the "
        "model wants to act. If you did not ask for this, say no.",
        f"tool: {visible(pending.call.name)}",
        f"arguments: {visible(pending.call.arguments)}",
        f"sha256: {pending.digest[:16]}",
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
