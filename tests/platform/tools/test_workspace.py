"""The workspace: what is written stays inside, whole, and within its bounds."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stratal.errors import InputError, NotFound, StorageError
from stratal.tools import workspace as module
from stratal.tools.file_bytes import LARGEST
from stratal.tools.file_trust import RECORD
from stratal.tools.workspace import Workspace
from stratal_memory.records import Trust

SECRET = "what is outside"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "outside.md").write_text(SECRET)
    return Workspace.of(tmp_path / "data", "alice")


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_written_is_read_and_listed(workspace: Workspace) -> None:
    assert workspace.write("notes/plan.md", "Größe\n") == 8
    workspace.write("./a.txt", "")

    assert workspace.read("notes/plan.md") == "Größe\n"
    assert workspace.paths() == workspace.paths(".") == [("a.txt", 0), ("notes/plan.md", 8)]
    assert workspace.paths("notes") == [("notes/plan.md", 8)]


def test_nothing_is_made_before_something_is_written(workspace: Workspace, tmp_path: Path) -> None:
    assert workspace.paths() == []
    with pytest.raises(NotFound):
        workspace.read("a.txt")

    assert not (tmp_path / "data").exists()


def test_two_users_have_two_folders_whatever_they_are_called(tmp_path: Path) -> None:
    users = ["alice", "ALICE", "alice/../bob", "bob", "", "..", "ü", "u\u0308", "a" * 500]

    roots = {Workspace.of(tmp_path, user).root for user in users}

    assert len(roots) == len(users)
    assert all(root.parent == tmp_path / "workspaces" for root in roots)


BAD = [
    "", "   ", "/", ".", "..", "../outside.md", "notes/../../outside.md", "/etc/passwd", "~/x",
    "~root/x", "\\\\host\\share", "C:\\x", "C:/x", "a\\..\\b", "a\0b", "a\nb", "a\x7fb", "con",
    "NUL.txt", "com1", "a/aux.md", "a:stream", "a*", "a?", 'a"', "a|b", "<a>", ".hidden",
    ".git/config", "a.", "a /b", "x" * 101, "ü" * 51, "a/b/c/d/e/f/g/h/i", "\ud800", "...", "a/ b",
    "a\u202eb.txt", "\u200b.txt", "a\u200db", "\ufeffa", "a\u00adb", "\U000e0041", "a\u2028b",
    "a\u2029b", "a\x85b", "a\ufe0f", "\u3164", "a\u2800b", "．．/x", "．．", "a／b", "／etc/passwd",
    "a＼b", "C：x", "a․txt", "a‥b", "plan…", "ｎｕｌ", "ＣＯＮ．txt", "a？", "．hidden",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_path_that_could_lead_elsewhere_is_refused(workspace: Workspace, name: str) -> None:
    workspace.write("a.txt", "mine")

    for act in (
        lambda: workspace.read(name),
        lambda: workspace.write(name, "theirs"),
        lambda: workspace.replace(name, "mine", "theirs"),
    ):
        with pytest.raises(InputError):
            act()

    assert workspace.paths() == [("a.txt", 4)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a\u202eb.txt", "a character that is not seen, U+202E"),
        ("notes/\u200b.txt", "a character that is not seen, U+200B"),
        ("．．/x", "is '..' to some programs"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(workspace: Workspace, name: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        workspace.write(name, "theirs")

    assert said in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize(
    "name", ["Ａ.txt", "plan ①.md", "é/ß.txt", "メモ.txt", "100％.txt", "x².txt"]
)
def test_letters_of_every_script_are_names(workspace: Workspace, name: str) -> None:
    workspace.write(name, "mine")

    assert workspace.paths() == [(name, 4)]


parts = st.one_of(
    st.sampled_from(["..", ".", "", "~", "/", "\\", "C:", "a", "A", "ä", "a\u0308", "con", ".x"]),
    st.text(max_size=6),
)


@given(pieces=st.lists(parts, max_size=6), separator=st.sampled_from(["/", "\\", "//", "/./"]))
@example(pieces=["..", "outside.md"], separator="/")
@example(pieces=["", "etc", "passwd"], separator="/")
def test_no_path_at_all_leads_outside(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], separator: str
) -> None:
    base = tmp_path_factory.mktemp("anywhere")
    (base / "outside.md").write_text(SECRET)
    workspace = Workspace.of(base / "data", "alice")
    name = separator.join(pieces)

    try:
        workspace.write(name, "inside")
    except (InputError, StorageError):
        assert below(base) == {"outside.md"}
    else:
        (made,) = below(base) - {"outside.md"}
        assert made.startswith(workspace.root.relative_to(base).as_posix() + "/")
        assert workspace.read(name) == "inside"
    assert (base / "outside.md").read_text() == SECRET
    with suppress(InputError, NotFound):
        assert workspace.read(name) == "inside"


def test_a_link_is_neither_read_nor_written_through(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("a.txt", "mine")
    (workspace.root / "file.md").symlink_to(tmp_path / "outside.md")
    (workspace.root / "folder").symlink_to(tmp_path)
    (workspace.root / "nowhere").symlink_to(tmp_path / "new.md")

    for name in ("file.md", "folder/outside.md", "nowhere"):
        for act in (lambda one: workspace.read(one), lambda one: workspace.write(one, "x")):
            with pytest.raises(InputError, match="link"):
                act(name)

    assert (tmp_path / "outside.md").read_text() == SECRET
    assert not (tmp_path / "new.md").exists()
    assert workspace.paths() == [("a.txt", 4)]


def test_a_workspace_that_is_a_link_itself_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    workspace.root.parent.mkdir(parents=True)
    workspace.root.symlink_to(tmp_path)

    with pytest.raises(InputError, match="link"):
        workspace.read("outside.md")
    with pytest.raises(InputError, match="link"):
        workspace.write("new.md", "x")


def test_a_second_name_of_a_file_outside_is_not_read(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("a.txt", "mine")
    os.link(tmp_path / "outside.md", workspace.root / "hard.md")

    with pytest.raises(InputError, match="no plain file"):
        workspace.read("hard.md")
    workspace.write("hard.md", "inside")

    assert (tmp_path / "outside.md").read_text() == SECRET
    assert workspace.read("hard.md") == "inside"


def test_a_pipe_is_not_waited_for(workspace: Workspace) -> None:
    workspace.write("a.txt", "mine")
    os.mkfifo(workspace.root / "pipe")

    with pytest.raises(NotFound):
        workspace.read("pipe")


@pytest.mark.parametrize(
    ("there", "asked"),
    [("Plan.md", "plan.md"), ("notes/a.md", "Notes/a.md"), ("straße.md", "STRASSE.md"),
     ("Ⅳ.md", "iv.md")],
)  # fmt: skip
def test_a_name_that_some_system_takes_for_another_is_refused(
    workspace: Workspace, there: str, asked: str
) -> None:
    workspace.write(there, "first")

    with pytest.raises(InputError, match="already, written otherwise"):
        workspace.write(asked, "second")

    assert workspace.read(there) == "first"


def test_one_name_in_two_unicode_forms_is_one_file(workspace: Workspace) -> None:
    workspace.write("u\u0308.md", "first")

    assert workspace.read("ü.md") == "first"


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", b"\x89PNG\r\n"])
def test_what_is_no_text_is_not_read(workspace: Workspace, data: bytes) -> None:
    workspace.write("a.txt", "mine")
    (workspace.root / "b.bin").write_bytes(data)

    with pytest.raises(InputError, match="no text"):
        workspace.read("b.bin")


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * (LARGEST + 1), "ü" * (LARGEST // 2 + 1)])
def test_what_is_no_text_or_too_much_is_not_written(workspace: Workspace, text: str) -> None:
    workspace.write("a.txt", "mine")

    with pytest.raises(InputError):
        workspace.write("a.txt", text)

    assert workspace.read("a.txt") == "mine"


def test_a_file_somebody_made_too_large_is_not_read(workspace: Workspace) -> None:
    workspace.write("a.txt", "mine")
    (workspace.root / "big.txt").write_bytes(b"x" * (LARGEST + 1))

    with pytest.raises(InputError, match="over 1,000,000 bytes"):
        workspace.read("big.txt")


def test_the_quota_counts_what_a_file_replaces_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUOTA", 10)
    workspace.write("a.txt", "12345678")

    workspace.write("a.txt", "1234567890")
    with pytest.raises(InputError, match="would hold 11 bytes, 10 are allowed"):
        workspace.write("b.txt", "1")
    with pytest.raises(InputError, match="would hold 11 bytes"):
        workspace.write("a.txt", "12345678901")

    assert workspace.paths() == [("a.txt", 10)]


def test_there_are_only_so_many_files(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 2)
    workspace.write("a.txt", "")
    workspace.write("b.txt", "")

    workspace.write("a.txt", "again")
    with pytest.raises(InputError, match="holds 2 files, 2 are allowed"):
        workspace.write("c.txt", "")


def test_a_piece_is_replaced_only_where_it_stands_once(workspace: Workspace) -> None:
    workspace.write("a.txt", "one two two")

    assert workspace.replace("a.txt", "one", "three") == 13
    for old, count in (("two", 2), ("four", 0), ("", 0)):
        with pytest.raises(InputError, match=f"stands {count} times"):
            workspace.replace("a.txt", old, "x")

    assert workspace.read("a.txt") == "three two two"


def test_a_file_that_can_not_be_written_stays_what_it_was(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write("a.txt", "mine")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        workspace.write("a.txt", "half")

    assert workspace.read("a.txt") == "mine"
    assert below(workspace.root) == {"a.txt"}


def test_a_folder_is_no_file_and_a_file_no_folder(workspace: Workspace) -> None:
    workspace.write("notes/plan.md", "x")

    with pytest.raises(NotFound):
        workspace.read("notes")
    with pytest.raises(NotFound):
        workspace.paths("notes/plan.md")
    with pytest.raises(StorageError):
        workspace.write("notes", "x")
    with pytest.raises((StorageError, NotFound, InputError)):
        workspace.write("notes/plan.md/deeper", "x")


def test_a_file_is_trusted_as_what_its_writer_had_read(workspace: Workspace) -> None:
    workspace.write("own.txt", "mine", trust=Trust.ASSISTANT)
    workspace.write("other.txt", "theirs", trust=Trust.WEB)
    workspace.write("plain.txt", "nobody said")
    (workspace.root / "put.txt").write_text("from outside")

    found = {name: workspace.look(name).trust for name, _ in workspace.paths()}

    assert found == {
        "other.txt": Trust.WEB,
        "own.txt": Trust.ASSISTANT,
        "plain.txt": Trust.TOOL,
        "put.txt": Trust.TOOL,
    }
    assert found == {name: workspace.trust([name]) for name in found}


def test_an_edit_is_trusted_as_the_least_of_what_it_leaves_there(workspace: Workspace) -> None:
    workspace.write("a.txt", "one two", trust=Trust.ASSISTANT)
    workspace.replace("a.txt", "two", "three", trust=Trust.ASSISTANT)
    before = workspace.look("a.txt").trust
    workspace.replace("a.txt", "three", "four", trust=Trust.DOCUMENT)
    workspace.replace("a.txt", "four", "five", trust=Trust.ASSISTANT)

    assert (before, workspace.look("a.txt").trust) == (Trust.ASSISTANT, Trust.DOCUMENT)
    workspace.write("a.txt", "all new", trust=Trust.ASSISTANT)
    assert workspace.look("a.txt").trust is Trust.ASSISTANT


def test_what_somebody_else_changed_is_nobodys_word(workspace: Workspace) -> None:
    for name in ("longer.txt", "swapped.txt", "later.txt", "gone.txt"):
        workspace.write(name, "mine", trust=Trust.ASSISTANT)
    (workspace.root / "longer.txt").write_text("theirs")
    (workspace.root / "new").write_text("evil")
    (workspace.root / "new").replace(workspace.root / "swapped.txt")
    os.utime(workspace.root / "later.txt", ns=(1, 1))
    (workspace.root / "gone.txt").unlink()
    (workspace.root / "gone.txt").write_text("evil")
    os.utime(workspace.root / "gone.txt", ns=(2, 2))

    assert {workspace.look(name).trust for name, _ in workspace.paths()} == {Trust.TOOL}


@pytest.mark.parametrize("record", ["", "[]", '{"a.txt": 3}', "\ud800", '{"a.txt"', "9" * 9_000])
def test_a_broken_record_vouches_for_nothing(workspace: Workspace, record: str) -> None:
    workspace.write("a.txt", "mine", trust=Trust.ASSISTANT)
    (workspace.root / RECORD).write_bytes(record.encode("utf-8", "surrogatepass"))

    assert workspace.look("a.txt").trust is Trust.TOOL
    workspace.write("a.txt", "mine", trust=Trust.ASSISTANT)
    assert workspace.look("a.txt").trust is Trust.ASSISTANT


def test_the_record_is_no_file_of_the_workspace_and_forgets_what_is_gone(
    workspace: Workspace,
) -> None:
    workspace.write("a.txt", "mine", trust=Trust.ASSISTANT)
    (workspace.root / "a.txt").unlink()
    workspace.write("b.txt", "mine", trust=Trust.ASSISTANT)

    with pytest.raises(InputError):
        workspace.read(RECORD)
    assert workspace.paths() == [("b.txt", 4)]
    assert "a.txt" not in (workspace.root / RECORD).read_text()


def test_only_the_owner_may_read_the_files(workspace: Workspace) -> None:
    workspace.write("notes/plan.md", "x")

    assert (workspace.root / "notes/plan.md").stat().st_mode & 0o077 == 0
    assert (workspace.root / "notes").stat().st_mode & 0o077 == 0
