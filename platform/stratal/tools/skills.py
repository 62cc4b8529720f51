"""The tools that show a skill whole, and the files that lie beside it (Zs6)."""

from typing import Annotated

from pydantic import Field

from stratal.errors import InputError
from stratal.tools.memory import Reading
from stratal.tools.tool import Tool, tool
from stratal_procedures.disclosure import FILE_READER, READER, activated
from stratal_procedures.library import Found, Library
from stratal_procedures.resources import read_text

PIECE = 12_000  # characters of a file at a time; about 3,000 tokens
FOOTER = 100  # characters that say which piece it is

Name = Annotated[str, Field(description="The name of the skill, as it is listed.")]


def skill_tools(
    library: Library, *, reading: Reading, shown: int | None = None
) -> tuple[Tool, ...]:
    """`load_skill`, and `read_skill_file` where a skill has files to read.

    What they show lowers the trust of `reading` to that of the skill: one that a person approved,
    or put into their own folder, speaks as that person. `shown` is how many characters of a result
    the model sees at most; a piece of a file is never longer.
    """
    found = [_loading(library, reading)]
    if any(one.files.files for one in library.usable):
        most = PIECE if shown is None else max(1, min(PIECE, shown - FOOTER))
        found.append(_reading_files(library, reading, most))
    return tuple(found)


def _loading(library: Library, reading: Reading) -> Tool:
    def load_skill(name: Name) -> str:
        """Show the whole of a skill: the steps to follow for a task that fits its description."""
        found = _usable(library, name)
        text = activated(found.skill, found.files)
        reading.note(found.trust)
        return text

    assert load_skill.__name__ == READER
    return tool(load_skill, writes=False, timeout=None)


def _reading_files(library: Library, reading: Reading, most: int) -> Tool:
    def read_skill_file(
        name: Name,
        path: Annotated[
            str, Field(description="A file below the skill's folder, as references/guide.md.")
        ],
        start: Annotated[int, Field(ge=0, description="The character to begin at.")] = 0,
    ) -> str:
        """Show a file of a skill from the character `start` on: what its steps refer to."""
        found = _usable(library, name)
        text = read_text(found, path)
        reading.note(found.trust)
        return _piece(text, start, most)

    assert read_skill_file.__name__ == FILE_READER
    return tool(read_skill_file, writes=False, timeout=None)


def _usable(library: Library, name: str) -> Found:
    """The skill of that name, if the model may use it; `NotFound` or `InputError` say why not."""
    found = library.named(name.strip())
    if not found.skill.enabled:
        raise InputError(
            f"the skill {found.skill.name!r} is switched off", hint="Go on without it."
        )
    if not found.skill.automatic:
        raise InputError(
            f"the skill {found.skill.name!r} is only for a person to start",
            hint="Go on without it, and say that there is such a skill.",
        )
    return found


def _piece(text: str, start: int, most: int) -> str:
    """What there is of `text` from `start` on, and where the next piece begins."""
    if not text:
        return "[the file is empty]"
    if start >= len(text):
        return f"[the file ends at character {len(text):,}]"
    end = min(len(text), start + most)
    if start == 0 and end == len(text):
        return text
    rest = f"; go on with start={end}" if end < len(text) else ", the end"
    return f"{text[start:end]}\n[characters {start:,} to {end:,} of {len(text):,}{rest}]"
