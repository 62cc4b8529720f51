"""The Markdown of the layers, read from the package and from an agent's own folders."""

import difflib
import errno
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from stratal.errors import ConfigError
from stratal.prompt.modes import files_of
from stratal.prompt.sections import Mode

MAX_BYTES = 64 * 1024  # of one file; about 16,000 tokens, sent with every message
TOOLS_PLACEHOLDER = "{tools_description}"  # Z7
# Every file a mode may be built of, without .md.
NAMES = tuple(dict.fromkeys(name for mode in Mode for name in files_of(mode).values()))


def prompt_folder(data: Path, agent: str) -> Path:
    """Where the files of that agent lie: `DATA/agents/AGENT/prompt`; it need not exist.

    An id may hold what a folder's name may not, so that is percent-encoded: `a/b` lies in `a%2Fb`.
    """
    safe = "".join(
        character if character.isalnum() or character in "-_. @+" else quote(character, safe="")
        for character in agent
    )
    return data / "agents" / (f"%2E{safe[1:]}" if safe.startswith(".") else safe) / "prompt"


def read_overrides(folders: Sequence[Path]) -> Mapping[str, str]:
    """The texts that replace packaged ones, by file name without `.md`; the first folder wins.

    A folder that does not exist replaces nothing; other files than `.md` and hidden ones are left
    alone. Raises `ConfigError` naming the file: a name no mode uses, not UTF-8, over 64 KiB, not
    a file, unreadable, a link out of its folder, a TOOLS.md without `{tools_description}`.
    """
    found: dict[str, str] = {}
    for folder in folders:
        for file in _markdown(folder):
            name = _known(file)
            if name not in found:
                found[name] = _override(file)
    return MappingProxyType(found)


@cache
def packaged(name: str) -> str:
    """The text of a layer of the package without outer blanks; always with LF line ends."""
    file = files("stratal.prompt").joinpath("layers", f"{name}.md")
    return _plain(file.read_text(encoding="utf-8"))


def _markdown(folder: Path) -> list[Path]:
    """The Markdown files of `folder` by name, so that the first complaint is always the same."""
    try:
        entries = sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # an id of 200 letters: no such folder can exist
            return []
        raise ConfigError(
            f"the prompt folder {folder} can't be read: {error.strerror}",
            hint="Make it a folder that you may read, or remove it.",
        ) from error
    shown = (file for file in entries if not file.name.startswith("."))
    return [file for file in shown if file.suffix.lower() == ".md"]


def _known(file: Path) -> str:
    if file.suffix == ".md" and file.stem in NAMES:
        return file.stem
    close = _closest(file.stem)
    hint = f"Did you mean {close}.md?" if close else f"Known are {'.md, '.join(NAMES)}.md."
    raise _wrong(file, "no layer has that name", hint=hint)


def _closest(stem: str) -> str:
    """The known name most like `stem` but for its case; empty when none is."""
    lower = {name.lower(): name for name in NAMES}
    close = difflib.get_close_matches(stem.lower(), lower, n=1, cutoff=0.6)
    return lower[close[0]] if close else ""


def _override(file: Path) -> str:
    text = _text(_bytes(file), file)
    if file.stem == "TOOLS" and TOOLS_PLACEHOLDER not in text:
        raise _wrong(
            file,
            f"it lacks {TOOLS_PLACEHOLDER}",
            hint=f"Write {TOOLS_PLACEHOLDER} where the tools shall be listed.",
        )
    return text


def _bytes(file: Path) -> bytes:
    try:
        if not file.is_file():  # nothing else is opened: a pipe would wait forever
            raise _wrong(file, "it is not a file", hint=f"Write a text file {file.name}.")
        target = file.resolve()
        if not target.is_relative_to(file.parent.resolve()):
            raise _wrong(
                file,
                "it is a link to a file outside its folder",
                hint="Copy that file to its place; a prompt is read from its own folder only.",
            )
        with target.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise _wrong(
            file, f"it can't be read: {error.strerror}", hint="Check that it may be read by you."
        ) from error
    if len(content) > MAX_BYTES:
        raise _wrong(
            file,
            f"it is over {MAX_BYTES // 1024} KiB",
            hint="It is sent with every message: keep what always holds, put the rest in a skill.",
        )
    return content


def _text(content: bytes, file: Path) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _wrong(
            file, f"it is not UTF-8 (byte {error.start})", hint="Save it as UTF-8."
        ) from error
    if "\0" in text:
        raise _wrong(file, "it holds NUL characters", hint="Save it as plain UTF-8 text.")
    return _plain(text)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _wrong(file: Path, problem: str, *, hint: str) -> ConfigError:
    """The file's name may be anything the file system took, so what can't be printed is escaped."""
    shown = str(file).encode("utf-8", "backslashreplace").decode("utf-8")
    return ConfigError(f"the prompt file {shown} can't be used: {problem}", hint=hint)
