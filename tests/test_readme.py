"""The README's example runs, and what it names exists."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup

from stratal.cli.root import COMMANDS, loaded

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"(?:`|^|\.venv/bin/)stratal\s+([a-z]+)(?:[ \n]+([a-z]+))?", re.MULTILINE)
TARGET = re.compile(r"(?:`|^)make ([a-z-]+)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)\)")


def example() -> str:
    """The first; those after it are run by tests/test_docs_examples.py."""
    return str(re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0])


def test_the_example_answers_with_a_citation_and_a_ledger(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "data" / "samples", tmp_path / "handbook")
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    environment["STRATAL_DATA"] = str(tmp_path / "data")

    done = subprocess.run(
        [sys.executable, "-c", example()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "annual leave" in done.stdout
    assert re.search(
        r"Citation\(memory='mem_\w+', source='[^']*Annual leave', quote='[^']*26 days", done.stdout
    )
    assert re.search(r"^.*history.*\d", done.stdout, re.MULTILINE)  # a row of the ledger's table
    assert (tmp_path / "data" / "stratal.db").is_file()
    assert done.stderr == ""


def test_the_readme_names_commands_at_all() -> None:
    assert {name for name, _ in COMMAND.findall(README)} >= {"chat", "ingest", "context"}


@pytest.mark.parametrize(("name", "below"), sorted(set(COMMAND.findall(README))))
def test_every_command_it_names_exists(name: str, below: str) -> None:
    assert name in COMMANDS
    command = loaded(name)
    if isinstance(command, TyperGroup) and below:
        assert below in command.commands


@pytest.mark.parametrize("target", sorted(set(TARGET.findall(README))))
def test_every_make_target_it_names_exists(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("link", sorted(set(LINK.findall(README))))
def test_every_file_it_links_to_exists(link: str) -> None:
    assert (ROOT / link).is_file()


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:data|platform|docs)/[\w/.]+)`", README)))
)
def test_every_path_it_names_is_there_or_must_never_be(path: str) -> None:
    assert (ROOT / path).exists() is (path != "platform/__init__.py")
