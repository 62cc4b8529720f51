"""Write docs/requirements.md: every requirement, and the tests that name its tag.

A test names a tag by a comment `# covers O12, O13`: in it, on its first line or right above it.
Where such a comment stands before a module's first test and above none, it speaks of all of them.
Run it after a comment or docs/requirements.toml changed; a test compares the page with it.
"""

import ast
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
TAGS = ROOT / "docs" / "requirements.toml"
TARGET = ROOT / "docs" / "requirements.md"
HEAD = """\
# Requirements and their tests

This page is written by `scripts/make_requirements_docs.py` from `docs/requirements.toml` and the
comments in the tests: change those, not the page.

Stratal does what the documents of four products say of context and memory. Each line is one of
their requirements in our words, with its tag and the tests that name it.
"""
COVERS = re.compile(r"# covers (.+)")
TAG = re.compile(r"[A-Z]s?\d+")
# Tags of other lists: of reliability, and the promises of the house plan.
ELSEWHERE = re.compile(r"[DEIMSX]\d+|promise \d+")

Area = Literal[
    "window", "budget", "turns", "counting", "compression", "caching", "usage", "models",
    "prompt", "memory", "procedures", "ingest", "other",
]  # fmt: skip


class Requirement(BaseModel):
    """One line of a document, in our words; `reason` where no test can name it yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: Area
    what: str
    reason: str = ""


class Group(BaseModel):
    """The requirements whose tags begin with the same letters, by tag."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    letters: str
    title: str
    tags: dict[str, Requirement]


class _Tables(BaseModel):
    model_config = ConfigDict(extra="forbid")

    groups: list[Group]


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """Where a tag is named: a file below tests/, and the test; empty for all of the file's."""

    file: str
    test: str

    def link(self) -> str:
        """To the file, from the page."""
        name = self.file.rpartition("/")[2]
        return f"[{name}{'::' if self.test else ''}{self.test}](../tests/{self.file})"


Covering = Mapping[str, Sequence[Named]]  # by tag


def groups() -> Sequence[Group]:
    """All requirements, in the order of the page."""
    return _Tables.model_validate(tomllib.loads(TAGS.read_text(encoding="utf-8"))).groups


def covering() -> Covering:
    """The tests that name each tag. Raises `ValueError` for a comment that cannot be read."""
    found: dict[str, list[Named]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS).as_posix()
        for tag, test in named(path.read_text(encoding="utf-8"), name=name):
            found.setdefault(tag, []).append(Named(name, test))
    return {tag: sorted(set(places)) for tag, places in found.items()}


def named(source: str, *, name: str) -> Iterator[tuple[str, str]]:
    """Tag and test of every comment in a module of tests called `name`."""
    if not COVERS.search(source):  # nearly all of them; the rest is slower
        return
    lines = source.splitlines(keepends=True)
    spans = list(_spans(ast.parse(source)))
    comments = {
        token.start[0]: token.string
        for token in tokenize.generate_tokens(iter(lines).__next__)
        if token.type == tokenize.COMMENT
    }
    for line, comment in comments.items():
        if match := COVERS.fullmatch(comment):
            test = _test_at(line, spans, comments)
            if test is None:
                raise ValueError(f"{name}:{line}: {comment!r} stands in no test and above none")
            for tag in _tags(match[1], where=f"{name}:{line}"):
                yield tag, test


def _spans(module: ast.Module) -> Iterator[tuple[int, int, str]]:
    """First and last line of each test, decorators included, in order."""
    for node in module.body:
        if name := _test_name(node):
            marks = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            first = min([node.lineno, *(mark.lineno for mark in marks)])
            yield first, node.end_lineno or first, name


def _test_name(node: ast.stmt) -> str:
    """Of a function, or of a name that is given a state machine's test; empty for others."""
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id if node.targets[0].id.startswith("Test") else ""
    return ""


def _test_at(
    line: int, spans: Sequence[tuple[int, int, str]], comments: Mapping[int, str]
) -> str | None:
    """The test a comment speaks of, empty for all of the module's; None where it is lost."""
    below = line + 1
    while below in comments:
        below += 1
    for first, last, name in spans:
        if first <= line <= last or first == below:
            return name
    return "" if spans and line < spans[0][0] else None


def _tags(text: str, *, where: str) -> Iterator[str]:
    for one in re.split(r"[,;] ?", text):
        if ELSEWHERE.fullmatch(one):
            continue
        if not TAG.fullmatch(one):
            raise ValueError(f"{where}: {one!r} is no tag; write `# covers O12, O13`")
        yield one


def faults(found: Covering) -> list[str]:
    """What is wrong between the list and the tests; nothing when all is well."""
    known = {tag: one for group in groups() for tag, one in group.tags.items()}
    wrong = [f"{tag} is named by a test and is not in {TAGS.name}" for tag in found.keys() - known]
    for tag, one in known.items():
        if tag in found and one.reason:
            wrong.append(f"{tag} is named by a test: take its reason out of {TAGS.name}")
        elif tag not in found and not one.reason:
            wrong.append(f"{tag} is named by no test and has no reason")
    return sorted(wrong)


def page() -> str:
    """The whole page."""
    listed, found = groups(), covering()
    parts = [HEAD, _counts(listed, found)]
    parts += [_table(group, found) for group in listed]
    rows = [
        f"| {tag} | {one.what} | {one.reason} |"
        for group in listed
        for tag, one in group.tags.items()
        if tag not in found
    ]
    head = "## Not covered\n\n| tag | says | why there is no test |\n|---|---|---|\n"
    return "\n".join([*parts, head + "\n".join(rows)]) + "\n"


def _counts(listed: Sequence[Group], found: Covering) -> str:
    rows = ["| | tags | covered | not covered |", "|---|---|---|---|"]
    for group in listed:
        covered = sum(tag in found for tag in group.tags)
        left = len(group.tags) - covered
        rows.append(f"| {group.title} | {len(group.tags)} | {covered} | {left} |")
    return "\n".join([*rows, ""])


def _table(group: Group, found: Covering) -> str:
    rows = [
        f"| {tag} | {one.what} | {'<br>'.join(place.link() for place in found[tag])} |"
        for tag, one in group.tags.items()
        if tag in found
    ]
    return "\n".join(
        [f"## {group.title}", "", "| tag | says | tests |", "|---|---|---|", *rows, ""]
    )


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} is written\n")
