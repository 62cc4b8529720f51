import os
from pathlib import Path

import pytest

from stratal.errors import ConfigError
from stratal.prompt.layers import layers, system_prompt
from stratal.prompt.modes import files_of
from stratal.prompt.overrides import (
    MAX_BYTES,
    NAMES,
    packaged,
    prompt_folder,
    read_overrides,
)
from stratal.prompt.sections import Mode


def folder_with(root: Path, **texts: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (root / f"{name}.md").write_text(text, encoding="utf-8", newline="")
    return root


def texts(mode: Mode, *folders: Path) -> dict[str, str]:
    built = layers(mode=mode, tools=[], agent_name="Sol", overrides=read_overrides(folders))
    return {layer.name: layer.text for layer in built}


def refused(folder: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_overrides([folder])
    assert str(folder) in str(caught.value)
    assert caught.value.hint
    return caught.value


def test_without_folders_the_packaged_texts_stand() -> None:
    assert texts(Mode.AGENT)["SOUL"] == packaged("SOUL")


def test_a_folder_that_does_not_exist_replaces_nothing(tmp_path: Path) -> None:
    assert read_overrides([tmp_path / "agents" / "main" / "prompt"]) == {}


def test_a_file_of_the_same_name_replaces_the_packaged_one(tmp_path: Path) -> None:
    # covers Z2
    folder = folder_with(tmp_path, SOUL="Be {agent_name}, and stern.\n")

    changed = texts(Mode.AGENT, folder)

    assert changed["SOUL"] == "Be Sol, and stern."
    assert changed == texts(Mode.AGENT) | {"SOUL": "Be Sol, and stern."}


@pytest.mark.parametrize("mode", Mode)
def test_a_variant_replaces_its_own_mode_only(tmp_path: Path, mode: Mode) -> None:
    # covers Z26
    folder = folder_with(tmp_path, WORKFLOW_plan="First draw it.", MODE_ask="Only talk.")

    changed = {name for name, text in texts(mode, folder).items() if text != texts(mode)[name]}

    assert changed == {Mode.AGENT: set(), Mode.ASK: {"MODE"}, Mode.PLAN: {"WORKFLOW"}}[mode]


@pytest.mark.parametrize("name", NAMES)
def test_every_packaged_file_can_be_replaced(tmp_path: Path, name: str) -> None:
    folder = folder_with(tmp_path, **{name: "Mine: {tools_description}"})
    used = [mode for mode in Mode if name in files_of(mode).values()]

    assert used
    assert all(
        "Mine: "
        in system_prompt(mode=mode, tools=[], agent_name="Sol", overrides=read_overrides([folder]))
        for mode in used
    )


def test_the_first_folder_wins_file_by_file(tmp_path: Path) -> None:
    own = folder_with(tmp_path / "own", SOUL="Mine.")
    shared = folder_with(tmp_path / "shared", SOUL="Ours.", CORE="Our core.")

    assert read_overrides([own, shared]) == {"SOUL": "Mine.", "CORE": "Our core."}


def test_an_emptied_file_leaves_its_section_out(tmp_path: Path) -> None:
    overrides = read_overrides([folder_with(tmp_path, SOUL=" \n")])

    prompt = system_prompt(mode=Mode.AGENT, tools=[], agent_name="Sol", overrides=overrides)

    assert "# Manner" not in prompt
    assert "\n\n\n" not in prompt


def test_line_ends_and_a_byte_order_mark_make_no_difference(tmp_path: Path) -> None:
    plain = read_overrides([folder_with(tmp_path / "a", SOUL="One.\nTwo.")])
    windows = read_overrides([folder_with(tmp_path / "b", SOUL="\ufeffOne.\r\nTwo.\r\n")])

    assert windows == plain


def test_other_files_and_hidden_ones_are_left_alone(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, SOUL="Mine.")
    (folder / "notes.txt").write_text("x")
    (folder / ".DS_Store").write_bytes(b"\0\xff")
    (folder / ".#SOUL.md").symlink_to("somebody@somewhere:1")  # an editor's lock
    (folder / "drafts").mkdir()

    assert read_overrides([folder]) == {"SOUL": "Mine."}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SOLE.md", "SOUL.md"),
        ("soul.md", "SOUL.md"),
        ("SOUL.MD", "SOUL.md"),
        ("WORKFLOW_planning.md", "WORKFLOW_plan.md"),
        ("MODE.md", "MODE_"),
        ("memory-read.md", "MEMORY_read.md"),
    ],
)
def test_an_unknown_name_is_refused_with_the_one_meant(
    tmp_path: Path, name: str, meant: str
) -> None:
    folder = folder_with(tmp_path)
    (folder / name).write_text("x")

    error = refused(folder)

    assert name in str(error)
    assert "no layer has that name" in str(error)
    assert error.hint.startswith(f"Did you mean {meant}")


def test_of_many_wrong_names_the_first_is_named(tmp_path: Path) -> None:
    for letter in "zyxwvutsrqponmlkjihgfedcba":
        (tmp_path / f"{letter}.md").write_text("x")

    assert "/a.md can't be used" in str(refused(tmp_path))


def test_a_name_like_none_is_answered_with_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "Заметки.md").write_text("x")

    assert refused(tmp_path).hint == (
        "Known are CORE.md, SOUL.md, TOOLS.md, WORKFLOW.md, MEMORY.md, MODE_agent.md, "
        "WORKFLOW_ask.md, MEMORY_read.md, MODE_ask.md, WORKFLOW_plan.md, MODE_plan.md."
    )


def test_a_name_that_is_not_text_can_be_printed(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/SO\xffUL.md")).write_text("x")

    str(refused(tmp_path)).encode("utf-8")


def test_tools_without_its_placeholder_are_refused(tmp_path: Path) -> None:
    # covers Z7
    error = refused(folder_with(tmp_path, TOOLS="Use {tool_description}."))

    assert "TOOLS.md can't be used: it lacks {tools_description}" in str(error)
    assert error.hint == "Write {tools_description} where the tools shall be listed."


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"caf\xe9", "it is not UTF-8 (byte 3)"),
        (b"lone \xed\xa0\x80", "it is not UTF-8 (byte 5)"),
        (b"a\0b", "it holds NUL characters"),
        (b"x" * (MAX_BYTES + 1), "it is over 64 KiB"),
    ],
)
def test_what_is_no_short_text_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "SOUL.md").write_bytes(content)

    assert f"SOUL.md can't be used: {problem}" in str(refused(tmp_path))


def test_exactly_64_kib_are_taken(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_bytes(b"x" * MAX_BYTES)

    assert len(read_overrides([tmp_path])["SOUL"]) == 65_536


def test_a_folder_a_pipe_and_a_dead_link_are_no_files(tmp_path: Path) -> None:
    for name in ("folder", "pipe", "link", "loop"):
        (tmp_path / name).mkdir()
    (tmp_path / "folder" / "SOUL.md").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SOUL.md")
    (tmp_path / "link" / "SOUL.md").symlink_to("nothing")
    (tmp_path / "loop" / "SOUL.md").symlink_to("SOUL.md")

    for name in ("folder", "pipe", "link", "loop"):
        assert "SOUL.md can't be used: it is not a file" in str(refused(tmp_path / name))


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").symlink_to("x" * 300)  # a longer name than the file system knows

    assert "SOUL.md can't be used: it " in str(refused(tmp_path))


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "prompt"
    place.write_text("x")

    assert "can't be read: Not a directory" in str(refused(place))


@pytest.mark.parametrize("way", ["absolute", "relative", "over a folder"])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, way: str) -> None:
    folder, secret = folder_with(tmp_path / "prompt"), tmp_path / "secret"
    secret.write_text("sk-123")
    (folder / "sub").symlink_to(tmp_path)
    targets = {"absolute": str(secret), "relative": "../secret", "over a folder": "sub/secret"}
    (folder / "SOUL.md").symlink_to(targets[way])

    error = refused(folder)

    assert "it is a link to a file outside its folder" in str(error)
    assert "sk-123" not in str(error)


def test_a_link_inside_the_folder_and_to_the_folder_are_followed(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "real", MODE_ask="Only talk.")
    (folder / "MODE_plan.md").symlink_to("MODE_ask.md")
    (tmp_path / "prompt").symlink_to("real")

    assert read_overrides([tmp_path / "prompt"]) == {
        "MODE_ask": "Only talk.",
        "MODE_plan": "Only talk.",
    }


def test_what_a_file_says_is_filled_once_and_other_braces_stay(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, CORE='{agent_name} {other} {"json": {}}')

    built = layers(
        mode=Mode.ASK,
        tools=[],
        agent_name="{tools_description}",
        overrides=read_overrides([folder]),
    )

    assert built[0].text == '{tools_description} {other} {"json": {}}'


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("main", "main"),
        ("алиса@пример.рф", "алиса@пример.рф"),
        ("a/b", "a%2Fb"),
        ("../../etc", "%2E.%2F..%2Fetc"),
        ("..\\x", "%2E.%5Cx"),
        ("%2E", "%252E"),
    ],
)
def test_the_folder_of_an_agent_is_one_folder_below_agents(
    tmp_path: Path, agent: str, name: str
) -> None:
    assert prompt_folder(tmp_path, agent) == tmp_path / "agents" / name / "prompt"


def test_an_agent_with_a_very_long_name_has_the_packaged_prompt(tmp_path: Path) -> None:
    folder_with(tmp_path / "agents")

    assert read_overrides([prompt_folder(tmp_path, "ж" * 200)]) == {}
