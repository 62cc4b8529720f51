"""The tools for the files of the user's workspace: list, read, search, write and edit."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from stratal.errors import InputError
from stratal.tools.file_names import is_fit
from stratal.tools.invocation import Effect
from stratal.tools.memory import Reading
from stratal.tools.tool import Tool, tool
from stratal.tools.workspace import Workspace
from stratal_memory.records import Trust

PIECE = 12_000  # characters of a file at a time, about 3,000 tokens
FOOTER = 100  # characters that say which piece it is
LISTED = 200  # files of one list
FOUND = 50  # lines of one search
LINE = 200  # characters of a line that a search shows

File = Annotated[str, Field(description="As notes/plan.md.")]
Folder = Annotated[str, Field(description="Only below this folder.")]
Start = Annotated[int, Field(ge=0, description="The character to begin at.")]
Words = Annotated[str, Field(description="Found as they stand, in any case.")]
Once = Annotated[str, Field(description="What stands there exactly once.")]


def file_tools(
    workspace: Workspace, *, reading: Reading, shown: int | None = None
) -> tuple[Tool, ...]:
    """The five tools for `workspace`.

    A file is trusted as the least of what its writer had read, so what is shown of it lowers the
    trust of `reading` to that; one that was put there or changed by somebody else is read with the
    trust of a tool. `shown` is how many characters of a result the model sees at most.
    """
    most = PIECE if shown is None else max(1, min(PIECE, shown - FOOTER))
    return (
        _listing(workspace, reading),
        _reading_files(workspace, reading, most),
        _searching(workspace, reading),
        _writing(workspace, reading),
        _editing(workspace, reading),
    )


def _listing(workspace: Workspace, reading: Reading) -> Tool:
    def file_list(folder: Folder = "") -> str:
        """List the files of your workspace, with their sizes."""
        every = workspace.paths(folder)
        found = [(path, size) for path, size in every if is_fit(path)]
        reading.note(workspace.trust(path for path, _ in found[:LISTED]))
        lines = [f"{path} ({size:,} bytes)" for path, size in found[:LISTED]]
        if len(found) > LISTED:
            lines.append(f"[{len(found) - LISTED:,} more; name a folder]")
        if odd := len(every) - len(found):
            lines.append(f"[{odd:,} {'name' if odd == 1 else 'names'} that can't be opened here]")
        return "\n".join(lines) or "There are no files."

    return tool(file_list, writes=False, timeout=None)


def _reading_files(workspace: Workspace, reading: Reading, most: int) -> Tool:
    def file_read(path: File, start: Start = 0) -> str:
        """Show a text file of your workspace."""
        found = workspace.look(path)
        text = found.text
        if not text:
            return f"[{path} is empty]"
        reading.note(found.trust)
        if start >= len(text):
            return f"[{path} ends at character {len(text):,}]"
        end = min(len(text), start + most)
        if (start, end) == (0, len(text)):
            return text
        rest = f"go on with start={end}" if end < len(text) else "the end"
        return f"{text[start:end]}\n[characters {start:,} to {end:,} of {len(text):,}; {rest}]"

    return tool(file_read, writes=False, timeout=None)


def _searching(workspace: Workspace, reading: Reading) -> Tool:
    def file_search(words: Words, folder: Folder = "") -> str:
        """Find lines in the files of your workspace."""
        if not words.strip():
            raise InputError("there is nothing to look for", hint="Give some words.")
        lines: list[str] = []
        for line, trust in _lines_with(workspace, words.strip().casefold(), folder):
            if len(lines) == FOUND:
                lines.append("[more; ask for longer words]")
                break
            reading.note(trust)
            lines.append(line)
        return "\n".join(lines) or "No line holds that."

    return tool(file_search, writes=False, timeout=None)


def _lines_with(workspace: Workspace, words: str, folder: str) -> Iterator[tuple[str, Trust]]:
    for path, found in workspace.looks(folder):
        for number, line in enumerate(found.text.splitlines(), start=1):
            if words in line.casefold():
                yield f"{path}:{number}: {line.strip()[:LINE]}", found.trust


def _writing(workspace: Workspace, reading: Reading) -> Tool:
    def file_write(path: File, text: str) -> str:
        """Write a text file of your workspace, in the place of what it held."""
        size = workspace.write(path, text, trust=reading.trust)
        return f"{path} has {size:,} bytes now"

    return tool(file_write, writes=True, effect=Effect.LOCAL, timeout=None)


def _editing(workspace: Workspace, reading: Reading) -> Tool:
    def file_edit(path: File, old: Once, new: str) -> str:
        """Replace a piece of a text file of your workspace."""
        size = workspace.replace(path, old, new, trust=reading.trust)
        return f"{path} has {size:,} bytes now"

    return tool(file_edit, writes=True, effect=Effect.LOCAL, timeout=None)
