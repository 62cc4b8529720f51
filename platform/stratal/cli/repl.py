"""The loop of a conversation: read, answer, and go on after whatever went wrong."""

from stratal.cli.approving import asking
from stratal.cli.lines import Reader
from stratal.cli.slash import run_slash
from stratal.cli.talk import Talk, where
from stratal.errors import StratalError

# What people type to leave; nobody means it as a message.
LEAVING = ("quit", "exit", "bye", ":q")


def converse(talk: Talk, reader: Reader) -> int:
    """The exit code once the person leaves: 1 when a piped line failed, else 0."""
    try:
        return _conversed(talk, reader)
    finally:
        talk.close()


def _conversed(talk: Talk, reader: Reader) -> int:
    if reader.interactive:
        talk.use_approval(asking(talk.terminal, reader))
    if talk.agent.current_session() is None:
        talk.agent.start_session()  # a second window that says "new" must not join the first
    talk.terminal.note(where(talk.agent))
    failed = False
    while not talk.leaving:
        try:
            line = reader.read(f"{talk.agent.store.user} › ")
        except EOFError:
            break
        except KeyboardInterrupt:
            if not reader.interactive:
                raise
            continue
        failed = not _answered(talk, line, reader) or failed
    return int(failed and not reader.interactive)


def _answered(talk: Talk, line: str, reader: Reader) -> bool:
    """Whether a line could be answered; an error is shown and the conversation goes on."""
    if not line.strip():
        return True
    try:
        if line.strip().casefold() in LEAVING:
            line = "/quit"
        if line.lstrip().startswith("/"):
            run_slash(talk, line.strip())
        else:
            talk.say(line)
    except StratalError as error:
        talk.terminal.complain(str(error), error.hint)
        return False
    except KeyboardInterrupt:
        if not reader.interactive:
            raise
        talk.terminal.said()
        talk.terminal.note("cancelled; what you said is kept")
    return True
