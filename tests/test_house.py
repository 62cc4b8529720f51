"""The house rules that no linter knows."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("platform", "memory", "procedures", "ingest")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
# ARCHITECTURE, section 8: the job runner, the HTTP edge (later), the CLI's main, the call of a
# tool, the parser child.
MAY_CATCH_ALL = {
    "platform/stratal/jobs/worker.py",
    "platform/stratal/cli/entry.py",
    "platform/stratal/tools/registry.py",
    # These hand what was raised to the thread that waits for it, where it is raised again.
    "platform/stratal/tools/patience.py",
    "platform/stratal/cancel.py",
    "ingest/stratal_ingest/outcome.py",
}
Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_there_is_something_to_look_at() -> None:
    assert len(SOURCES) > 100
    assert {name_of(path).split("/")[0] for path in SOURCES} == set(ROOMS)


def test_the_source_roots_are_no_packages() -> None:
    assert [room for room in ROOMS if (ROOT / room / "__init__.py").exists()] == []
    assert "/platform/__init__.py" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_standard_librarys_platform_is_not_hidden() -> None:
    code = "import platform, uuid; assert platform.system(); print(platform.__file__)"

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert not done.stdout.startswith(str(ROOT / "platform"))


def test_tests_are_no_package() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_no_module_is_a_drawer_for_everything_or_hides_the_standard_library() -> None:
    drawers = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}
    mains = {"__init__", "__main__"}
    # Below a package of ours nothing of the standard library is hidden; at a source root it is.
    roots = {path.stem for room in ROOMS for path in (ROOT / room).iterdir()}

    assert [name_of(path) for path in SOURCES if path.stem in drawers - mains] == []
    assert roots & set(sys.stdlib_module_names) == set()


def test_everything_is_caught_in_the_named_places_only() -> None:
    found = {
        name_of(path) for path in SOURCES for node in ast.walk(tree(path)) if catches_all(node)
    }

    assert found <= MAY_CATCH_ALL


def catches_all(node: ast.AST) -> bool:
    """`except:` and `except Exception:`; BaseException only to clean up and raise again."""
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = ast.unparse(node.type) if node.type else "BaseException"
    again = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
    return caught == "Exception" or (caught == "BaseException" and not again)


def test_a_signature_says_what_it_takes() -> None:
    open_ended = [
        f"{name_of(path)}: {function.name}"
        for path in SOURCES
        for function in functions(path)
        if function.args.kwarg is not None
    ]

    # What stands for a tool's function, whose parameters are somebody's: its signature is set.
    assert open_ended == ["platform/stratal/tools/signature.py: bind"]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_what_is_public_says_what_it_is(path: Path) -> None:
    module = tree(path)

    silent = [f"line {node.lineno}: {node.name}" for node in public(module) if not documented(node)]

    assert ast.get_docstring(module), "the module"
    assert silent == []


def public(node: ast.Module | ast.ClassDef) -> Iterator[Defined]:
    for child in node.body:
        if isinstance(child, Defined) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from public(child)


def documented(node: Defined) -> bool:
    """An overload, a setter or an override speaks through its first."""
    spoken = {"overload", "override", "setter"}
    marks = {ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list}
    return bool(ast.get_docstring(node) or marks & spoken)


def test_data_holds_no_code_and_is_imported_by_nobody() -> None:
    imported = {
        name.split(".")[0]
        for path in SOURCES
        for node in ast.walk(tree(path))
        for name in imports(node)
    }

    # A year of talk is data that is drawn anew from a seed, by scripts and tests alone.
    code = [path.parent.name for path in (ROOT / "data").rglob("*.py")]
    assert set(code) <= {"simulated_year"}
    assert "data" not in imported
    assert "tests" not in imported


def imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return []
