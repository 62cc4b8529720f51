"""Skill folders for tests."""

from pathlib import Path

from stratal_procedures.bundle import Bundle, read_bundle


def skill_folder(root: Path, name: str = "bake", *, text: str = "Do it.", more: str = "") -> Path:
    """A folder with a `SKILL.md`; `more` are lines of its frontmatter."""
    folder = root / name
    folder.mkdir(parents=True)
    head = f"---\nname: {name}\ndescription: How to {name}.\n{more}\n---\n"
    (folder / "SKILL.md").write_text(head + text, encoding="utf-8")
    return folder


def bundle(root: Path, name: str = "bake") -> Bundle:
    """The bundle of a new folder with a reference and a script."""
    folder = skill_folder(root, name)
    (folder / "references").mkdir()
    (folder / "references" / "guide.md").write_text("The guide.")
    (folder / "run.sh").write_text("echo hi")
    return read_bundle(folder)
