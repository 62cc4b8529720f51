"""Copies of whole tool results as files below the data directory, for people and their tools."""

from pathlib import Path

from stratal.context.compression.results import spills
from stratal.conversation import Conversation
from stratal.errors import StorageError
from stratal_memory.erase.files import COPIED, folder_of
from stratal_memory.truth import messages, summaries


def spill(desk: Conversation, *, aged: int) -> None:
    """Copy whole results that are shown aged to where their note says (C4, C24).

    Below the data directory, in a folder of the user's; what lies there already stays. Raises
    `StorageError`.
    """
    rules = desk.rules.results
    if not rules.spill or not aged:
        return
    home = desk.store.database.folder / COPIED / folder_of(desk.store.user)
    with desk.store.read() as connection:
        cut = summaries.current_cut(connection, desk.session.id)
        turns = tuple(messages.newest_turns(connection, desk.session.id, after=cut.after))
    for turn in turns:
        for path, text in spills(turn, rules, aged=aged):
            write_once(home / path, text)


def write_once(file: Path, text: str) -> None:
    """The text in `file`, whole or not at all, for its owner alone; what lies there stays.

    Raises `StorageError` where it can't be written.
    """
    if file.exists():
        return
    unfinished = file.with_name(f".{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished.touch(mode=0o600)
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        raise StorageError(
            f"a tool result could not be saved to {file}: {error.strerror}",
            hint="Free some space or let the folder be written to; the result itself is kept.",
        ) from error
