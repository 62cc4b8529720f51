"""Skills put into a folder of skills, and taken out of it, byte for byte."""

import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stratal_memory.errors import InputError
from stratal_memory.records import new_id
from stratal_procedures.bundle import Bundle, Entry, Item, read_bundle, read_entry
from stratal_procedures.errors import SkillError
from stratal_procedures.folders import folders_below
from stratal_procedures.library import Library, SkillFolder
from stratal_procedures.skill import FILE_NAME, Skill, load

_UNSAFE = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A skill that lies in the folder now, and the digest of all its bytes."""

    skill: Skill
    bundle: Bundle
    replaced: bool


def sources(path: Path) -> list[Path]:
    """The skills that `path` names: its folder, the folders below it, or one file.

    Raises `InputError` when there are none.
    """
    if path.is_file():
        return [path]
    if not path.exists():
        raise InputError(f"there is no file or folder {path}", hint="Check the path.")
    problems: list[SkillError] = []
    found = list(folders_below(path, problems))
    if not found:
        why = f": {problems[0]}" if problems else ""
        raise InputError(
            f"no {FILE_NAME} lies in {path} or below it{why}",
            hint=f"A skill is a folder that holds a {FILE_NAME}.",
        )
    return found


def add_skill(source: Path, into: Path, *, replace: bool) -> Added:
    """The skill of a folder, or of one file alone, in the folder of skills `into`.

    It is validated first and written beside its place, so that a failure leaves what was there.
    Raises `SkillError`, and `InputError` when a skill of that name is there and `replace` is off.
    """
    if source.resolve().is_relative_to(into.resolve()):
        raise InputError(f"{source} lies in {into} already", hint="There is nothing to add.")
    bundle = None if source.is_file() else read_bundle(source)
    skill = load(source) if bundle is None else bundle.skill()
    target, taken = _target(skill, into)
    if taken and not replace:
        raise InputError(
            f"there is a skill {skill.name!r} already: {target}",
            hint="Put yours in its place with --replace, or give it another name.",
        )
    made = into / f".{new_id('add')}"
    try:
        into.mkdir(parents=True, exist_ok=True)
        written = _copy(source, made) if bundle is None else _write(bundle, made)
        _put(made, target)
    except OSError as error:
        raise InputError(f"{target} can't be written: {error.strerror}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return Added(
        skill=load(target),
        bundle=Bundle(folder=target, entries=written.entries, main=written.main),
        replaced=taken,
    )


def export_skill(bundle: Bundle, into: Path) -> Path:
    """Where a copy of the skill lies now: a folder of its name in `into`.

    Raises `InputError` when there is one, `SkillError` when a file was changed meanwhile.
    """
    with _new_folder(into, bundle.skill().name) as (made, target):
        _write(bundle, made)
        made.rename(target)
    return target


def export_text(text: str, into: Path, *, name: str) -> Path:
    """The same for a skill that lies in no folder."""
    with _new_folder(into, name) as (made, target):
        made.mkdir()
        (made / FILE_NAME).write_bytes(text.encode("utf-8", "surrogatepass"))
        made.rename(target)
    return target


@contextmanager
def _new_folder(into: Path, name: str) -> Generator[tuple[Path, Path]]:
    """A place to write to, and where it goes when it is whole; nothing is left of a failure."""
    target = into / folder_name(name)
    if target.exists():
        raise InputError(f"{target} is there already", hint="Name another folder.")
    made = into / f".{new_id('exp')}"
    try:
        into.mkdir(parents=True, exist_ok=True)
        yield made, target
    except OSError as error:
        raise InputError(f"{target} can't be written: {error.strerror}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def folder_name(name: str) -> str:
    """What the folder of a skill is called: its name without what a path can't hold.

    >>> folder_name("close-the-month"), folder_name("A/B test"), folder_name("..")
    ('close-the-month', 'A-B-test', 'skill')
    """
    return _UNSAFE.sub("-", name).strip("-.") or "skill"


def _target(skill: Skill, into: Path) -> tuple[Path, bool]:
    """Where the skill goes, and whether another lies there or has its name."""
    for found in Library([SkillFolder(origin="user", path=into)]).found:
        if found.skill.name.casefold() == skill.name.casefold():
            return found.skill.folder, True
    target = into / folder_name(skill.name)
    return target, target.exists()


def _copy(file: Path, made: Path) -> Bundle:
    made.mkdir()
    (made / FILE_NAME).write_bytes(file.read_bytes())
    return read_bundle(made)


def _write(bundle: Bundle, made: Path) -> Bundle:
    """The files of `bundle` below `made`; each has the bytes it had when it was looked at."""
    root = bundle.folder.resolve()
    for entry in bundle.entries:
        target = made / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.item is Item.LINK:
            _copy_link(bundle.folder / entry.path, target, root)
        elif entry.item is Item.FILE:
            target.write_bytes(read_entry(bundle.folder, entry))
            shutil.copymode(bundle.folder / entry.path, target)
        else:
            raise _unfit(bundle.folder / entry.path, "it is no file: a pipe, a socket or a device")
    written = read_bundle(made)
    if written.digest != bundle.digest:
        raise _unfit(bundle.folder, f"{_changed(bundle, written)} changed while it was copied")
    return written


def _copy_link(link: Path, target: Path, root: Path) -> None:
    if not link.resolve().is_relative_to(root) or link.readlink().is_absolute():
        raise _unfit(link, "it is a link out of the skill's folder")
    target.symlink_to(link.readlink())


def _changed(before: Bundle, after: Bundle) -> str:
    """The first path that is not the same in both."""
    different: Iterator[Entry] = (one for one in before.entries if one not in after.entries)
    return next((entry.path for entry in different), "something")


def _put(made: Path, target: Path) -> None:
    """Give the finished folder its place; what was there goes only when it has it."""
    if not target.exists():
        made.rename(target)
        return
    aside = target.with_name(f".{new_id('old')}")
    target.rename(aside)
    try:
        made.rename(target)
    except OSError:
        aside.rename(target)
        raise
    if aside.is_symlink() or not aside.is_dir():
        aside.unlink()
    else:
        shutil.rmtree(aside)


def _unfit(path: Path, problem: str) -> SkillError:
    hint = "Copy what the skill needs into its folder."
    return SkillError(problem, file=path, field="file", hint=hint)
