"""The file tools, as a model uses them."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from stratal.errors import InputError, NotFound, StratalError
from stratal.tools.files import FOUND, LISTED, file_tools
from stratal.tools.memory import Reading
from stratal.tools.tool import Effect, Tool
from stratal.tools.workspace import Workspace
from stratal_memory.records import Trust


@pytest.fixture
def reading() -> Reading:
    return Reading(Trust.USER)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.of(tmp_path, "alice")


def made(workspace: Workspace, reading: Reading, shown: int | None = None) -> dict[str, Tool]:
    return {one.spec.name: one for one in file_tools(workspace, reading=reading, shown=shown)}


@pytest.fixture
def tools(workspace: Workspace, reading: Reading) -> dict[str, Tool]:
    return made(workspace, reading)


def run(tool: Tool, **arguments: object) -> str:
    return tool.run(json.dumps(arguments))


def test_a_file_is_written_edited_found_and_read(tools: dict[str, Tool]) -> None:
    assert (
        run(tools["file_write"], path="plan.md", text="Buy milk.\n") == "plan.md has 10 bytes now"
    )
    assert run(tools["file_edit"], path="plan.md", old="milk", new="Rye bread") == (
        "plan.md has 15 bytes now"
    )

    assert run(tools["file_list"]) == "plan.md (15 bytes)"
    assert run(tools["file_search"], words="rye") == "plan.md:1: Buy Rye bread."
    assert run(tools["file_read"], path="plan.md") == "Buy Rye bread.\n"


LOOKS: list[tuple[str, dict[str, str]]] = [
    ("file_list", {}),
    ("file_read", {"path": "plan.md"}),
    ("file_search", {"words": "milk"}),
]


@pytest.mark.parametrize(("name", "arguments"), LOOKS)
def test_what_was_written_with_nothing_foreign_read_may_be_read_again(
    tools: dict[str, Tool], reading: Reading, name: str, arguments: dict[str, str]
) -> None:
    run(tools["file_write"], path="plan.md", text="Buy milk.")
    run(tools["file_edit"], path="plan.md", old="Buy", new="Get")

    run(tools[name], **arguments)

    assert reading.trust is Trust.ASSISTANT


@pytest.mark.parametrize(("name", "arguments"), LOOKS)
@pytest.mark.parametrize("trust", [Trust.TOOL, Trust.WEB])
def test_what_was_written_after_foreign_text_is_foreign_in_every_conversation(
    workspace: Workspace,
    reading: Reading,
    trust: Trust,
    name: str,
    arguments: dict[str, str],
) -> None:
    run(made(workspace, Reading(trust))["file_write"], path="plan.md", text="Buy milk.")

    run(made(workspace, reading)[name], **arguments)

    assert reading.trust is trust


@pytest.mark.parametrize(("name", "arguments"), LOOKS)
def test_what_somebody_put_there_is_read_with_the_trust_of_a_tool(
    workspace: Workspace, reading: Reading, name: str, arguments: dict[str, str]
) -> None:
    workspace.root.mkdir(parents=True)
    (workspace.root / "plan.md").write_text("Buy milk.")

    run(made(workspace, reading)[name], **arguments)

    assert reading.trust is Trust.TOOL


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("file_list", {"folder": "notes"}),
        ("file_read", {"path": "notes/a.md"}),
        ("file_read", {"path": "gone.md"}),
        ("file_search", {"words": "bread"}),
        ("file_search", {"words": "milk", "folder": "notes"}),
    ],
)
def test_only_what_is_shown_is_read(
    workspace: Workspace, reading: Reading, name: str, arguments: dict[str, str]
) -> None:
    workspace.write("plan.md", "Buy milk.")
    workspace.write("notes/a.md", "Get milk.", trust=Trust.ASSISTANT)

    with suppress(NotFound):
        run(made(workspace, reading)[name], **arguments)

    assert reading.trust is Trust.ASSISTANT


def test_an_empty_list_reads_nothing(tools: dict[str, Tool], reading: Reading) -> None:
    assert run(tools["file_list"]) == "There are no files."
    assert reading.trust is Trust.ASSISTANT


def test_only_writing_and_editing_change_anything(tools: dict[str, Tool]) -> None:
    changing = {name for name, one in tools.items() if one.writes}

    assert changing == {"file_write", "file_edit"}
    assert {one.effect for name, one in tools.items() if name in changing} == {Effect.LOCAL}


def test_a_long_file_is_read_piece_by_piece(workspace: Workspace, reading: Reading) -> None:
    text = "".join(f"line {number}\n" for number in range(200))
    workspace.write("long.txt", text)
    read = made(workspace, reading, shown=600)["file_read"]

    pieces = [run(read, path="long.txt", start=start) for start in range(0, len(text), 500)]

    assert all(len(piece) <= 600 for piece in pieces)
    assert "go on with start=500" in pieces[0]
    assert pieces[-1].endswith("the end]")
    assert "".join(piece.rpartition("\n[characters ")[0] for piece in pieces) == text
    assert run(read, path="long.txt", start=10**9) == f"[long.txt ends at character {len(text):,}]"


def test_what_is_empty_is_said_to_be_empty(tools: dict[str, Tool], workspace: Workspace) -> None:
    assert run(tools["file_list"]) == "There are no files."
    workspace.write("a.txt", "")

    assert run(tools["file_read"], path="a.txt") == "[a.txt is empty]"
    assert run(tools["file_search"], words="x") == "No line holds that."
    with pytest.raises(InputError, match="nothing to look for"):
        run(tools["file_search"], words="  ")


def test_lists_and_searches_end_somewhere(tools: dict[str, Tool], workspace: Workspace) -> None:
    for number in range(LISTED + 5):
        (workspace.root / f"f{number:03}.txt").parent.mkdir(parents=True, exist_ok=True)
        (workspace.root / f"f{number:03}.txt").write_text("needle " + "x" * 1_000)

    assert run(tools["file_list"]).splitlines()[-1] == "[5 more; name a folder]"
    found = run(tools["file_search"], words="needle").splitlines()
    assert (len(found), found[-1]) == (FOUND + 1, "[more; ask for longer words]")
    assert max(map(len, found)) < 250


ODD = ("two\nlines.md", "red\x1b[31m.md", "b\u202egnp.md", "e\u0301.md", " blank.md", "con.md")


@pytest.mark.parametrize("odd", ODD)
def test_a_name_that_can_t_be_opened_is_counted_and_not_shown(
    tools: dict[str, Tool], workspace: Workspace, reading: Reading, odd: str
) -> None:
    workspace.write("a.txt", "Rye", trust=Trust.ASSISTANT)
    (workspace.root / odd).write_text("foreign")

    assert run(tools["file_list"]) == "a.txt (3 bytes)\n[1 name that can't be opened here]"
    assert reading.trust is Trust.ASSISTANT  # nothing of it was shown
    with pytest.raises(StratalError):
        run(tools["file_read"], path=odd)


def test_odd_names_of_files_and_of_folders_are_counted_together(
    tools: dict[str, Tool], workspace: Workspace
) -> None:
    (workspace.root / "a\nb").mkdir(parents=True)
    for odd in ("a\nb/plan.md", "x\ty.md", "bad\udcff.md"):
        (workspace.root / odd).write_text("x")

    assert run(tools["file_list"]) == "[3 names that can't be opened here]"


def test_a_search_passes_over_what_is_no_text(tools: dict[str, Tool], workspace: Workspace) -> None:
    workspace.write("a.txt", "needle")
    (workspace.root / "b.bin").write_bytes(b"needle\xff")

    assert run(tools["file_search"], words="NEEDLE") == "a.txt:1: needle"


def test_a_folder_that_is_not_there_is_told(tools: dict[str, Tool]) -> None:
    with pytest.raises(NotFound):
        run(tools["file_list"], folder="notes")
