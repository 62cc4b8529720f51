"""The loop of a conversation: read, answer, and go on after whatever went wrong."""

from stratal.cli.approving import asking
from stratal.cli.lines import Reader
from stratal.cli.slash import run_slash
from stratal.cli.talk import Talk
from stratal.cli.unfinished_view import unknown_lines
from stratal.errors import ProviderError, StratalError

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
    talk.begin()
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
        talk.terminal.said()
        talk.terminal.complain(str(error), error.hint)
        if isinstance(error, ProviderError):
            talk.terminal.note("what you said is kept; /continue asks again")
        return False
    except KeyboardInterrupt:
        if not reader.interactive:
            raise
        _cancelled(talk)
    return True


def _cancelled(talk: Talk) -> None:
    """What was cancelled may have done something by then."""
    talk.terminal.said(keys=True)
    talk.terminal.note("cancelled; what you said is kept, and /continue goes on with it")
    left = talk.unfinished()
    for line in unknown_lines(left) if left else ():
        talk.terminal.note(line)
