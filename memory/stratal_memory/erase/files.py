"""Files of a user beside the database: what they typed, what was copied out, what was logged."""

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from stratal_memory.erase.residue import BLOCK
from stratal_memory.erase.target import Target, What
from stratal_memory.erase.traces import Traces
from stratal_memory.text import content_hash

# Where the platform keeps them; its tests hold it to these names.
TYPED, COPIED, LOGGED, WORKSPACES = "history", "users", "logs", "workspaces"
HOMES, AGENTS, SKILLS = "homes", "agents", "skills"
LOCAL = "me"  # whose memory it is when none is named: who works alone needs no home
LONGEST_NAME = 200  # bytes of a folder's name; file systems take 255


def clean(folder: Path, target: Target, erased: Callable[[], Traces]) -> tuple[str, ...]:
    """The files removed, below `folder`.

    All of a user's when the user goes; else each that holds some of what is `erased`. Logs carry
    ids, not texts; one that holds a text or names an erased user goes whole.
    """
    user = target.principal.user
    typed = folder / TYPED / typed_name(user)
    folders = _folders(folder, user)
    wanted = [typed] if typed.is_file() else []
    wanted += [path for one in folders for path in one.rglob("*") if path.is_file()]
    logged = [path for path in (folder / LOGGED).glob("*") if path.is_file()]
    if not wanted and not logged:
        return ()
    traces = erased()
    if target.what is What.USER:
        gone = wanted + [path for path in logged if _names(path, user) or _holds(path, traces)]
    else:
        gone = [path for path in wanted + logged if _holds(path, traces)]
    for path in gone:
        path.unlink()
    if target.what is What.USER:
        for one in folders:
            shutil.rmtree(one, ignore_errors=True)
    return tuple(path.relative_to(folder).as_posix() for path in gone)


def _holds(path: Path, traces: Traces) -> bool:
    tail = b""
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            if any(traces.find(tail + block)):
                return True
            tail = block[-4_096:]
    return False


def _names(path: Path, user: str) -> bool:
    word = re.compile(rf"(?<!\w){re.escape(user)}(?!\w)")
    return bool(word.search(path.read_text(encoding="utf-8", errors="replace")))


def are_there(folder: Path, user: str) -> bool:
    """Whether a user has files of their own here."""
    return any(
        path.exists() for path in (folder / TYPED / typed_name(user), *_folders(folder, user))
    )


def _folders(folder: Path, user: str) -> tuple[Path, ...]:
    """Where copies for a user lie, the files of their workspace, and their skills.

    A link that stands for one of them leads to what is no part of this place.
    """
    home = home_of(folder, user)
    put_there = (home / SKILLS, *home.glob(f"{AGENTS}/*/{SKILLS}")) if user == LOCAL else (home,)
    every = (folder / COPIED / folder_of(user), folder / WORKSPACES / workspace_name(user))
    return tuple(path for path in (*every, *put_there) if not path.is_symlink())


def home_of(folder: Path, user: str) -> Path:
    """Below which folder a user's skills lie, in `skills` and `agents/AGENT/skills`.

    The name is a hash: two users whose names differ in case alone never share one. The user
    `me`, who is meant when none is named, has them in the data directory itself.
    """
    return folder if user == LOCAL else folder / HOMES / typed_name(user)


def typed_name(user: str) -> str:
    """The name of the file with the lines a user typed."""
    return hashlib.sha256(user.encode()).hexdigest()[:32]


def workspace_name(user: str) -> str:
    """The name of the folder with the files an agent works on for a user."""
    return typed_name(user)


def folder_of(user: str) -> str:
    """The name of the folder with a user's tool results; no two users' the same.

    >>> folder_of("anna@example.com"), folder_of("a/../b")
    ('anna@example.com', 'a%2F..%2Fb')
    """
    name = quote(user, safe="@")
    if len(name) <= LONGEST_NAME:
        return name
    end = f"%-{content_hash(user)}"  # no quoted name holds the first two signs
    return name[: LONGEST_NAME - len(end)] + end
